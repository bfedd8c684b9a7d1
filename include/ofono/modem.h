/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modem: one modem of oFono, as plain data that D-Bus signals keep up to date.
 *
 * Reading a member or calling a predicate here costs no D-Bus call. Each part is filled in by
 * the source file of its D-Bus interface. Text members are NUL-terminated; "" means unknown.
 * A struct modem is valid until the MODEM_REMOVED event (ofono/ofono.h) returns.
 *
 * modem_switch() sets Powered and Online. Upstream oFono's D-Bus policy allows that to root;
 * the gateway does it only for power_modems, with a policy of its own (etc/dbus/power.conf).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

/* bits of modem.interfaces: the D-Bus interfaces that the gateway uses */
enum modem_interface_bit {
	MODEM_SIM_MANAGER = 1 << 0,
	MODEM_MESSAGE_MANAGER = 1 << 1,
	MODEM_NETWORK_REGISTRATION = 1 << 2,
	MODEM_VOICE_CALL_MANAGER = 1 << 3,
	MODEM_SUPPLEMENTARY_SERVICES = 1 << 4,
	MODEM_MESSAGE_WAITING = 1 << 5,
	MODEM_CELL_BROADCAST = 1 << 6,
	MODEM_SIM_INFO = 1 << 7,
	MODEM_PHONEBOOK = 1 << 8,
	MODEM_NETWORK_TIME = 1 << 9,	  /* only forks have it */
	MODEM_OUTGOING_RECORDS = 1 << 10, /* our plugin records outgoing messages */
};

enum { MODEM_SIM_LOCKS_MAX = 16 };

/*
 * org.ofono.SimManager; cleared when the interface disappears. Without a card everything
 * except `known` is zero.
 */
struct modem_sim {
	bool known; /* oFono has said whether there is a card */
	bool present;
	bool fixed_dialing; /* with FDN or BDN, oFono never makes the card ready */
	bool barred_dialing;
	char card_identifier[24];     /* ICCID */
	char subscriber_identity[16]; /* IMSI; unknown while the card is locked */
	char pin_required[16];	      /* "none", "pin", "puk", ... */
	char mobile_country_code[4];
	char mobile_network_code[4];
	char service_provider_name[64];
	char own_number[24]; /* first of SubscriberNumbers, often "" */
	uint8_t pin_retries; /* left for the lock in force; 0 if unknown */
	/* of a modem that uses one of several slots; 0 if it has one */
	uint8_t card_slots;
	uint8_t active_slot; /* the slot in use, counted from 1; 0 if unknown */
	uint8_t retries[MODEM_SIM_LOCKS_MAX]; /* of every lock; private to src/ofono */
};

/* What a card asks for before it can be used. */
enum modem_sim_lock {
	SIM_LOCK_NONE, /* or not known yet; or PIN2, which guards only some features */
	SIM_LOCK_PIN,
	SIM_LOCK_PUK,	/* no PIN attempts are left */
	SIM_LOCK_OTHER, /* a network or phone lock: the card's owner has no code for it */
};

/* org.ofono.NetworkRegistration; cleared when the interface disappears */
struct modem_network {
	char status[16]; /* "registered", "roaming", "searching", ... */
	char name[64];	 /* of the operator */
	char mobile_country_code[4];
	char mobile_network_code[4];
	char technology[16];
	uint8_t strength; /* percent */
};

/* org.ofono.MessageWaiting; cleared when the interface disappears */
struct modem_voicemail {
	bool known;
	bool waiting;
	uint8_t count;		 /* 0 with `waiting` if the network did not say */
	char mailbox_number[24]; /* to call */
};

/* org.nemomobile.ofono.SimInfo (forks): the card, known even while the modem is off */
struct modem_remembered_card {
	char card_identifier[24];
	char subscriber_identity[16];
	char service_provider_name[64];
};

/* Whether oFono knows the SMS centre to which the modem submits (ServiceCenterAddress). */
enum modem_service_centre {
	CENTRE_UNREAD, /* oFono has not said yet, or cannot */
	CENTRE_NONE,   /* the card has none, or the modem does not show it */
	CENTRE_KNOWN,
};

