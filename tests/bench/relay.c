/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay [--delay-ms N] PORT...: stands between ofonod and emulated modems, so that these do not
 * slow a message down.
 *
 * It forwards everything between ofonod and the modem at PORT, except messages: it answers
 * AT+CMGS and its PDU itself, at once or after N ms. A line "K LENGTH PDU" on stdin is an
 * incoming message of the K-th modem; each waits until ofonod has acknowledged the one before.
 * It prints the ports for ofonod in one line.
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
	LINES_MAX = 128,
	LINE_BYTES_MAX = 4096,
	EVENTS_MAX = 64,
	CTRL_Z = 0x1a,
	NS_PER_MS = 1000 * 1000,
};

enum end { END_LISTENER, END_OFONO, END_MODEM, END_TIMER, END_COUNT };

struct incoming {
	STAILQ_ENTRY(incoming) link;
	char text[]; /* "\r\n+CMT: ,LENGTH\r\nPDU\r\n" */
};

struct line;

struct channel {
	struct line *line;
	enum end end;
	int fd;
};

struct line {
	int modem_port;
	struct channel channels[END_COUNT];
	char text[LINE_BYTES_MAX]; /* from ofonod, up to the end of a command or a PDU */
	size_t length;
	bool takes_pdu;	      /* the prompt was sent */
	bool takes_message;   /* for a message, not for an acknowledgement */
	bool is_acknowledged; /* no incoming message is in progress */
	unsigned reference;
	STAILQ_HEAD(, incoming) waiting;
};

static struct line lines[LINES_MAX];
static int line_count, delay_ms, epoll;

static void say(int fd, const char *text, size_t length)
{
	if (send(fd, text, length, MSG_NOSIGNAL) != (ssize_t)length)
		err(EXIT_FAILURE, "send");
}

static void watch(struct line *line, enum end end, int fd)
{
	struct channel *channel = &line->channels[end];

	*channel = (struct channel){ line, end, fd };
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd,
		  &(struct epoll_event){ .events = EPOLLIN, .data.ptr = channel });
}

static void unwatch(struct line *line, enum end end)
{
	if (line->channels[end].fd > 0)
		close(line->channels[end].fd);
	line->channels[end].fd = 0;
}

static void say_to_ofono(struct line *line, const char *text)
{
	if (line->channels[END_OFONO].fd) /* the peer may have left meanwhile */
		say(line->channels[END_OFONO].fd, text, strlen(text));
}

/* Messages */

static void deliver_next(struct line *line)
{
	struct incoming *incoming = STAILQ_FIRST(&line->waiting);

	if (!incoming || !line->is_acknowledged || line->takes_pdu)
		return;
	line->is_acknowledged = false;
	say_to_ofono(line, incoming->text);
	STAILQ_REMOVE_HEAD(&line->waiting, link);
	free(incoming);
}

static void take_message(struct line *line)
{
	char text[64];

	snprintf(text, sizeof(text), "\r\n+CMGS: %u\r\n\r\nOK\r\n",
		 line->reference++ % 256);
	say_to_ofono(line, text);
}

static void take_message_later(struct line *line)
{
	struct itimerspec due = { .it_value = { delay_ms / 1000,
						delay_ms % 1000 * (long)NS_PER_MS } };

	timerfd_settime(line->channels[END_TIMER].fd, 0, &due, NULL);
}

static void take_acknowledgement(struct line *line)
{
	say_to_ofono(line, "\r\nOK\r\n");
	line->is_acknowledged = true;
}

/* Handles a line from ofonod; false if it is for the modem. */
static bool take_command(struct line *line)
{
	bool is_message = strncasecmp(line->text, "AT+CMGS=", 8) == 0;
	bool is_acknowledgement = strncasecmp(line->text, "AT+CNMA", 7) == 0;

	if (is_acknowledgement && !strchr(line->text, ',')) {
		take_acknowledgement(line);
		return true;
	}
	if (!is_message && !is_acknowledgement)
		return false;
	line->takes_pdu = true;
	line->takes_message = is_message;
	say_to_ofono(line, "\r\n> ");
	return true;
}

static void take_pdu(struct line *line)
{
	line->takes_pdu = false;
	if (!line->takes_message)
		take_acknowledgement(line);
	else if (delay_ms)
		take_message_later(line);
	else
		take_message(line);
}

