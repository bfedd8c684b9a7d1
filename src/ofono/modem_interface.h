/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modem interface: one D-Bus interface of oFono's modems. Each has a source file that fills in
 * its part of struct modem, and a row here that connects that file to the signals.
 *
 * modem_interface.c keeps the table of the rows, follows the modem's Interfaces property, and
 * makes and frees modems. The files of the interfaces depend on ofono_bus.c, not on it.
 */
#pragma once

#include "ofono/modem.h"
#include "ofono/ofono_bus.h"

struct modem_interface {
	const char *name;
	uint32_t bit;	     /* enum modem_interface_bit; 0 if it is always there */
	bool is_below;	     /* its objects lie below the modem's path, not at it */
	bool is_about_a_sim; /* its signals wait until the SIM is identified */
	/* The modem's Interfaces gained or lost it. May be NULL. */
	void (*appeared)(struct modem *modem);
	void (*vanished)(struct modem *modem);
	/* Handles a signal of it, possibly before it `appeared`. NULL if it has none. */
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

/*
 * Returns the interface whose signals carry this name. Returns NULL if it is not one of a modem's.
 */
const struct modem_interface *modem_interface_find(const char *name);
/* Is it org.ofono.Modem itself, the only interface of a foreign modem that counts? */
bool modem_interface_is_modem(const struct modem_interface *interface);

/* Returns a modem at this path, which fits into modem.path; NULL if memory runs out. */
struct modem *modem_interface_new_modem(struct ofono *ofono, struct ofono_bus *bus,
					const char *path);
/* Reports nothing; cancels its calls in progress. */
void modem_interface_free_modem(struct modem *modem);
/*
 * Stores what GetModems or ModemAdded says of a modem (the iterator stands on the a{sv}). True
 * when a fact differs.
 */
bool modem_interface_store(struct modem *modem, DBusMessageIter *dictionary);

/* Returns whether some interface has not answered its first GetProperties yet. */
bool modem_interface_is_busy(const struct modem *modem);
/* Is oFono still being asked which card the modem has? */
bool modem_interface_awaits_card(const struct modem *modem);

/*
 * Message manager: UseDeliveryReports of one modem, switched on whenever its MessageManager
 * appears and ofono_use_delivery_reports() was called.
 *
 * oFono loses the setting in a crash, and refuses (InProgress) while it asks the modem for
 * other settings: then the call is repeated until oFono accepts it or the interface goes. The
 * setting belongs to every program that sends, so it is never switched off, and not switched
 * on again after another program switched it off.
 */

/* Does nothing when a call is in progress, or was refused for good. */
void message_manager_use_reports(struct modem *modem);

/*
 * Phonebook: the names and numbers on a modem's SIM card, read with org.ofono.Phonebook when
 * that interface appears and when the owner enables it. The result is PHONEBOOK_READ
 * (ofono/ofono.h).
 *
 * Reading a card takes seconds to minutes. oFono does it once for all clients until the card
 * or the modem restarts; later answers repeat what it read then. While it reads for another
 * client it refuses with InProgress, so a failure is retried PHONEBOOK_RETRIES times.
 *
 * Source: oFono doc/phonebook-api.txt.
 */

enum {
	PHONEBOOK_TIMEOUT_MS = 180 * 1000,
	PHONEBOOK_RETRIES = 3,
};

/* Does nothing while a call is in progress. */
void phonebook_read(struct modem *modem);
/* Does nothing when nothing is in progress. */
void phonebook_stop(struct modem *modem);