struct modem {
	char path[128]; /* D-Bus object path; arbitrary, never parsed */
	bool powered;
	bool online;
	char type[16];	     /* "hardware", "hfp", "sap", "test" */
	uint32_t interfaces; /* enum modem_interface_bit */
	/* MessageManager; false and CENTRE_UNREAD without that interface */
	bool uses_delivery_reports; /* UseDeliveryReports, as last signalled */
	int64_t epoch; /* of a memory that the radio has of messages; 0 if it has none */
	bool has_other_hub; /* its phone works with another hub, and refuses this one */
	enum modem_service_centre centre;
	struct modem_sim sim;
	uint8_t card_slots; /* last known sim.card_slots: that is cleared at power-off */
	struct modem_remembered_card remembered;
	struct modem_network network;
	struct modem_voicemail voicemail;
	/* VoiceCallManager: of the card and the network, space-separated */
	char emergency_numbers[256];
	/* SupplementaryServices: "idle", "active", "user-response" */
	char ussd_state[16];

	struct ofono *ofono;
	TAILQ_ENTRY(modem) link;	   /* sorted by path, "/sim2" before "/sim10" */
	struct ofono_bus *bus;		   /* private to src/ofono */
	struct modem_interface_data *data; /* private to src/ofono */
};

bool modem_is_registered(const struct modem *modem); /* home or roaming */
/* Returns whether it accepts messages and is registered, so it can transmit them now. */
bool modem_can_send(const struct modem *modem);
/*
 * Is it a phone reached over Bluetooth (HFP), not a modem of this device? It shows no interfaces
 * here, whatever oFono lists: the gateway sends it no calls and ignores its signals.
 */
bool modem_is_foreign(const struct modem *modem);
bool modem_has_calls(const struct modem *modem); /* it can place voice calls */
bool modem_has_ussd(const struct modem *modem);	 /* it can dial USSD codes */
/* Does the network wait for a reply in a USSD dialogue? */
bool modem_awaits_ussd_reply(const struct modem *modem);

enum modem_sim_lock modem_sim_lock_of(const struct modem_sim *sim);
/*
 * Is the card limited to a list of numbers (FDN, BDN)? Upstream oFono sends nothing with such a
 * card.
 */
bool modem_sim_is_restricted(const struct modem_sim *sim);
/*
 * Do two modems show the same card, by IMSI or ICCID? Unknown identities match nothing. oFono
 * stores outgoing messages by IMSI, and every modem that shows that IMSI sends them.
 */
bool modem_sim_is_same(const struct modem_sim *one, const struct modem_sim *other);

enum modem_switch_target { MODEM_SWITCH_POWERED, MODEM_SWITCH_ONLINE };

enum modem_switch_outcome {
	MODEM_SWITCH_DONE,
	MODEM_SWITCH_REFUSED,	  /* the bus or oFono does not allow it to this user */
	MODEM_SWITCH_BUSY,	  /* another client is switching it */
	MODEM_SWITCH_NOT_NOW,	  /* unavailable or failed: may work later */
	MODEM_SWITCH_IMPOSSIBLE,  /* this modem cannot */
	MODEM_SWITCH_UNREACHABLE, /* oFono is not running */
	MODEM_SWITCH_SILENT,	  /* no answer: it may still happen */
};

struct modem_switch; /* a SetProperty call in progress */

/*
 * Sets Powered or Online. The callback follows the rules of bus_call(): exactly once, later, not
 * after modem_switch_stop(). oFono answers when it is done or has given up; the change itself
 * arrives as MODEM_CHANGED (tests/integration/test_modem.py). The modem may disappear meanwhile.
 * Returns NULL if memory runs out. Each call has ended or is stopped before ofono_free().
 *
 * Source: oFono doc/modem-api.txt, SetProperty.
 */
struct modem_switch *modem_switch(
	struct modem *modem, enum modem_switch_target target, bool on,
	void (*done)(void *data, enum modem_switch_outcome outcome), void *data);
/* After this the callback does not run; oFono may switch the modem all the same. NULL is fine. */
void modem_switch_stop(struct modem_switch *modem_switch);
