/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Transport: the peer's socket, with or without TLS. Nothing here blocks.
 *
 * Errors are negative errno values. -EAGAIN means: try again when the socket is ready.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

struct gnutls_session_int;
struct tls;

/* embedded in its owner */
struct transport {
	int fd;				/* -1: closed */
	struct gnutls_session_int *tls; /* NULL: no TLS */
	bool encrypted;			/* stays set after closing */
	bool handshaken; /* the TLS handshake is complete, or there is no TLS */
};

/* Takes ownership of `fd`, even on failure. `tls` NULL: without TLS. -errno */
int transport_init(struct transport *transport, int fd, struct tls *tls);
/* Closes the socket at once; may be called again. */
void transport_close(struct transport *transport);

/* Continues the TLS handshake. 0: complete; -EAGAIN; another -errno: it failed. */
int transport_handshake(struct transport *transport);

/* Returns the bytes read; 0: the peer sends no more; -EAGAIN; another -errno: broken. */
ssize_t transport_read(struct transport *transport, void *data, size_t length);
/*
 * Returns the bytes written, perhaps fewer than `length`; -EAGAIN; another -errno: broken. After
 * -EAGAIN the caller must write the same bytes next (GnuTLS requires it).
 */
ssize_t transport_write(struct transport *transport, const void *data, size_t length);
/* Shuts down the sending side; what was written still goes out. */
void transport_finish(struct transport *transport);

/* Bytes that a socket could not take yet, or that nobody has read yet. All zero: none. */
struct transport_bytes {
	char *data; /* NULL: none */
	size_t at, length;
};

/* Appends a copy. False: no memory, nothing changed. */
bool transport_bytes_append(struct transport_bytes *bytes, const char *data,
			    size_t length);
/* Overwrites and frees them. */
void transport_bytes_clear(struct transport_bytes *bytes);

/*
 * Socket poll: watches the sockets of all connections through one epoll descriptor.
 *
 * One sd-event source per socket would take as much memory as the rest of an idle connection
 * (tests/bench/test_figures.py). The poll is edge-triggered: an end stays `readable` until a read
 * returns EAGAIN, so no system call is needed to change what is watched.
 */

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

/* Dispatches what has happened until now, at up to that many ends; not from within `ready`. */
void socket_poll_look(struct socket_poll *poll, unsigned ends);

/* `end` must not move until it is removed. -errno */
int socket_poll_add(struct socket_poll *poll, struct socket_poll_end *end, int fd,
		    void *owner);
/* Call this after a write returned EAGAIN: `ready` runs once there is room again. */
void socket_poll_want_write(struct socket_poll *poll, struct socket_poll_end *end);
/* Call this before closing the socket; may be called again. */
void socket_poll_remove(struct socket_poll *poll, struct socket_poll_end *end);
