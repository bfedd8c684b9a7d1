/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Manager: org.ofono.Manager, the list of modems.
 *
 * Between manager_start() and manager_stop() it asks GetModems until oFono answers, then
 * follows ModemAdded and ModemRemoved. Those that come before the answer are in it.
 *
 * A bus that refuses, because its policy does not name us, is asked after each of
 * manager_pauses_ms, and then only when somebody wants something or a message comes:
 * nothing is polled (tests/unit/test_refused.c). What oFono itself cannot do yet is asked again
 * for ever.
 *
 * Private to src/ofono.
 */
#ifndef OFONO_MANAGER_H
#define OFONO_MANAGER_H

#include <dbus/dbus.h>
#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-event.h>

#include "ofono/ofono.h"

enum {
	MANAGER_MODEMS_MAX = 32,
	MANAGER_PAUSES = 5,
	MANAGER_EARLY_MS = 10000, /* after the first refusal */
};

/* After the first, second, ... failure. */
extern const unsigned int manager_pauses_ms[MANAGER_PAUSES];

struct manager {
	struct ofono *ofono;
	/* `error`: why GetModems failed; NULL: it answered, the modems come next. */
	void (*answered)(struct ofono *ofono, const char *error);
	struct modem_list modems;
	size_t count;
	bool is_complete; /* GetModems was answered */
	struct bus_call *call;
	sd_event_source *retry;
	unsigned int attempts;
	bool is_refused;    /* the last answer was a refusal */
	int64_t refused_ms; /* since when, by the monotonic clock */
	bool has_given_up;  /* refused after the last pause, too */
};

/* 0 or -errno; manager_deinit() is due in either case. */
int manager_init(struct manager *manager, struct ofono *ofono,
		 void (*answered)(struct ofono *ofono, const char *error));
void manager_deinit(struct manager *manager); /* tells nothing */

void manager_start(struct manager *manager); /* oFono has come */
void manager_stop(
	struct manager *manager); /* it has gone: MODEM_REMOVED for every modem */
void manager_signal(struct manager *manager, DBusMessage *signal);
/* Somebody wants something. */
void manager_ask_again(struct manager *manager);
/* Of one who was refused: see include/ofono/ofono.h. */
void manager_ask_now(struct manager *manager);
bool manager_may_be_let_in(const struct manager *manager);
/* The bus's policy, or oFono's own. */
bool manager_is_refusal(const char *error);

/* The modem at this path, or the one that it is below of; NULL: none. */
struct modem *manager_find(struct manager *manager, const char *path);

#endif
