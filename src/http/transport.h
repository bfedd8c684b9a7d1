/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Transport: the peer's socket, with or without TLS. Nothing here blocks.
 *
 * Errors are negative errno values. -EAGAIN means: try again when the socket is ready.
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
	struct gnutls_session_int *tls; /* NULL: no TLS */
	bool encrypted;			/* stays set after closing */
	bool handshaken; /* the TLS handshake is complete, or there is no TLS */
};

/* Takes ownership of `fd`, even on failure. -errno */
int transport_init(struct transport *transport, int fd, bool tls);
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

#endif
