/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listener: one address we listen on.
 */
#ifndef HTTP_LISTENER_H
#define HTTP_LISTENER_H

#include <stdint.h>

#include "base/address.h"
#include "base/explanation.h"
#include "base/log_pace.h"
#include "http/connections.h"
#include "http/handed_sockets.h"

/*
 * Does not move while it is open. The socket of one that was handed over is never closed
 * before the end: while the listener is closed, who connects there waits.
 */
struct listener {
	struct connections *connections;
	sd_event_source *accepting; /* NULL: closed, nobody can connect */
	sd_event_source *retry;	    /* after a moment without descriptors */
	struct log_pace pace;	    /* of what the system lacks */
	struct address address;
	int fd; /* -1: it has not the address */
	uint16_t port;
	bool handed;  /* its socket listens already, and outlives it: see adopt */
	bool network; /* others than this machine could reach it */
	bool tls;
};

/*
 * Binds the address, so that one that is taken or not there is told, but does not listen:
 * who connects is refused. `text`: "127.0.0.1:9531", "[::1]:9531". -errno with the error's text.
 */
int listener_init(struct listener *listener, struct connections *connections,
		  const char *text, struct explanation *error);
/* The same for a socket that was handed over; it is the listener's now. */
void listener_adopt(struct listener *listener, struct connections *connections,
		    const struct handed_socket *socket);
/*
 * It is to speak TLS: a certificate is there (http/tls.h), and it is not of loopback, or
 * config->tls_loopback says that these do, too.
 */
bool listener_wants_tls(const struct listener *listener);
/* Listens. Who connects waits until listener_serve(). -errno with the error's text. */
int listener_open(struct listener *listener, struct explanation *error);
bool listener_is_open(const struct listener *listener);
int listener_serve(struct listener *listener); /* -errno */
/* Takes no new connection; those that came stay (connections_close()). It can be opened again. */
void listener_close(struct listener *listener);
void listener_deinit(struct listener *listener); /* closed; gives the address back */

#endif
