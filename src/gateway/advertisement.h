/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Advertisement: the mDNS service that tells the local network about the gateway
 * (bus/avahi.h), or the reason why there is none.
 *
 * Off unless server.advertise is on.  Only reachable ports are advertised: those open to the
 * network now, on the interfaces on which they are served, with TLS where they use it.  So
 * nothing is advertised before a client is paired or after the last one is revoked, for
 * loopback addresses, or on mobile data (tests/integration/test_mdns.py).
 */
#ifndef GATEWAY_ADVERTISEMENT_H
#define GATEWAY_ADVERTISEMENT_H

#include <stdbool.h>

#include "bus/avahi.h"
#include "http/http_server.h"
#include "http/network_interface.h"

struct config;
struct explanation;

/* All zero before advertisement_start(). */
struct advertisement {
	sd_event *loop; /* NULL: not started */
	const struct config *config;
	struct http_server *server;
	struct network_interfaces interfaces;
	struct network_interface_watch watch;
	bool warned;	     /* that network changes go unnoticed */
	struct avahi *avahi; /* NULL: nothing to advertise */
	const char *reason;  /* why nothing is advertised */
	char text[320];
};

/* Call when the server starts to serve. */
void advertisement_start(struct advertisement *advertisement, sd_event *loop,
			 const struct config *config, struct http_server *server);
/* Withdraws the service. Fine when it was not started. */
void advertisement_stop(struct advertisement *advertisement);
/* Call when the configuration may have changed. */
void advertisement_review(struct advertisement *advertisement);

/*
 * True: advertised. `text_out`: the name, or why it is not advertised; valid until the next
 * call.
 */
bool advertisement_describe(struct advertisement *advertisement, const char **text_out);

#endif
