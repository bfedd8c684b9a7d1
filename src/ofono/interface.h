/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interface: one D-Bus interface of oFono's modems, as the row that its source file hands
 * to modem.c. Private to src/ofono, like everything in this header.
 */
#ifndef OFONO_INTERFACE_H
#define OFONO_INTERFACE_H

#include <dbus/dbus.h>
#include <stdbool.h>
#include <stdint.h>

#include "bus/bus.h"
#include "ofono/modem.h"
#include "ofono/ofono.h"

#define OFONO_NAME "org.ofono"

enum { OFONO_TIMEOUT_MS = 25000 }; /* for what oFono answers from memory */

struct interface {
	const char *name;
	uint32_t bit;	     /* enum modem_interface; 0: not one of those */
	bool is_below;	     /* its objects are below the modem's path, not at it */
	bool is_about_a_sim; /* its signals wait until the SIM is identified */
	/* Its word in the modem's Interfaces came or went. May be NULL. */
	void (*appeared)(struct modem *modem);
	void (*vanished)(struct modem *modem);
	/* A signal of it; possibly before it `appeared`. NULL: it has none. */
	void (*signal)(struct modem *modem, DBusMessage *signal);
};

extern const struct interface interface_modem;
extern const struct interface interface_sim_manager;
extern const struct interface interface_network_registration;
extern const struct interface interface_message_manager;
extern const struct interface interface_message;
extern const struct interface interface_voice_call_manager;
extern const struct interface interface_supplementary_services;
extern const struct interface interface_sms_history;
extern const struct interface interface_voice_call;
extern const struct interface interface_cell_broadcast;
extern const struct interface interface_message_waiting;
extern const struct interface interface_sim_info;
extern const struct interface interface_phonebook;

/* A signal of either interface that may bring StatusReport. */
void status_report_signal(struct modem *modem, DBusMessage *signal);

/*
 * The UUID in the path of a message: what stands behind "/message_", cut to fit. False: there
 * is none, so that it could be taken for a message that has none yet.
 */
bool message_uuid(const char *path, char uuid[MESSAGE_UUID_BYTES]);

/* A call to oFono that starts no service. NULL: no memory. */
DBusMessage *ofono_message(const char *path, const char *interface, const char *method);

struct bus *ofono_bus(struct ofono *ofono);
/* See ofono_use_delivery_reports(). */
bool ofono_wants_delivery_reports(const struct ofono *ofono);
/* See ofono_use_phonebooks(). */
bool ofono_wants_phonebooks(const struct ofono *ofono);
void ofono_tell(struct ofono *ofono, const struct ofono_event *event);
/* Remembered while this oFono runs: which interfaces its modems show tells forks apart. */
void ofono_note_interfaces(struct ofono *ofono, uint32_t interfaces);
/* A modem may have settled, or the line of oFono be known: signals that waited go on. */
void ofono_settled(struct ofono *ofono);

/* A modem at this path, which fits. NULL: no memory. */
struct modem *modem_new(struct ofono *ofono, const char *path);
/* Nothing is told; calls under way are cancelled. */
void modem_free(struct modem *modem);
/* What GetModems and ModemAdded say of it (the iterator stands on the a{sv}). */
bool modem_store(struct modem *modem, DBusMessageIter *dictionary);
/* Told MODEM_CHANGED. */
void modem_changed(struct modem *modem);
/* Something of it was asked and not answered yet. */
bool modem_is_asking(const struct modem *modem);
/* Which card it has was asked and not answered yet. */
bool modem_is_settling(const struct modem *modem);

#endif
