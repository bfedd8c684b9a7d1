/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/transport.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { SOCKET_POLL_BATCH = 32 }; /* the rest follows in the next turn of the loop */

static void socket_poll_set_events(const struct socket_poll *poll,
				   struct socket_poll_end *end, uint32_t more)
{
	struct epoll_event event = { EPOLLIN | EPOLLRDHUP | EPOLLET | more,
				     { .ptr = end } };

	epoll_ctl(poll->fd, EPOLL_CTL_MOD, end->fd, &event);
}

/* True: the batch was full, and more may be left. */
static bool socket_poll_run_batch(struct socket_poll *poll)
{
	struct epoll_event batch[SOCKET_POLL_BATCH];
	int count = epoll_wait(poll->fd, batch, SOCKET_POLL_BATCH, 0);

	poll->in_batch = true;
	for (int at = 0; at < count; at++) {
		struct socket_poll_end *end = batch[at].data.ptr;
		uint32_t got = batch[at].events;

		if (end->fd < 0)
			continue; /* an earlier event of this batch removed it */
		end->readable |=
			(got & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
		end->hung_up |= (got & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
		if (got & EPOLLOUT)
			socket_poll_set_events(poll, end, 0);
		poll->ready(end->owner);
	}
	poll->in_batch = false;
	poll->batch_done(poll->data);
	return count == SOCKET_POLL_BATCH;
}

static int socket_poll_on_events(sd_event_source *source, int fd, uint32_t events,
				 void *data)
{
	socket_poll_run_batch(data);
	return 0;
}

void socket_poll_look(struct socket_poll *poll, unsigned ends)
{
	for (unsigned seen = 0; seen < ends && socket_poll_run_batch(poll);)
		seen += SOCKET_POLL_BATCH;
}

int socket_poll_init(struct socket_poll *poll, sd_event *loop, void (*ready)(void *owner),
		     void (*batch_done)(void *data), void *data)
{
	*poll = (struct socket_poll){
		.fd = epoll_create1(EPOLL_CLOEXEC),
		.ready = ready,
		.batch_done = batch_done,
		.data = data,
	};
	if (poll->fd < 0)
		return -errno;
	return sd_event_add_io(loop, &poll->source, poll->fd, EPOLLIN,
			       socket_poll_on_events, poll);
}

void socket_poll_deinit(struct socket_poll *poll)
{
	poll->source = sd_event_source_disable_unref(poll->source);
	if (poll->fd >= 0)
		close(poll->fd);
	poll->fd = -1;
}

int socket_poll_add(struct socket_poll *poll, struct socket_poll_end *end, int fd,
		    void *owner)
{
	struct epoll_event event = { EPOLLIN | EPOLLRDHUP | EPOLLET, { .ptr = end } };

	*end = (struct socket_poll_end){ .fd = fd, .owner = owner };
	if (epoll_ctl(poll->fd, EPOLL_CTL_ADD, fd, &event) == 0)
		return 0;
	end->fd = -1;
	return -errno;
}

void socket_poll_want_write(struct socket_poll *poll, struct socket_poll_end *end)
{
	socket_poll_set_events(poll, end, EPOLLOUT);
}

void socket_poll_remove(struct socket_poll *poll, struct socket_poll_end *end)
{
	if (end->fd >= 0)
		epoll_ctl(poll->fd, EPOLL_CTL_DEL, end->fd, NULL);
	end->fd = -1;
}
