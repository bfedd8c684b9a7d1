/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modem: one modem path of oFono and everything its signals told us, as plain data.
 *
 * Facts are kept fresh by signals, so reading them costs nothing. One source file per
 * D-Bus interface fills in its part.
 */
#ifndef OFONO_MODEM_H
#define OFONO_MODEM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

/* bits of modem.interfaces, the ones we use */
enum modem_interface {
	MODEM_SIM_MANAGER = 1 << 0,
	MODEM_MESSAGE_MANAGER = 1 << 1,
	MODEM_NETWORK_REGISTRATION = 1 << 2,
	MODEM_VOICE_CALL_MANAGER = 1 << 3,
	MODEM_SUPPLEMENTARY_SERVICES = 1 << 4,
	MODEM_MESSAGE_WAITING = 1 << 5,
	MODEM_CELL_BROADCAST = 1 << 6,
	MODEM_SIM_INFO = 1 << 7,
	MODEM_PHONEBOOK = 1 << 8,
	MODEM_NETWORK_TIME = 1 << 9, /* forks alone have it */
};

enum { SIM_LOCKS_MAX = 16 };

/*
 * org.ofono.SimManager; cleared when the interface goes. Without a card everything but
 * `known` is zero.
 */
struct sim_facts {
	bool known; /* it is certain whether there is a card */
	bool present;
	bool fixed_dialing; /* with either of them oFono makes nothing of the card */
	bool barred_dialing;
	char card_identifier[24];     /* ICCID, "" unknown */
	char subscriber_identity[16]; /* IMSI, "" unknown (locked) */
	char pin_required[16];	      /* "none", "pin", "puk", ...; "" unknown */
	char mobile_country_code[4];
	char mobile_network_code[4];
	char service_provider_name[64];
	char own_number[24]; /* first of SubscriberNumbers, often "" */
	uint8_t pin_retries; /* of the lock in force; 0 unknown */
	uint8_t card_slots;  /* of a modem that uses one of several; 0: it has one */
	uint8_t active_slot; /* of those the one in use, from 1; 0 unknown */
	uint8_t retries[SIM_LOCKS_MAX]; /* of every lock; private to src/ofono */
};

/* org.ofono.NetworkRegistration; cleared when the interface goes */
struct network_facts {
	char status[16]; /* "registered", "roaming", "searching", ...; "" unknown */
	char name[64];	 /* operator */
	char mobile_country_code[4];
	char mobile_network_code[4];
	char technology[16];
	uint8_t strength; /* percent */
};

/* org.ofono.MessageWaiting; cleared when the interface goes */
struct voicemail_facts {
	bool known;
	bool waiting;
	uint8_t count;		 /* 0 with `waiting`: the network did not say */
	char mailbox_number[24]; /* to call; "" unknown */
};

/* org.nemomobile.ofono.SimInfo of the forks: the card, known also while the modem is off */
struct remembered_card {
	char card_identifier[24];     /* "" unknown, or there is none */
	char subscriber_identity[16]; /* likewise */
	char service_provider_name[64];
};

/* Whether oFono knows where the modem hands its messages in (ServiceCenterAddress). */
enum service_centre {
	CENTRE_UNTOLD, /* not yet, or oFono cannot tell */
	CENTRE_NONE,   /* the card names none, or the modem does not tell it */
	CENTRE_KNOWN,
};

struct modem {
	char path[128]; /* D-Bus object path; arbitrary, never parsed */
	bool powered;
	bool online;
	char type[16];	     /* "hardware", "hfp", "sap", "test" */
	uint32_t interfaces; /* enum modem_interface bits */
	/* MessageManager's UseDeliveryReports as far as it was told; false when that is
	 * away */
	bool uses_delivery_reports;
	enum service_centre centre; /* likewise */
	struct sim_facts sim;
	uint8_t card_slots; /* as the SIM's facts told last, which go with the power */
	struct remembered_card remembered;
	struct network_facts network;
	struct voicemail_facts voicemail;
	/* of VoiceCallManager: the card's and the network's, blanks between; "" unknown */
	char emergency_numbers[256];
	/* of SupplementaryServices: "idle", "active", "user-response"; "" not told yet */
	char ussd_state[16];

	struct ofono *ofono;
	TAILQ_ENTRY(modem) link;       /* in order of path, "/sim2" before "/sim10" */
	struct modem_queries *queries; /* private to src/ofono */
};

bool modem_is_registered(const struct modem *modem); /* home or roaming */
/* It takes messages and can put them on the air now. */
bool modem_can_send(const struct modem *modem);
/*
 * A phone reached over Bluetooth, not one of our modems: it shows no interfaces here, whatever
 * oFono lists, so it is asked nothing, and what it signals is not heard.
 */
bool modem_is_foreign(const struct modem *modem);

#endif
