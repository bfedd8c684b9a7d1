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
#pragma once

#include "ofono/ofono_bus.h"

enum {
	MANAGER_MODEMS_MAX = 32,
	MANAGER_PAUSES = 5,
	MANAGER_POLICY_WAIT_MS = 10 * 1000, /* after the first refusal */
};

struct manager {
	struct ofono *ofono;
	struct ofono_bus *bus;
	/* `error` says why GetModems failed; NULL if it succeeded, and the modems are added
	 * next. */
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
	bool waits_to_be_asked; /* also refused after the last pause */
};

/* Returns 0 or -errno; manager_deinit() is due in either case. */
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

/* Did the D-Bus policy or oFono itself deny access? */
bool manager_is_refusal(const char *error);

/* Returns the modem at this path, or above it; NULL if there is none. */
struct modem *manager_find(struct manager *manager, const char *path);

/* For tests: other pauses than the usual ones, which outlive `ofono`. */
void ofono_set_retry_pauses(struct ofono *ofono,
			    const unsigned int pauses_ms[MANAGER_PAUSES]);

/*
 * Modem manager: org.nemomobile.ofono.ModemManager at "/", which the forks for phones with two
 * SIMs have (Sailfish OS, Droidian, FuriOS): the modem that the phone's owner chose for calls
 * and messages, and whether all modems are known yet.
 *
 * modem_manager_start() makes two calls, which those forks answer from memory; after that
 * signals keep the answers up to date. Other oFonos lack the interface, and nothing is known.
 * OFONO_CHANGED reports a change.
 */

#define MODEM_MANAGER_INTERFACE "org.nemomobile.ofono.ModemManager"

enum { MODEM_MANAGER_FACTS = 2 };

struct modem_manager {
	struct ofono_bus *bus;
	/* DefaultVoiceModem; "" if there is none, or it is unknown */
	char default_path[128];
	bool is_unready; /* it said that some modems are not known yet */
	bool is_there;	 /* this oFono has the interface ... */
	bool is_absent;	 /* ... or said that it lacks it; neither: not answered */
	struct modem_manager_call {
		struct modem_manager *manager;
		struct bus_call *call;
	} calls[MODEM_MANAGER_FACTS];
};

void modem_manager_init(struct modem_manager *manager, struct ofono_bus *bus);
void modem_manager_start(
	struct modem_manager *manager); /* oFono has answered GetModems */
/* oFono has gone: forgets everything, reports nothing. Fine when it was not started. */
void modem_manager_stop(struct modem_manager *manager);
/* Returns whether oFono has not said yet whether it has the interface. */
bool modem_manager_is_asking(const struct modem_manager *manager);
void modem_manager_on_signal(struct modem_manager *manager, DBusMessage *signal);

/*
 * Pending signals: delivers a signal of a modem's interface to the file of that interface, at
 * once or when enough is known of the modem.
 *
 * Only signals from the present owner of org.ofono count, whatever passes the match rules
 * (tests/unit/test_ofono.c::test_signals_of_strangers_are_ignored). A signal about a message or call
 * waits until its modem, the card in it, and whether oFono is a fork are known; none overtakes
 * another. oFono signals a message once and keeps nothing, and it may do so before GetModems
 * is answered.
 *
 * No signal waits longer than three seconds for an answer of oFono: a message is safer on disk
 * without its SIM (tests/integration/test_forks.py::test_a_message_is_stored_before_its_card_is_known).
 */

/* One more flushes the queue, so no signal is lost for lack of room. */
enum { PENDING_SIGNALS_MAX = 1000 };

struct pending_signals_entry;

struct pending_signals {
	struct manager *manager;		   /* borrowed */
	const struct modem_manager *modem_manager; /* borrowed */
	struct ofono_bus *bus;			   /* borrowed */
	/* unique name of org.ofono, borrowed; "" if there is none, or it is unknown */
	const char *owner;
	struct modem *unknown_modem; /* stands for one that is not listed; has no card */
	TAILQ_HEAD(pending_signals_list, pending_signals_entry) queue; /* oldest first */
	size_t count;
	sd_event_source *timer; /* enabled while signals wait */
};

/*
 * `pending` holds the four borrowed members. Takes over bus->settled. Returns 0, or -errno with
 * nothing to deinit.
 */
int pending_signals_init(struct pending_signals *pending, sd_event *loop,
			 struct ofono *ofono);
void pending_signals_deinit(struct pending_signals *pending);

bool pending_signals_is_from_owner(const struct pending_signals *pending,
				   DBusMessage *signal);
/*
 * Returns false if the signal is not of a modem's interface. A signal that is not from the owner
 * may wait while the owner is unknown.
 */
bool pending_signals_accept(struct pending_signals *pending, DBusMessage *signal);

/* Delivers the signals of listed modems as they are: one of the modems is about to go. */
void pending_signals_flush_listed(struct pending_signals *pending);
/* Delivers all signals as they are: nothing more will become known. */
void pending_signals_flush(struct pending_signals *pending);
/* Drops all signals, with a warning. */
void pending_signals_drop(struct pending_signals *pending);
