/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load: sends requests again and again on a number of connections, and reports the result.
 *
 * One thread, one epoll. Each connection has one request in flight; requests come from stdin,
 * separated by NUL, and are sent in turn. Each run of ten "#" becomes a number that no other
 * request has. An answer is good if its status is 200, its length is right and, unless --static,
 * it has that number as its "id": near its beginning, or with --id-last at its end. The warm-up
 * is not counted. With --pid it also reports the CPU time of that process. It prints one line of
 * JSON.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "histogram.h"

enum {
	REQUESTS_MAX = 64,
	REQUEST_BYTES_MAX = 2048,
	ANSWER_BYTES_MAX = 128 * 1024,
	MARKS_MAX = 4,
	ID_DIGITS = 10,
	EVENTS_MAX = 64,
	PATIENCE_MS = 30 * 1000, /* without any answer */
	SPINS_MAX = 50 * 1000 * 1000,
};

#define MARK "##########"

static struct {
	int port;
	int connections;
	double seconds, warm_up_seconds;
	uint64_t count; /* 0: as many as time allows */
	pid_t pid;
	bool is_static, id_last, spins;
} options = { .connections = 1 };

struct request {
	char text[REQUEST_BYTES_MAX];
	size_t length;
	size_t marks[MARKS_MAX];
	size_t mark_count;
};

static struct request requests[REQUESTS_MAX];
static size_t request_count;

struct connection {
	int fd;
	struct request *request;
	uint64_t id;
	uint64_t began_ns;
	size_t received;
	size_t expected; /* of the complete answer; 0 while its head is incomplete */
	bool is_chunked; /* ends with the empty chunk */
};

static struct {
	uint64_t began_ns, ended_ns;
	uint64_t cpu_ns;
	uint64_t sent, answered, bad;
	struct histogram times_ns;
} result;

static char answer[ANSWER_BYTES_MAX + 1]; /* of the connections in turn */
static uint64_t next_id = 1000000000;
static bool is_measuring;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) < 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t server_cpu_ns(void)
{
	clockid_t clock;

	if (!options.pid || clock_getcpuclockid(options.pid, &clock) != 0)
		return 0;
	return now_ns(clock);
}

static void send_request(struct connection *connection)
{
	struct request *request = connection->request;
	char digits[ID_DIGITS + 1];

	connection->id = next_id++;
	connection->received = connection->expected = 0;
	connection->is_chunked = false;
	snprintf(digits, sizeof(digits), "%010llu", (unsigned long long)connection->id);
	for (size_t i = 0; i < request->mark_count; i++)
		memcpy(request->text + request->marks[i], digits, ID_DIGITS);
	connection->began_ns = now_ns(CLOCK_MONOTONIC);
	if (send(connection->fd, request->text, request->length, MSG_NOSIGNAL) !=
	    (ssize_t)request->length)
		err(EXIT_FAILURE, "send");
	result.sent++;
}

/* Only the head is read while the rest may still arrive. */
static void read_head(struct connection *connection)
{
	const char *end, *length;

	answer[connection->received] = '\0';
	end = strstr(answer, "\r\n\r\n");
	if (!end)
		return;
	length = strcasestr(answer, "\r\nTransfer-Encoding: chunked");
	connection->is_chunked = length && length < end;
	if (connection->is_chunked) {
		connection->expected = ANSWER_BYTES_MAX;
		return;
	}
	length = strcasestr(answer, "\r\nContent-Length:");
	if (!length || length > end)
		errx(EXIT_FAILURE, "an answer without a length: %.200s", answer);
	connection->expected =
		(size_t)(end + 4 - answer) + strtoul(length + 17, NULL, 10);
	if (connection->expected > ANSWER_BYTES_MAX)
		errx(EXIT_FAILURE, "an answer is too long");
}

/* Nobody requests a second answer before this one is complete, so it ends the received
 * data. */
static void look_for_end(struct connection *connection)
{
	static const char last[] = "\r\n0\r\n\r\n";
	size_t length = sizeof(last) - 1;

	if (connection->is_chunked &&
	    memcmp(answer + connection->received - length, last, length) == 0)
		connection->expected = connection->received;
}

