/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Avahi: tells the local network of us by multicast DNS, through Avahi's D-Bus interface.
 *
 * A service of the type _mcp._tcp, "ofono-mcp on HOST", with a TXT record of txtvers, path,
 * proto and auth, on the interfaces that are asked for and no other. It stays for as long
 * as this object lives: Avahi takes back what belongs to a connection that ends.
 *
 * It has a connection to the bus of its own, for who does not advertise then has no match
 * rule more; Avahi cannot take room in the window of calls to oFono; and to close it is a
 * withdrawal that cannot be half done. Nothing is polled, and no call has a time limit: a
 * bus or an Avahi that is absent, hangs or restarts is waited for by its signals.
 *
 * (tests/integration/test_mdns.py, tests/unit/test_avahi.c)
 */
#ifndef BUS_AVAHI_H
#define BUS_AVAHI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

enum {
	AVAHI_PLACES_MAX = 16,
	AVAHI_NAMES_MAX = 16, /* that are tried when others have ours */
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

/* `address` of the bus, as for bus_new(). 0 or -errno (only for want of memory). */
int avahi_new(sd_event *loop, const char *address, const struct avahi_offer *offer,
	      struct avahi **avahi_out);
/* Nothing is advertised any more. NULL is fine. */
void avahi_free(struct avahi *avahi);
/* From now on this instead. The same again changes nothing, but is tried again if it failed. */
void avahi_set_offer(struct avahi *avahi, const struct avahi_offer *offer);

/* The service's name while Avahi tells of it; else NULL. */
const char *avahi_published(const struct avahi *avahi);
/* In words, how it stands with Avahi. */
const char *avahi_condition(const struct avahi *avahi);
/* "phone.local", as Avahi calls this machine; "": not known yet. */
const char *avahi_host(const struct avahi *avahi);

#endif
