/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exposure: the network sees no open port while nobody has a token.
 *
 * Tells the server whether there are clients. While there is none, and an address is
 * configured that the network can reach, the store is asked every EXPOSURE_MS, for `pair` is
 * another program. That the last one has gone is noticed when a token is refused; who
 * revokes one calls exposure_review() and it is so at once
 * (tests/integration/test_network.py::test_nobody_can_connect_before_the_first_client and
 * ::test_it_closes_with_the_last_client_and_opens_again).
 */
#ifndef GATEWAY_EXPOSURE_H
#define GATEWAY_EXPOSURE_H

#include <systemd/sd-event.h>

#include "base/client.h"
#include "http/http_server.h"
#include "store/store_client.h"

enum { EXPOSURE_MS = 2000 };

struct exposure {
	struct http_server *server; /* NULL: not begun */
	struct store *store;
	sd_event_source *timer;
	bool has_clients;
};

/* For struct auth: store_client_find(), and looks who is left when that finds nobody. */
bool exposure_find(void *data, const uint8_t hash[CLIENT_HASH_BYTES],
		   struct client *client_out);

/* -errno; `store` is set before, so that exposure_find() works. */
int exposure_init(struct exposure *exposure, sd_event *loop, struct http_server *server);
void exposure_deinit(struct exposure *exposure);
/* To be called whenever a client came or went. */
void exposure_review(struct exposure *exposure);

#endif