/* One tool's answer is one chunk; "isError" may be anywhere in it. */
static bool is_good_with_id_last(const struct connection *connection)
{
	char end[64];

	snprintf(end, sizeof(end), ",\"jsonrpc\":\"2.0\",\"id\":%llu}\r\n0\r\n\r\n",
		 (unsigned long long)connection->id);
	return strstr(answer, "\r\n{\"result\":{") && strstr(answer, end) &&
	       !strstr(answer, "\"isError\":true");
}

/* The ID comes before the result and "isError" last. What lies between is not searched:
 * that would cost more than the answer. */
static bool is_good(const struct connection *connection)
{
	static const char failed[] = "\"isError\":true}}";
	const char *body = strstr(answer, "\r\n\r\n") + 4;
	const char *end = answer + connection->received;
	char begin[64];
	int length;

	if (connection->received != connection->expected ||
	    strncmp(answer, "HTTP/1.1 200 ", 13) != 0)
		return false;
	if (options.is_static)
		return true;
	if (options.id_last)
		return is_good_with_id_last(connection);
	length = snprintf(begin, sizeof(begin),
			  "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{",
			  (unsigned long long)connection->id);
	return strncmp(body, begin, (size_t)length) == 0 &&
	       strcmp(end - (sizeof(failed) - 1), failed) != 0;
}

static void finish_answer(struct connection *connection)
{
	bool good = is_good(connection);

	if (!good && !result.bad)
		warnx("no good answer: %.600s", answer);
	if (is_measuring) {
		result.answered++;
		histogram_add(&result.times_ns,
			      now_ns(CLOCK_MONOTONIC) - connection->began_ns);
	}
	result.bad += !good;
}

/* Answers arrive at once or in a few pieces that follow directly. So one buffer serves
 * all connections, and we wait for the rest of an answer. */
static void receive_answer(struct connection *connection)
{
	while (!connection->expected || connection->received < connection->expected) {
		ssize_t got = recv(connection->fd, answer + connection->received,
				   ANSWER_BYTES_MAX - connection->received, 0);

		if (got <= 0)
			errx(EXIT_FAILURE, "the server left after %zu bytes: %s",
			     connection->received, got ? strerror(errno) : "closed");
		connection->received += (size_t)got;
		if (!connection->expected)
			read_head(connection);
		look_for_end(connection);
	}
	answer[connection->received] = '\0';
	finish_answer(connection);
}

static void open_connection(int epoll, struct connection *connection, size_t place)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)options.port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = connection };

	connection->request = &requests[place % request_count];
	connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connection->fd < 0 ||
	    connect(connection->fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		err(EXIT_FAILURE, "connect");
	setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	epoll_ctl(epoll, EPOLL_CTL_ADD, connection->fd, &event);
}

static void start_measuring(void)
{
	is_measuring = true;
	result.cpu_ns = server_cpu_ns();
	result.began_ns = now_ns(CLOCK_MONOTONIC);
}

static bool is_over(uint64_t now, uint64_t started_ns)
{
	if (options.count)
		return result.sent >= options.count;
	if (is_measuring)
		return (double)(now - result.began_ns) >= options.seconds * 1e9;
	if ((double)(now - started_ns) >= options.warm_up_seconds * 1e9)
		start_measuring();
	return false;
}

/* With --spin it never sleeps: waking a sleeper on another CPU costs the sender more than
 * all the rest of an answer, and a slow server would pay that more often. */
static int wait_for_answers(int epoll, struct epoll_event *events)
{
	int ready = 0;

	if (!options.spins)
		ready = epoll_wait(epoll, events, EVENTS_MAX, PATIENCE_MS);
	for (long turn = 0; options.spins && !ready && turn < SPINS_MAX; turn++)
		ready = epoll_wait(epoll, events, EVENTS_MAX, 0);
	if (ready <= 0)
		errx(EXIT_FAILURE, "no answer for too long");
	return ready;
}