static void take_byte(struct line *line, char byte)
{
	if (line->length + 1 == LINE_BYTES_MAX)
		errx(EXIT_FAILURE, "a command is too long");
	line->text[line->length++] = byte;
	line->text[line->length] = '\0';
	if (byte != (line->takes_pdu ? CTRL_Z : '\r'))
		return;
	if (line->takes_pdu)
		take_pdu(line);
	else if (!take_command(line))
		say(line->channels[END_MODEM].fd, line->text, line->length);
	line->length = 0;
	deliver_next(line);
}

/* Descriptors */

static int connect_modem(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		err(EXIT_FAILURE, "modem at port %d", port);
	return fd;
}

static void on_connection(struct line *line)
{
	int fd = accept4(line->channels[END_LISTENER].fd, NULL, NULL, SOCK_CLOEXEC);

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	unwatch(line, END_OFONO);
	unwatch(line, END_MODEM);
	line->length = 0;
	line->takes_pdu = false;
	line->is_acknowledged = true;
	watch(line, END_OFONO, fd);
	watch(line, END_MODEM, connect_modem(line->modem_port));
}

static void on_end(struct channel *channel)
{
	char data[LINE_BYTES_MAX];
	ssize_t got = recv(channel->fd, data, sizeof(data), 0);

	if (got <= 0) {
		unwatch(channel->line, END_OFONO);
		unwatch(channel->line, END_MODEM);
		return;
	}
	if (channel->end == END_MODEM)
		say(channel->line->channels[END_OFONO].fd, data, (size_t)got);
	for (ssize_t at = 0; channel->end == END_OFONO && at < got; at++)
		take_byte(channel->line, data[at]);
}

static void on_event(struct channel *channel)
{
	uint64_t times;

	switch (channel->end) {
	case END_LISTENER:
		on_connection(channel->line);
		break;
	case END_TIMER:
		if (read(channel->fd, &times, sizeof(times)) == sizeof(times))
			take_message(channel->line);
		break;
	case END_OFONO:
	case END_MODEM:
	case END_COUNT:
		on_end(channel);
		break;
	}
}

static bool on_stdin(void)
{
	static char text[LINE_BYTES_MAX], pdu[LINE_BYTES_MAX];
	struct incoming *incoming;
	int which, length;

	if (!fgets(text, sizeof(text), stdin))
		return false;
	if (sscanf(text, "%d %d %4000s", &which, &length, pdu) != 3 || which < 0 ||
	    which >= line_count)
		errx(EXIT_FAILURE, "no message: %s", text);
	incoming = malloc(sizeof(*incoming) + strlen(pdu) + 32);
	sprintf(incoming->text, "\r\n+CMT: ,%d\r\n%s\r\n", length, pdu);
	STAILQ_INSERT_TAIL(&lines[which].waiting, incoming, link);
	deliver_next(&lines[which]);
	return true;
}

static void open_line(struct line *line, int modem_port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	line->modem_port = modem_port;
	STAILQ_INIT(&line->waiting);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, 1) < 0)
		err(EXIT_FAILURE, "listen");
	getsockname(fd, (struct sockaddr *)&address, &length);
	printf("%d ", ntohs(address.sin_port));
	watch(line, END_LISTENER, fd);
	watch(line, END_TIMER, timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
}

int main(int argc, char **argv)
{
	struct epoll_event events[EVENTS_MAX];
	int first = 1;

	setvbuf(stdin, NULL, _IONBF, 0); /* data that epoll does not report is not read */
	if (argc > 3 && strcmp(argv[1], "--delay-ms") == 0) {
		delay_ms = atoi(argv[2]);
		first = 3;
	}
	epoll = epoll_create1(EPOLL_CLOEXEC);
	for (; first < argc && line_count < LINES_MAX; first++)
		open_line(&lines[line_count++], atoi(argv[first]));
	puts("");
	fflush(stdout);
	epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO,
		  &(struct epoll_event){ .events = EPOLLIN, .data.ptr = NULL });
	for (;;) {
		int ready = epoll_wait(epoll, events, EVENTS_MAX, -1);

		for (int i = 0; i < ready; i++)
			if (events[i].data.ptr)
				on_event(events[i].data.ptr);
			else if (!on_stdin())
				return EXIT_SUCCESS;
	}
}
