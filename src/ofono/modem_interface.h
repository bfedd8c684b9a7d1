/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modem interface: one D-Bus interface of oFono's modems. Each has a source file that fills in
 * its part of struct modem, and a row here that connects that file to the signals.
 *
 * modem_interface.c keeps the table of the rows, follows the modem's Interfaces property, and
 * makes and frees modems. The files of the interfaces depend on ofono_bus.c, not on it.
 */
#ifndef OFONO_MODEM_INTERFACE_H
#define OFONO_MODEM_INTERFACE_H

#include "ofono/ofono_bus.h"

struct modem_interface {
	const char *name;
	uint32_t bit;	     /* enum modem_interface_bit; 0: always there */
	bool is_below;	     /* its objects lie below the modem's path, not at it */
	bool is_about_a_sim; /* its signals wait until the SIM is identified */
	/* The modem's Interfaces gained or lost it. May be NULL. */
	void (*appeared)(struct modem *modem);
	void (*vanished)(struct modem *modem);
	/* A signal of it, possibly before it `appeared`. NULL: it has none. */
	void (*signal)(struct modem *modem, DBusMessage *signal);
};

/* What the files of the interfaces keep for one modem, besides struct modem. */
struct modem_interface_data {
	struct ofono_bus_properties sim;
	struct modem_sim left_card; /* in the slot that was active before */
	struct ofono_bus_properties network;
	struct ofono_bus_properties calls;
	struct ofono_bus_properties voicemail;
	struct ofono_bus_properties centre;
	struct bus_call *modem_remembered_card;
	struct ofono_bus_request report_switch;
	struct ofono_bus_request phonebook;
};

extern const struct modem_interface cell_broadcast_interface;
extern const struct modem_interface message_interface;
extern const struct modem_interface message_manager_interface;
extern const struct modem_interface message_manager_history_interface;
extern const struct modem_interface message_waiting_interface;
extern const struct modem_interface network_registration_interface;
extern const struct modem_interface phonebook_interface;
extern const struct modem_interface sim_manager_interface;
extern const struct modem_interface sim_manager_info_interface;
extern const struct modem_interface ussd_call_interface;
extern const struct modem_interface voice_call_interface;
extern const struct modem_interface voice_call_manager_interface;

/* The interface whose signals carry this name. NULL: it is not one of a modem's. */
const struct modem_interface *modem_interface_find(const char *name);
/* org.ofono.Modem itself, the only interface of a foreign modem that counts */
bool modem_interface_is_modem(const struct modem_interface *interface);

/* A modem at this path, which fits into modem.path. NULL: no memory. */
struct modem *modem_interface_new_modem(struct ofono *ofono, struct ofono_bus *bus,
					const char *path);
/* Reports nothing; cancels its calls in progress. */
void modem_interface_free_modem(struct modem *modem);
/*
 * Stores what GetModems or ModemAdded says of a modem (the iterator stands on the a{sv}). True
 * when a fact differs.
 */
bool modem_interface_store(struct modem *modem, DBusMessageIter *dictionary);

/* Some interface has not answered its first GetProperties yet. */
bool modem_interface_is_busy(const struct modem *modem);
/* Which card the modem has is still being asked. */
bool modem_interface_awaits_card(const struct modem *modem);

#endif
