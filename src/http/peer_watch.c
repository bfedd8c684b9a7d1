/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/peer_watch.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { AT_ONCE = 64 }; /* the rest in the next turn of the loop */

/* One by one, for `left` may remove who would be next. */
static int on_left(sd_event_source *source, int fd, uint32_t events, void *data)
{
	const struct peer_watch *watch = data;
	struct epoll_event event;

	(void)source;
	(void)events;
	for (int i = 0; i < AT_ONCE && epoll_wait(fd, &event, 1, 0) == 1; i++)
		watch->left(event.data.ptr);
	return 0;
}

int peer_watch_init(struct peer_watch *watch, sd_event *loop, void (*left)(void *peer))
{
	*watch = (struct peer_watch){ epoll_create1(EPOLL_CLOEXEC), NULL, left };
	if (watch->fd < 0)
		return -errno;
	return sd_event_add_io(loop, &watch->source, watch->fd, EPOLLIN, on_left, watch);
}

void peer_watch_deinit(struct peer_watch *watch)
{
	watch->source = sd_event_source_disable_unref(watch->source);
	if (watch->fd >= 0)
		close(watch->fd);
	watch->fd = -1;
}

bool peer_watch_add(struct peer_watch *watch, int fd, void *peer)
{
	struct epoll_event event = { EPOLLRDHUP | EPOLLET, { .ptr = peer } };

	return epoll_ctl(watch->fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

void peer_watch_remove(struct peer_watch *watch, int fd)
{
	epoll_ctl(watch->fd, EPOLL_CTL_DEL, fd, NULL);
}
