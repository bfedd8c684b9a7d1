/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct drain {
	struct drains *drains;
	sd_event_source *readable;
	int fd;
	size_t left;
	struct deadline deadline;
	LIST_ENTRY(drain) link;
};

static void drain_free(struct drain *drain)
{
	struct drains *drains = drain->drains;

	deadline_clear(drains->deadlines, &drain->deadline);
	sd_event_source_disable_unref(drain->readable);
	LIST_REMOVE(drain, link);
	drains->count--;
	close(drain->fd);
	free(drain);
}

static int on_readable(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct drain *drain = data;
	/* of TCP, MSG_TRUNC throws away without copying: tcp(7) */
	ssize_t length = recv(fd, NULL, drain->left, MSG_DONTWAIT | MSG_TRUNC);

	(void)source;
	(void)events;
	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (length <= 0 || (size_t)length >= drain->left)
		drain_free(drain);
	else
		drain->left -= (size_t)length;
	return 0;
}

static void on_expired(struct deadline *deadline)
{
	drain_free((struct drain *)((char *)deadline - offsetof(struct drain, deadline)));
}

void drains_init(struct drains *drains, sd_event *loop, struct deadlines *deadlines)
{
	*drains = (struct drains){ .loop = loop, .deadlines = deadlines };
	LIST_INIT(&drains->list);
}

void drains_deinit(struct drains *drains)
{
	struct drain *drain;

	while ((drain = LIST_FIRST(&drains->list)))
		drain_free(drain);
}

void drain_start(struct drains *drains, int fd)
{
	struct drain *drain;

	if (drains->count == DRAINS_MAX)
		return;
	drain = calloc(1, sizeof(*drain));
	if (!drain)
		return;
	drain->drains = drains;
	drain->left = DRAIN_BYTES_MAX;
	drain->deadline.expired = on_expired;
	drain->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (drain->fd < 0 || sd_event_add_io(drains->loop, &drain->readable, drain->fd,
					     EPOLLIN, on_readable, drain) < 0) {
		if (drain->fd >= 0)
			close(drain->fd);
		free(drain);
		return;
	}
	drains->count++;
	LIST_INSERT_HEAD(&drains->list, drain, link);
	deadline_set(drains->deadlines, &drain->deadline, DEADLINE_DRAIN);
}
