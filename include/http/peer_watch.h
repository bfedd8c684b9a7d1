/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Peer watch: hears when the peer of a socket leaves, half or whole.
 *
 * All sockets share one source of the loop, behind which they have an epoll descriptor of
 * their own: a source for each would be as large as all else that a connection needs of us
 * (tests/bench/test_counts.py). Edge-triggered, so that nobody is told of twice, and
 * data that comes in wakes nobody.
 */
#ifndef HTTP_PEER_WATCH_H
#define HTTP_PEER_WATCH_H

#include <stdbool.h>
#include <systemd/sd-event.h>

struct peer_watch {
	int fd; /* of epoll; -1: none */
	sd_event_source *source;
	void (*left)(void *peer);
};

/* `left` hears whose peer has left; it may remove it and others. -errno */
int peer_watch_init(struct peer_watch *watch, sd_event *loop, void (*left)(void *peer));
void peer_watch_deinit(struct peer_watch *watch);

/* `peer` is whose socket it is. False: out of memory. */
bool peer_watch_add(struct peer_watch *watch, int fd, void *peer);
/* Before it is closed. */
void peer_watch_remove(struct peer_watch *watch, int fd);

#endif
