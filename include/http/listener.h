/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listener: one address we listen on, with the libmicrohttpd daemon behind it.
 */
#ifndef HTTP_LISTENER_H
#define HTTP_LISTENER_H

#include <microhttpd.h>
#include <stdint.h>

#include "base/config.h"
#include "http/connection.h"
#include "http/pump.h"

/* does not move while it is open */
struct listener {
	struct MHD_Daemon *daemon;
	struct pump pump;
	struct connection_home home;
	uint16_t port;
};

/*
 * `text`: "127.0.0.1:9531", "[::1]:9531". Who connects waits until listener_serve().
 * -errno with the error's text.
 */
int listener_open(struct listener *listener, struct connections *connections,
		  const char *text, struct config_error *error);
int listener_serve(struct listener *listener);	  /* -errno */
void listener_quiesce(struct listener *listener); /* takes no new connection */
/* Closes what is left; no exchange waits any more (connections_abandon()). */
void listener_close(struct listener *listener);

#endif
