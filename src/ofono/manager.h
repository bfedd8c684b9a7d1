/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Manager: org.ofono.Manager, the list of modems.
 *
 * Between manager_start() and manager_stop() it calls GetModems until oFono answers, then
 * follows ModemAdded and ModemRemoved. Signals that precede the answer are part of it.
 *
 * When the bus refuses, because its policy does not name this user, GetModems is repeated
 * after each of the MANAGER_PAUSES pauses, and after that only when somebody needs oFono or a
 * message arrives: nothing polls for ever (tests/unit/test_manager.c). Other failures are
 * retried for as long as they last.
 */
#ifndef OFONO_MANAGER_H
#define OFONO_MANAGER_H

#include "ofono/ofono_bus.h"

enum {
	MANAGER_MODEMS_MAX = 32,
	MANAGER_PAUSES = 5,
	MANAGER_POLICY_WAIT_MS = 10 * 1000, /* after the first refusal */
};

struct manager {
	struct ofono *ofono;
	struct ofono_bus *bus;
	/* `error`: why GetModems failed; NULL: it succeeded, and the modems are added next. */
	void (*answered)(struct ofono *ofono, const char *error);
	struct modem_list modems;
	size_t count;
	bool is_complete; /* GetModems was answered */
	struct bus_call *call;
	const unsigned int *pauses_ms; /* MANAGER_PAUSES, after each failure */
	sd_event_source *retry;
	unsigned int attempts;	/* that failed, MANAGER_PAUSES at most */
	bool is_refused;	/* the last answer was a refusal */
	int64_t refused_ms;	/* since when; monotonic clock */
	bool waits_to_be_asked; /* refused after the last pause, too */
};

/* 0 or -errno; manager_deinit() is due in either case. */
int manager_init(struct manager *manager, struct ofono *ofono, struct ofono_bus *bus,
		 void (*answered)(struct ofono *ofono, const char *error));
void manager_deinit(struct manager *manager); /* frees the modems, reports nothing */

void manager_start(struct manager *manager); /* oFono has an owner on the bus */
void manager_stop(
	struct manager *manager); /* it has none: MODEM_REMOVED for each modem */
void manager_on_signal(struct manager *manager, DBusMessage *signal);

/* See ofono_retry(), ofono_retry_now() and ofono_may_be_allowed_soon(). */
void manager_retry(struct manager *manager);
void manager_retry_now(struct manager *manager);
bool manager_may_be_allowed_soon(const struct manager *manager);

/* The D-Bus policy or oFono itself denied access. */
bool manager_is_refusal(const char *error);

/* The modem at this path, or above it; NULL: none. */
struct modem *manager_find(struct manager *manager, const char *path);

/* For tests: other pauses than the usual ones, which outlive `ofono`. */
void ofono_set_retry_pauses(struct ofono *ofono,
			    const unsigned int pauses_ms[MANAGER_PAUSES]);

#endif