static void run(int epoll, struct connection *all)
{
	uint64_t started_ns = now_ns(CLOCK_MONOTONIC);
	int under_way = options.connections;
	bool over = false;

	if (options.count)
		start_measuring();
	for (int i = 0; i < options.connections; i++) {
		open_connection(epoll, &all[i], (size_t)i);
		send_request(&all[i]);
	}
	while (under_way) {
		struct epoll_event events[EVENTS_MAX];
		int ready = wait_for_answers(epoll, events);

		for (int i = 0; i < ready; i++) {
			receive_answer(events[i].data.ptr);
			over = over || is_over(now_ns(CLOCK_MONOTONIC), started_ns);
			if (over)
				under_way--;
			else
				send_request(events[i].data.ptr);
		}
		if (over && !result.ended_ns) {
			result.ended_ns = now_ns(CLOCK_MONOTONIC);
			result.cpu_ns = server_cpu_ns() - result.cpu_ns;
			is_measuring = options.count > 0;
		}
	}
	if (options.count) { /* all of them count, so their end does */
		result.ended_ns = now_ns(CLOCK_MONOTONIC);
	}
}

static void find_marks(struct request *request)
{
	for (char *at = request->text; (at = strstr(at, MARK)); at += ID_DIGITS) {
		if (request->mark_count == MARKS_MAX)
			errx(EXIT_FAILURE, "too many marks");
		request->marks[request->mark_count++] = (size_t)(at - request->text);
	}
}

static void read_requests(void)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t length;

	while ((length = getdelim(&text, &room, '\0', stdin)) > 0) {
		struct request *request = &requests[request_count++];

		length = (ssize_t)strlen(text);
		if (request_count == REQUESTS_MAX || length >= REQUEST_BYTES_MAX)
			errx(EXIT_FAILURE, "requests are too many or too long");
		memcpy(request->text, text, (size_t)length);
		request->length = (size_t)length;
		find_marks(request);
	}
	free(text);
	if (!request_count)
		errx(EXIT_FAILURE, "no request on stdin");
}

static void read_options(int argc, char **argv)
{
	static const struct option known[] = {
		{ "port", required_argument, NULL, 'p' },
		{ "connections", required_argument, NULL, 'c' },
		{ "seconds", required_argument, NULL, 's' },
		{ "warm-up", required_argument, NULL, 'w' },
		{ "count", required_argument, NULL, 'n' },
		{ "pid", required_argument, NULL, 'i' },
		{ "static", no_argument, NULL, 'f' },
		{ "id-last", no_argument, NULL, 'l' },
		{ "spin", no_argument, NULL, 'b' },
		{ 0 },
	};
	int which;

	while ((which = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (which) {
		case 'p':
			options.port = atoi(optarg);
			break;
		case 'c':
			options.connections = atoi(optarg);
			break;
		case 's':
			options.seconds = atof(optarg);
			break;
		case 'w':
			options.warm_up_seconds = atof(optarg);
			break;
		case 'n':
			options.count = strtoull(optarg, NULL, 10);
			break;
		case 'i':
			options.pid = atoi(optarg);
			break;
		case 'f':
			options.is_static = true;
			break;
		case 'l':
			options.id_last = true;
			break;
		case 'b':
			options.spins = true;
			break;
		default:
			errx(EXIT_FAILURE, "usage: load --port P [--connections N] "
					   "--seconds S|--count N [--warm-up S] [--pid "
					   "P] [--static|--id-last] [--spin] < REQUEST");
		}
	}
}

int main(int argc, char **argv)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	read_options(argc, argv);
	read_requests();
	run(epoll, calloc((size_t)options.connections, sizeof(struct connection)));
	printf("{\"answers\": %llu, \"bad\": %llu, \"seconds\": %.6f, "
	       "\"server_cpu_us\": %.1f, \"p50_us\": %.1f, \"p99_us\": %.1f, \"max_us\": %.1f}\n",
	       (unsigned long long)result.answered, (unsigned long long)result.bad,
	       (double)(result.ended_ns - result.began_ns) / 1e9,
	       (double)result.cpu_ns / 1e3,
	       histogram_percentile(&result.times_ns, 0.50) / 1e3,
	       histogram_percentile(&result.times_ns, 0.99) / 1e3,
	       histogram_percentile(&result.times_ns, 1.00) / 1e3);
	return result.bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
