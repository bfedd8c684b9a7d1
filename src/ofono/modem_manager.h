/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modem manager: org.nemomobile.ofono.ModemManager at "/", which the forks for phones with
 * two SIMs have (Sailfish OS, Droidian, FuriOS): which modem their owner chose for calls and
 * messages, and whether all modems are known yet.
 *
 * Asked once between modem_manager_start() and modem_manager_stop(), by two calls which those
 * forks answer from memory; signals after that. Elsewhere nothing is known of it, and nothing
 * is said. OFONO_CHANGED tells when any of it differs. Private to src/ofono.
 */
#ifndef OFONO_MODEM_MANAGER_H
#define OFONO_MODEM_MANAGER_H

#include <dbus/dbus.h>
#include <stdbool.h>

#include "ofono/ofono.h"

#define MODEM_MANAGER_INTERFACE "org.nemomobile.ofono.ModemManager"

enum { MODEM_MANAGER_FACTS = 2 };

struct modem_manager {
	struct ofono *ofono;
	char default_path[128]; /* of DefaultVoiceModem; "" none, or not told */
	bool is_unready;	/* it said that the modems are not all known yet */
	bool is_there;		/* this oFono has such an interface, */
	bool is_absent;		/* or said that it has none; neither: it did not say */
	struct modem_manager_call {
		struct modem_manager *manager;
		struct bus_call *call;
	} calls[MODEM_MANAGER_FACTS];
};

void modem_manager_init(struct modem_manager *manager, struct ofono *ofono);
void modem_manager_start(struct modem_manager *manager); /* oFono answers */
/* It has gone: nothing is known any more. Tells nothing; fine when it was not started. */
void modem_manager_stop(struct modem_manager *manager);
/* It has not been answered yet whether there is one. */
bool modem_manager_is_asking(const struct modem_manager *manager);
void modem_manager_signal(struct modem_manager *manager, DBusMessage *signal);

#endif
