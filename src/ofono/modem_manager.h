/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modem manager: org.nemomobile.ofono.ModemManager at "/", which the forks for phones with two
 * SIMs have (Sailfish OS, Droidian, FuriOS): the modem that the phone's owner chose for calls
 * and messages, and whether all modems are known yet.
 *
 * modem_manager_start() makes two calls, which those forks answer from memory; after that
 * signals keep the answers up to date. Other oFonos lack the interface, and nothing is known.
 * OFONO_CHANGED reports a change.
 */
#ifndef OFONO_MODEM_MANAGER_H
#define OFONO_MODEM_MANAGER_H

#include "ofono/ofono_bus.h"

#define MODEM_MANAGER_INTERFACE "org.nemomobile.ofono.ModemManager"

enum { MODEM_MANAGER_FACTS = 2 };

struct modem_manager {
	struct ofono_bus *bus;
	char default_path[128]; /* DefaultVoiceModem; "" none or unknown */
	bool is_unready;	/* it said that some modems are not known yet */
	bool is_there;		/* this oFono has the interface ... */
	bool is_absent;		/* ... or said that it lacks it; neither: not answered */
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
/* oFono has not said yet whether it has the interface. */
bool modem_manager_is_asking(const struct modem_manager *manager);
void modem_manager_on_signal(struct modem_manager *manager, DBusMessage *signal);

#endif
