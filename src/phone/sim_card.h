/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIM card: what sims know of the card in one modem: its ID, facts, state and names.
 */
#pragma once

#include "phone/sim.h"

/* IDs of the cards seen lately, so that a burst of signals does not query the store. */
struct sim_card_ids {
	TAILQ_HEAD(sim_card_id_list, sim_card_id) list; /* newest first */
	unsigned count;
	bool failing; /* the failure was logged */
};

void sim_card_ids_init(struct sim_card_ids *ids);
void sim_card_ids_deinit(struct sim_card_ids *ids);
/*
 * Returns the ID of a card; a new one gets the next. Returns 0 if there is no card, it has no
 * identity yet, or the store fails.
 */
int64_t sim_card_ids_find(struct sim_card_ids *ids, struct store *store,
			  const struct modem_sim *facts);

/*
 * What is known of the card in a modem: the facts of SimManager or, until it has some, what
 * oFono remembers. `facts_out` has no card when none is known.
 */
void sim_card_read(const struct modem *modem, struct modem_sim *facts_out);
/* Returns false if oFono has yet to say which card is in the modem, or that none is. */
bool sim_card_is_settled(const struct modem *modem);

/* Fills in every member except the ID, `stuck` (which it uses) and `is_default`. */
void sim_card_describe(struct sim *sim, struct modem *modem, int slot);
/* Appends the slot to display names that several cards share. */
void sim_card_make_names_unique(struct sim_list *list);
