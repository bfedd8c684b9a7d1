/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "phone/sim_feed.h"

#include "base/clock.h"
#include "base/log.h"
#include "phone/sim.h"
#include "store/store_feed.h"

enum { SIM_FEED_NEVER_SEEN = -1, SIM_FEED_CARDS_MAX = 64 };

/* A card that was never in a modem while this version ran is not news when it is absent. */
static void sim_feed_review(const struct sim_feed *feed, int64_t sim_id)
{
	const struct sim *sim = sims_find(feed->sims, sim_id);
	struct feed_entry entry = {
		.at_ms = clock_wall_ms(),
		.type = FEED_SIM_STATE,
		.sim_id = sim_id,
		.state = sim ? (int)sim->state : SIM_ABSENT,
		.previous_state = SIM_FEED_NEVER_SEEN,
	};

	if (store_feed_sim_state(feed->store, sim_id, &entry.previous_state) ||
	    entry.state == entry.previous_state ||
	    (!sim && entry.previous_state == SIM_FEED_NEVER_SEEN))
		return;
	if (store_feed_add(feed->store, &entry))
		log_warning("sim %lld: its state could not be stored", (long long)sim_id);
}

struct sim_feed_cards {
	int64_t ids[SIM_FEED_CARDS_MAX];
	unsigned count;
};

static void sim_feed_add_card(void *data, int64_t sim_id)
{
	struct sim_feed_cards *cards = data;

	if (cards->count < SIM_FEED_CARDS_MAX)
		cards->ids[cards->count++] = sim_id;
}

/* The list is read first, because nothing may be written meanwhile. */
static void sim_feed_on_sims(void *data, const void *event_data)
{
	const struct sims_event *event = event_data;
	struct sim_feed *feed = data;
	struct sim_feed_cards cards = { .count = 0 };

	if (event->type != SIMS_SETTLED)
		return;
	store_sim_list(feed->store, sim_feed_add_card, &cards);
	for (unsigned i = 0; i < cards.count; i++)
		sim_feed_review(feed, cards.ids[i]);
}

void sim_feed_init(struct sim_feed *feed, struct sims *sims, struct store *store)
{
	*feed = (struct sim_feed){ .sims = sims, .store = store };
	observer_add(sims_observers(sims), &feed->observer, sim_feed_on_sims, feed);
}

void sim_feed_deinit(struct sim_feed *feed)
{
	if (feed->sims)
		observer_remove(&feed->observer);
	feed->sims = NULL;
}
