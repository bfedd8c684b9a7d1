/* SPDX-License-Identifier: GPL-2.0-or-later */
/* raw PORT < ANSWER: the least that a server can do, which shows what the machine allows.
 * One thread, one epoll: each piece of input is answered with the same bytes. It prints
 * "ready" when it listens. */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_BYTES_MAX = 128 * 1024, EVENTS_MAX = 64, BACKLOG = 64 };

static char answer[ANSWER_BYTES_MAX];
static size_t answer_length;

static int listen_on(uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, BACKLOG) < 0)
		err(EXIT_FAILURE, "port %u", port);
	return fd;
}

static void watch(int epoll, int fd)
{
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd,
		  &(struct epoll_event){ .events = EPOLLIN, .data.fd = fd });
}

static void accept_one(int epoll, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	watch(epoll, fd);
}

static void answer_one(int fd)
{
	static char request[64 * 1024];

	if (recv(fd, request, sizeof(request), 0) <= 0 ||
	    send(fd, answer, answer_length, MSG_NOSIGNAL) != (ssize_t)answer_length)
		close(fd);
}

int main(int argc, char **argv)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event events[EVENTS_MAX];
	int listener;

	if (argc != 2)
		errx(EXIT_FAILURE, "usage: raw PORT < ANSWER");
	answer_length = fread(answer, 1, sizeof(answer), stdin);
	listener = listen_on((uint16_t)atoi(argv[1]));
	watch(epoll, listener);
	puts("ready");
	fflush(stdout);
	for (;;) {
		int ready = epoll_wait(epoll, events, EVENTS_MAX, -1);

		for (int i = 0; i < ready; i++)
			if (events[i].data.fd == listener)
				accept_one(epoll, listener);
			else
				answer_one(events[i].data.fd);
	}
}
