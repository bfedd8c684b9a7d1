/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sims: which SIM cards there are now, their durable numbers, and whether they can send.
 *
 * A SIM is known by its card (ICCID, else IMSI), never by the modem it sits in. Facts are
 * oFono's signals; the number comes from the store. Some of oFono's forks tell which card is
 * in a modem that is off; what SimManager tells of another modem comes first.
 *
 * oFono keeps what it is to send by card, so of two modems that show the same card both send
 * it: a duplicate cannot send. Where the number is the same, too, the first slot has it.
 */
#ifndef PHONE_SIM_H
#define PHONE_SIM_H

#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/observer.h"
#include "ofono/ofono.h"
#include "store/store.h"

enum sim_state {
	SIM_READY,     /* registered, takes messages */
	SIM_SEARCHING, /* on, but not registered with a network */
	SIM_OFFLINE,   /* flight mode */
	SIM_STARTING,  /* unlocked, oFono is not yet ready for messages */
	SIM_LOCKED,    /* asks for PIN, PUK, ... */
	SIM_DUPLICATE, /* another modem shows the same card */
	SIM_STUCK,     /* registered, but its modem does not finish a message */
	SIM_OFF,       /* its modem is off, and oFono remembers the card */
	SIM_ABSENT,    /* known from before, in no modem now */
};

struct sim {
	int64_t id; /* the tools' subscription_id */
	/* sim_slot_index, from 0: its place among those of all our modems, of which one
	 * that uses one of several slots has as many */
	int slot;
	enum sim_state state;
	struct modem *modem; /* never NULL in the list */
	char carrier_name
		[64]; /* network's name, else the card's, else MCC+MNC, else "" */
	char display_name
		[80]; /* the card's provider name, else the carrier's, else "SIM 1" */
	char own_number[24]; /* the card's first, "" unknown */
	bool roaming;	     /* registered with a foreign network */
	bool stuck;	     /* sims_set_stuck() */
	bool is_default;     /* the phone's owner chose it, where oFono tells that */
	struct modem_voicemail voicemail;
	TAILQ_ENTRY(sim) link;
};

TAILQ_HEAD(sim_list, sim);

enum sims_event_type {
	SIMS_STATE, /* at once: some SIM came, went or changed its state */
	/* After a burst is over (100 ms): what the list shows differs. Signal strength is
	 * a fact of the modem, changes all the time, and is not told. */
	SIMS_SETTLED,
	SIMS_VOICEMAIL, /* likewise, after SIMS_SETTLED: what is known of voicemail differs */
};

struct sims_event {
	enum sims_event_type type;
};

struct sims;

int sims_new(sd_event *loop, struct ofono *ofono, struct store *store,
	     struct sims **sims_out);
void sims_free(struct sims *sims); /* NULL is fine */
struct observers *sims_observers(struct sims *sims);

/* Present SIMs in order of slot. A struct sim lives until the next event of the loop. */
const struct sim_list *sims_list(const struct sims *sims);
unsigned sims_count(const struct sims *sims);
const struct sim *sims_find(const struct sims *sims,
			    int64_t sim_id); /* NULL: not present */
/* Is it a number that was given to a card, present or not? */
bool sims_is_known(const struct sims *sims, int64_t sim_id);

/*
 * Its modem does not finish a message, or does now. It is forgotten when the card's modem
 * goes. Not from inside an event of the sims.
 */
void sims_set_stuck(struct sims *sims, int64_t sim_id, bool stuck);

/* The number of the card that shows these facts. 0: it shows none, or the store fails. */
int64_t sims_identify(struct sims *sims, const struct modem_sim *facts);

const char *sim_state_name(enum sim_state state); /* "ready" */

#endif
