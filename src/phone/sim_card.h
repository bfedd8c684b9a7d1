/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sim card: from a modem's facts to a card's number, state and names.
 *
 * Private to src/sms.
 */
#ifndef PHONE_SIM_CARD_H
#define PHONE_SIM_CARD_H

#include <stdint.h>
#include <sys/queue.h>

#include "ofono/modem.h"
#include "phone/sim.h"
#include "store/store.h"

enum { SIM_CARDS_MAX = 64 }; /* that are remembered; more are asked again */

/* Cards seen since the start, so that a burst of signals does not ask the store. */
struct sim_cards {
	TAILQ_HEAD(sim_card_list, sim_card) list; /* latest first */
	unsigned count;
	bool failing; /* logged once */
};

void sim_cards_init(struct sim_cards *cards);
void sim_cards_deinit(struct sim_cards *cards);

/* The number of a modem's card. 0: none, not identified yet, or the store fails. */
int64_t sim_cards_identify(struct sim_cards *cards, struct store *store,
			   const struct modem_sim *facts);

/*
 * What is known of the card in a modem: SimManager's facts or, until it tells any, what
 * oFono remembers. `facts_out` has no card when none is known.
 */
void sim_card_read(const struct modem *modem, struct modem_sim *facts_out);

/* The last four characters of what identifies the card, for the log. */
const char *sim_card_tail(const struct modem_sim *facts);

/* Everything but the number and whether it is stuck. */
void sim_describe(struct sim *sim, struct modem *modem, int slot);
/* Cards of the same display name get their slot's number behind it. */
void sims_name_apart(struct sim_list *list);

#endif
