/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modem signals: to which modem a signal goes that is of some interface of modems, and when.
 *
 * Only those of the present owner of org.ofono are believed, whoever sent the others past
 * our match rules (tests/unit/test_ofono.c::test_strangers_are_not_believed). One about a
 * message or call waits until its modem, which card is in it, and whether oFono is a fork, is
 * known, and nothing overtakes it. An oFono that does not tell is not waited for longer than three seconds: a
 * message that came in is safer on disk without its SIM
 * (tests/integration/test_forks.py::test_a_message_before_its_card_is_known). Private to
 * src/ofono/ofono.c.
 */
#ifndef OFONO_MODEM_SIGNALS_H
#define OFONO_MODEM_SIGNALS_H

#include <dbus/dbus.h>
#include <stdbool.h>
#include <systemd/sd-event.h>

#include "ofono/mailbag.h"
#include "ofono/manager.h"
#include "ofono/modem_manager.h"

struct modem_signals {
	struct manager *manager;		   /* borrowed */
	const struct modem_manager *modem_manager; /* borrowed */
	const char *owner;    /* its unique name, borrowed; "": none, or not known yet */
	struct modem *nobody; /* stands for a modem that we do not know, with no card */
	struct mailbag waiting;
	sd_event_source *patience; /* enabled while some wait, once */
};

/* 0 or -errno. */
int modem_signals_init(struct modem_signals *signals, sd_event *loop, struct ofono *ofono,
		       struct manager *manager, const char *owner);
void modem_signals_deinit(struct modem_signals *signals);

bool modem_signals_believe(const struct modem_signals *signals, DBusMessage *signal);
/*
 * False: it is of no interface of modems. One that is not believed may wait while it is not
 * known who the owner is.
 */
bool modem_signals_hear(struct modem_signals *signals, DBusMessage *signal);

/* What waited: it goes where its modem is known and settled now; */
void modem_signals_go_on(struct modem_signals *signals);
/* where it is known, for one is about to go; */
void modem_signals_hurry(struct modem_signals *signals);
/* in any case, for nothing more will become known; */
void modem_signals_end_waiting(struct modem_signals *signals);
/* or is lost, with a warning. */
void modem_signals_clear(struct modem_signals *signals);

#endif
