/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Transport: the socket of one connection, with or without TLS. Nothing here blocks.
 */
#ifndef HTTP_TRANSPORT_H
#define HTTP_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct gnutls_session_int;

/* embedded in its owner */
struct transport {
	int fd;				/* -1: closed */
	struct gnutls_session_int *tls; /* NULL: none */
	bool encrypted;			/* also after it was closed */
	bool shaken;			/* the handshake is over, or there is none */
};

/* Takes `fd`, also when it fails. -errno */
int transport_init(struct transport *transport, int fd, bool tls);
/* Closes the socket at once; once more is fine. */
void transport_close(struct transport *transport);

/* 0: over; -EAGAIN; another -errno: it failed. */
int transport_shake(struct transport *transport);

/* Bytes; 0: the peer sends no more; -EAGAIN; another -errno: broken. */
ssize_t transport_read(struct transport *transport, void *data, size_t length);
/*
 * Bytes, perhaps fewer than `length`; -EAGAIN; another -errno: broken. After -EAGAIN the same bytes
 * are to be written next.
 */
ssize_t transport_write(struct transport *transport, const void *data, size_t length);
/* Nothing more will be written; what was written still goes out. */
void transport_finish(struct transport *transport);

#endif
