/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Advertisement: what the local network is told of the gateway (bus/avahi.h), and why not.
 *
 * Off unless server.advertise says yes. Told is only what is so: the ports that are open to
 * the network now, on the interfaces on which they are served, with TLS where they speak it.
 * So nothing is told before a client is paired or after the last one has gone, of loopback
 * addresses, or on mobile data (tests/integration/test_mdns.py).
 */
#ifndef GATEWAY_ADVERTISEMENT_H
#define GATEWAY_ADVERTISEMENT_H

#include <stdbool.h>

#include "bus/avahi.h"
#include "http/http_server.h"
#include "http/network_interface.h"

struct config;

/* all zero before advertisement_start() */
struct advertisement {
	sd_event *loop; /* NULL: not started */
	const struct config *config;
	struct http_server *server;
	struct network_interfaces interfaces;
	struct network_interface_watch watch;
	bool complained;     /* that there can be no watch */
	struct avahi *avahi; /* NULL: nothing is to be told */
	const char *reason;  /* why not */
	char text[320];
};

/* The server serves from now on. */
void advertisement_start(struct advertisement *advertisement, sd_event *loop,
			 const struct config *config, struct http_server *server);
/* Takes back what was told. Fine when it was not started. */
void advertisement_stop(struct advertisement *advertisement);
/* To be called when the configuration may be another. */
void advertisement_review(struct advertisement *advertisement);

/* Is it told? `text_out`: as what, or why not; lives until the next call. */
bool advertisement_told(struct advertisement *advertisement, const char **text_out);

#endif
