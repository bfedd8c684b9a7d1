/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Socket poll: watches the sockets of all connections through one epoll descriptor.
 *
 * One sd-event source per socket would take as much memory as the rest of an idle connection
 * (tests/bench/test_counts.py). The poll is edge-triggered: an end stays `readable` until a read
 * returns EAGAIN, so no system call is needed to change what is watched.
 */
#ifndef HTTP_SOCKET_POLL_H
#define HTTP_SOCKET_POLL_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

struct socket_poll_end {
	int fd; /* -1: none */
	bool readable;
	bool hung_up; /* the other side sends no more; unread bytes may be left */
	void *owner;
};

struct socket_poll {
	int fd; /* of epoll; -1: none */
	sd_event_source *source;
	bool in_batch; /* events are being dispatched */
	void (*ready)(void *owner);
	void (*batch_done)(void *data);
	void *data;
};

/*
 * `ready` runs for each end with an event, `batch_done` after a batch of them; owners must live
 * at least until then. -errno
 */
int socket_poll_init(struct socket_poll *poll, sd_event *loop, void (*ready)(void *owner),
		     void (*batch_done)(void *data), void *data);
void socket_poll_deinit(struct socket_poll *poll);

/* `end` must not move until it is removed. -errno */
int socket_poll_add(struct socket_poll *poll, struct socket_poll_end *end, int fd,
		    void *owner);
/* Call this after a write returned EAGAIN: `ready` runs once there is room again. */
void socket_poll_want_write(struct socket_poll *poll, struct socket_poll_end *end);
/* Call this before closing the socket; may be called again. */
void socket_poll_remove(struct socket_poll *poll, struct socket_poll_end *end);

#endif
