/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Socket poll: hears of all sockets of all connections through one descriptor.
 *
 * A source of the event loop for each socket would be as large as all else that an idle
 * connection needs (tests/bench/test_counts.py). It is edge-triggered: an end stays readable
 * until a read says EAGAIN, so no system call is needed to change what is wanted.
 */
#ifndef HTTP_SOCKET_POLL_H
#define HTTP_SOCKET_POLL_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

struct socket_end {
	int fd; /* -1: none */
	bool readable;
	bool left; /* the peer sends no more; there may be something left to read */
	void *owner;
};

struct socket_poll {
	int fd; /* of epoll; -1: none */
	sd_event_source *source;
	bool serving; /* a batch */
	void (*ready)(void *owner);
	void (*settle)(void *data); /* after a batch */
	void *data;
};

/*
 * `ready` hears that an end of `owner` has changed; `settle` runs after several of these: owners
 * live at least until then. -errno
 */
int socket_poll_init(struct socket_poll *poll, sd_event *loop, void (*ready)(void *owner),
		     void (*settle)(void *data), void *data);
void socket_poll_deinit(struct socket_poll *poll);

/* It does not move until it is removed. -errno */
int socket_poll_add(struct socket_poll *poll, struct socket_end *end, int fd,
		    void *owner);
/* A write said EAGAIN: `ready` hears when there is room again. */
void socket_poll_want_write(struct socket_poll *poll, struct socket_end *end);
/* Before it is closed; once more is fine. */
void socket_poll_remove(struct socket_poll *poll, struct socket_end *end);

#endif
