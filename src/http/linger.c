/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/connection.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct linger_socket {
	struct connections *connections;
	int fd;
	sd_event_source *input;
	size_t dropped_bytes;
	struct deadline deadline;
	LIST_ENTRY(linger_socket) link;
};

static void linger_end(struct linger_socket *linger)
{
	struct connections *all = linger->connections;

	LIST_REMOVE(linger, link);
	all->linger_count--;
	deadline_clear(&all->deadlines, &linger->deadline);
	sd_event_source_disable_unref(linger->input);
	close(linger->fd);
	free(linger);
}

static int linger_on_input(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct linger_socket *linger = data;
	char dropped[16 * 1024];
	ssize_t length;

	do {
		length = recv(fd, dropped, sizeof(dropped), MSG_DONTWAIT);
		if (length < 0 && errno == EAGAIN)
			return 0;
		linger->dropped_bytes += length > 0 ? (size_t)length : 0;
	} while (length > 0 && linger->dropped_bytes <= LINGER_BYTES_MAX);
	linger_end(linger);
	return 0;
}

static void linger_on_deadline(struct deadline *deadline)
{
	linger_end((struct linger_socket *)((char *)deadline -
					    offsetof(struct linger_socket, deadline)));
}

void linger_start(struct connections *all, int fd)
{
	struct linger_socket *linger = NULL;

	shutdown(fd, SHUT_WR);
	if (all->linger_count < LINGERS_MAX)
		linger = calloc(1, sizeof(*linger));
	if (!linger || sd_event_add_io(all->loop, &linger->input, fd, EPOLLIN,
				       linger_on_input, linger) < 0) {
		free(linger);
		close(fd);
		return;
	}
	linger->connections = all;
	linger->fd = fd;
	linger->deadline.expired = linger_on_deadline;
	LIST_INSERT_HEAD(&all->lingers, linger, link);
	all->linger_count++;
	deadline_set(&all->deadlines, &linger->deadline, DEADLINE_LINGER);
}

void lingers_close(struct connections *all)
{
	while (!LIST_EMPTY(&all->lingers))
		linger_end(LIST_FIRST(&all->lingers));
}
