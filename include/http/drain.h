/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drain: lets a refused peer read why.
 *
 * Closing a socket that has unread bytes resets the connection, and the peer, still sending
 * its body, loses the answer that told it to stop. So a second descriptor keeps the socket
 * open a moment, and what comes in is thrown away, within bounds of number, bytes and time.
 */
#ifndef HTTP_DRAIN_H
#define HTTP_DRAIN_H

#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "http/deadline.h"

enum {
	DRAINS_MAX = 16,
	DRAIN_BYTES_MAX = 1024 * 1024,
};

struct drains {
	sd_event *loop;
	struct deadlines *deadlines; /* borrowed */
	unsigned count;
	LIST_HEAD(drain_list, drain) list;
};

void drains_init(struct drains *drains, sd_event *loop, struct deadlines *deadlines);
void drains_deinit(struct drains *drains);
/* `fd` stays the caller's, who is about to close it. Out of means: does nothing. */
void drain_start(struct drains *drains, int fd);

#endif
