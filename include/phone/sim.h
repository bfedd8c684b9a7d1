/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sims: the present SIM cards, their permanent IDs, and whether each can send.
 *
 * A SIM is identified by its card (ICCID, else IMSI), never by the modem it is in. Facts come
 * from oFono's signals, the ID from the store. New cards that appear together get their IDs in
 * the order of their modems. Some forks of oFono name the card in a modem
 * that is off; a card that SimManager shows in another modem takes precedence.
 *
 * oFono stores outgoing messages by card, so when two modems show the same card, both would
 * send them: such a duplicate cannot send. When both have the same ID, the first slot has it.
 */
#pragma once

#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/observer.h"
#include "ofono/ofono.h"
#include "store/store.h"

enum sim_state {
	SIM_READY,     /* registered, accepts messages */
	SIM_SEARCHING, /* online, but not registered with a network */
	SIM_OFFLINE,   /* flight mode */
	SIM_STARTING,  /* unlocked, but oFono does not accept messages yet */
	SIM_LOCKED,    /* asks for PIN, PUK, ... */
	SIM_DUPLICATE, /* another modem shows the same card */
	SIM_STUCK,     /* registered, but its modem does not finish a message */
	SIM_OFF,       /* its modem is off, and oFono remembers the card */
	SIM_ABSENT,    /* known from before, in no modem now */
};

struct sim {
	int64_t id; /* the tools' subscription_id */
	/* sim_slot_index counts from 0 the slots of all modems; a modem that uses one of several
	 * slots has more than one */
	int slot;
	enum sim_state state;
	struct modem *modem;   /* never NULL in the list */
	char carrier_name[64]; /* the network's, else the card's, else MCC+MNC, else "" */
	char display_name[80]; /* the card's provider, else the carrier, else "SIM 1" */
	char own_number[24];   /* the card's first; "" if unknown */
	bool roaming;	       /* registered with a foreign network */
	bool stuck;	       /* sims_set_stuck() */
	bool is_default;       /* the phone's owner chose it, where oFono knows that */
	struct modem_voicemail voicemail;
	TAILQ_ENTRY(sim) link;
};

TAILQ_HEAD(sim_list, sim);

enum sims_event_type {
	SIMS_STATE, /* at once: a SIM came, went, or changed its state or modem */
	/* 100 ms after the last change of a burst: a visible member of the list differs.
	 * Signal strength changes all the time and is not reported. */
	SIMS_SETTLED,
	SIMS_VOICEMAIL, /* after SIMS_SETTLED: what is known of voicemail differs */
};

struct sims_event {
	enum sims_event_type type;
};

struct sims;

/* Returns 0 or -errno. */
int sims_new(sd_event *loop, struct ofono *ofono, struct store *store,
	     struct sims **sims_out);
void sims_free(struct sims *sims); /* NULL is fine */
/* Events are struct sims_event. */
struct observers *sims_observers(struct sims *sims);

/*
 * Returns the present SIMs in order of slot. A struct sim is valid until the next turn of the loop.
 */
const struct sim_list *sims_list(const struct sims *sims);
unsigned sims_count(const struct sims *sims);
/* Returns NULL if it is not present. */
const struct sim *sims_find(const struct sims *sims, int64_t sim_id);
/* Returns whether a card has this ID, whether present or not. */
bool sims_knows(const struct sims *sims, int64_t sim_id);

/*
 * Call it when its modem does not finish a message, or has finished one again. This is forgotten
 * when the card's modem goes. Do not call it from inside an event of the sims.
 */
void sims_set_stuck(struct sims *sims, int64_t sim_id, bool stuck);

/*
 * Returns the ID of the card with these facts. Returns 0 if there is no card, or the store fails.
 */
int64_t sims_identify(struct sims *sims, const struct modem_sim *facts);

const char *sim_state_name(enum sim_state state); /* "ready" */

/* Returns the last four characters of the card's identity, for the log. */
const char *sim_card_tail(const struct modem_sim *facts);

/*
 * SIM feed: adds an entry to the feed of the store (store/store_feed.h) when a SIM's state
 * differs from that of its last entry, also over a restart.
 */
struct sim_feed {
	struct sims *sims; /* NULL if not initialised */
	struct store *store;
	struct observer observer;
};

void sim_feed_init(struct sim_feed *feed, struct sims *sims, struct store *store);
void sim_feed_deinit(struct sim_feed *feed); /* also if never initialised */
