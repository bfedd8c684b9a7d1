/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/socket_poll.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { BATCH = 32 }; /* the rest in the next turn of the loop */

static void set_events(const struct socket_poll *poll, struct socket_end *end,
		       uint32_t more)
{
	struct epoll_event event = { EPOLLIN | EPOLLRDHUP | EPOLLET | more,
				     { .ptr = end } };

	epoll_ctl(poll->fd, EPOLL_CTL_MOD, end->fd, &event);
}

static void take(const struct socket_poll *poll, struct socket_end *end, uint32_t events)
{
	end->readable |= (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
	end->left |= (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
	if (events & EPOLLOUT)
		set_events(poll, end, 0);
}

static int on_ready(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct socket_poll *poll = data;
	struct epoll_event batch[BATCH];
	int count = epoll_wait(fd, batch, BATCH, 0);

	(void)source;
	(void)events;
	poll->serving = true;
	for (int at = 0; at < count; at++) {
		struct socket_end *end = batch[at].data.ptr;

		if (end->fd < 0)
			continue; /* removed by one before it */
		take(poll, end, batch[at].events);
		poll->ready(end->owner);
	}
	poll->serving = false;
	poll->settle(poll->data);
	return 0;
}

int socket_poll_init(struct socket_poll *poll, sd_event *loop, void (*ready)(void *owner),
		     void (*settle)(void *data), void *data)
{
	*poll = (struct socket_poll){
		.fd = epoll_create1(EPOLL_CLOEXEC),
		.ready = ready,
		.settle = settle,
		.data = data,
	};
	if (poll->fd < 0)
		return -errno;
	return sd_event_add_io(loop, &poll->source, poll->fd, EPOLLIN, on_ready, poll);
}

void socket_poll_deinit(struct socket_poll *poll)
{
	poll->source = sd_event_source_disable_unref(poll->source);
	if (poll->fd >= 0)
		close(poll->fd);
	poll->fd = -1;
}

int socket_poll_add(struct socket_poll *poll, struct socket_end *end, int fd, void *owner)
{
	struct epoll_event event = { EPOLLIN | EPOLLRDHUP | EPOLLET, { .ptr = end } };

	*end = (struct socket_end){ .fd = fd, .owner = owner };
	if (epoll_ctl(poll->fd, EPOLL_CTL_ADD, fd, &event) == 0)
		return 0;
	end->fd = -1;
	return -errno;
}

void socket_poll_want_write(struct socket_poll *poll, struct socket_end *end)
{
	set_events(poll, end, EPOLLOUT);
}

void socket_poll_remove(struct socket_poll *poll, struct socket_end *end)
{
	if (end->fd >= 0)
		epoll_ctl(poll->fd, EPOLL_CTL_DEL, end->fd, NULL);
	end->fd = -1;
}
