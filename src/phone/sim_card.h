/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIM card: turns the facts of a modem into a card's ID, state and names.
 */
#ifndef PHONE_SIM_CARD_H
#define PHONE_SIM_CARD_H

#include <stdint.h>
#include <sys/queue.h>

#include "ofono/modem.h"
#include "phone/sim.h"
#include "store/store.h"

enum { SIM_CARD_IDS_MAX = 64 };

/* IDs of the cards seen lately, so that a burst of signals does not query the store. */
struct sim_card_ids {
	TAILQ_HEAD(sim_card_id_list, sim_card_id) list; /* newest first */
	unsigned count;
	bool failing; /* the failure was logged */
};

void sim_card_ids_init(struct sim_card_ids *ids);
void sim_card_ids_deinit(struct sim_card_ids *ids);

/* The ID of a modem's card. 0: no card, not identified yet, or the store fails. */
int64_t sim_card_ids_find(struct sim_card_ids *ids, struct store *store,
			  const struct modem_sim *facts);

/*
 * What is known of the card in a modem: the facts of SimManager or, until it has some, what
 * oFono remembers. `facts_out` has no card when none is known.
 */
void sim_card_read(const struct modem *modem, struct modem_sim *facts_out);

/* The last four characters of the card's identity, for the log. */
const char *sim_card_tail(const struct modem_sim *facts);

/* Fills in every member except the ID, `stuck` (which it uses) and `is_default`. */
void sim_card_describe(struct sim *sim, struct modem *modem, int slot);
/* Appends the slot to display names that several cards share. */
void sim_card_make_names_unique(struct sim_list *list);

#endif
