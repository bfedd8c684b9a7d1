/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Avahi: advertises the gateway on the local network by multicast DNS, through Avahi's D-Bus
 * interface.
 *
 * The service has the type _mcp._tcp, the name "ofono-mcp on HOST" and a TXT record with
 * txtvers, path, proto and auth, on the requested interfaces only. It exists for as long as
 * this object: Avahi withdraws what belongs to a connection that ends.
 *
 * It has a bus connection of its own: without advertising there is no match rule, Avahi
 * cannot take places of the calls to oFono, and closing it withdraws everything at once.
 * Nothing is polled, and no call has a time limit: when a bus or an Avahi is absent, hangs or
 * restarts, its signals say when to go on.
 *
 * (tests/integration/test_mdns.py, tests/unit/test_avahi.c)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

enum {
	AVAHI_PLACES_MAX = 16,
	AVAHI_NAMES_MAX = 16, /* tried when others have ours */
};

struct avahi_place {
	int interface; /* its index */
	int family;    /* AF_INET, AF_INET6 */
	uint16_t port;
	bool tls;
};

struct avahi_offer {
	size_t count;
	struct avahi_place places[AVAHI_PLACES_MAX];
};

struct avahi;

/*
 * `address` is that of the bus, as for bus_new(). Returns 0 or -errno, the latter only if memory
 * runs out.
 */
int avahi_new(sd_event *loop, const char *address, const struct avahi_offer *offer,
	      struct avahi **avahi_out);
/* Withdraws everything. NULL is fine. */
void avahi_free(struct avahi *avahi);
/* Replaces the offer. The same offer changes nothing, but is retried if it has failed. */
void avahi_set_offer(struct avahi *avahi, const struct avahi_offer *offer);

/* Returns the service's name while it is published; else NULL. */
const char *avahi_published_name(const struct avahi *avahi);
/* Returns what is going on, in words. */
const char *avahi_status(const struct avahi *avahi);
/* Returns what Avahi calls this machine, "phone.local"; "" if not known yet. */
const char *avahi_host(const struct avahi *avahi);
