/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Query: GetProperties on one interface of a modem, asked again, ever more seldom, while oFono
 * is busy.
 *
 * Signals that arrive meanwhile are older than the answer: oFono makes the answer from its
 * state at that moment, and one connection keeps the order. So facts are simply stored in
 * order of arrival. Private to src/ofono.
 */
#ifndef OFONO_QUERY_H
#define OFONO_QUERY_H

#include <dbus/dbus.h>
#include <stdbool.h>

#include "ofono/modem.h"
#include "ofono/retried_call.h"

struct query {
	struct modem *modem;
	const char *interface;
	/* The iterator stands on the a{sv}; NULL: no answer (it may be asked again). */
	void (*answered)(struct modem *modem, DBusMessageIter *dictionary);
	struct retried_call asked;
};

void query_start(struct query *query); /* nothing new when one is under way */
void query_stop(struct query *query);  /* fine when none is */
bool query_is_waiting(
	const struct query *query); /* for the answer to the first attempt */

struct modem_queries {
	struct query sim;
	struct sim_facts left; /* of the card in the slot that was used before */
	struct query network;
	struct query voice;
	struct query waiting;
	struct query centre;
	struct bus_call *sim_info;
	struct retried_call reports;
	struct retried_call phonebook;
};

#endif
