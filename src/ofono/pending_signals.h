/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#ifndef OFONO_PENDING_SIGNALS_H
#define OFONO_PENDING_SIGNALS_H

#include "ofono/manager.h"
#include "ofono/modem_manager.h"

/* One more flushes the queue: no signal is lost for lack of room. */
enum { PENDING_SIGNALS_MAX = 1000 };

struct pending_signals_entry;

struct pending_signals {
	struct manager *manager;		   /* borrowed */
	const struct modem_manager *modem_manager; /* borrowed */
	struct ofono_bus *bus;			   /* borrowed */
	const char *owner; /* unique name of org.ofono, borrowed; "": none or unknown */
	struct modem *unknown_modem; /* stands for one that is not listed; has no card */
	TAILQ_HEAD(pending_signals_list, pending_signals_entry) queue; /* oldest first */
	size_t count;
	sd_event_source *timer; /* enabled while signals wait */
};

/*
 * `pending` holds the four borrowed members. Takes over bus->settled. 0, or -errno with
 * nothing to deinit.
 */
int pending_signals_init(struct pending_signals *pending, sd_event *loop,
			 struct ofono *ofono);
void pending_signals_deinit(struct pending_signals *pending);

bool pending_signals_is_from_owner(const struct pending_signals *pending,
				   DBusMessage *signal);
/*
 * False: the signal is not of a modem's interface. A signal that is not from the owner may
 * wait while the owner is unknown.
 */
bool pending_signals_accept(struct pending_signals *pending, DBusMessage *signal);

/* Delivers the signals of listed modems as they are: one of the modems is about to go. */
void pending_signals_flush_listed(struct pending_signals *pending);
/* Delivers all signals as they are: nothing more will become known. */
void pending_signals_flush(struct pending_signals *pending);
/* Drops all signals, with a warning. */
void pending_signals_drop(struct pending_signals *pending);

#endif
