/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * At every event of a modem the list is built anew from oFono's facts; a card keeps its struct
 * sim for as long as it is present.
 *
 * SIMS_STATE is reported during the event, because the outbox must not submit messages with
 * outdated facts. SIMS_SETTLED and SIMS_VOICEMAIL compare with what was last reported as
 * settled, so a burst that ends where it began reports nothing.
 *
 * The owner counts the SIMs of a new phone as its modems are counted, so a card that the store
 * does not know gets its ID only after the cards of earlier modems have theirs. It waits for
 * them no longer than SIM_ORDER_USEC, once; a message that arrives for it meanwhile gives it
 * its ID (tests/unit/test_sim.c).
 *
 * A card is a duplicate when another modem shows the same card. The other states are in
 * sim_card.c.
 */
#include "phone/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "phone/sim_card.h"
#include "store/store_feed.h"

enum {
	SIM_SETTLE_USEC = 100 * 1000,
	SIM_SETTLE_ACCURACY_USEC = 10 * 1000,
	SIM_ORDER_USEC = 5 * 1000 * 1000
};

struct sims {
	struct ofono *ofono;
	struct store *store;
	struct sim_card_ids ids;
	struct sim_list list;
	struct sim_list settled; /* copies of the list as last reported, without modems */
	struct observers observers;
	struct observer ofono_observer;
	sd_event_source *settle_timer; /* enabled during a burst */
	sd_event_source *order_timer;  /* enabled when a new card waits for its ID */
	bool order_is_over;	       /* no card waits any more */
};

const char *sim_card_tail(const struct modem_sim *facts)
{
	const char *identity = facts->card_identifier[0] ? facts->card_identifier
							 : facts->subscriber_identity;
	size_t length = strlen(identity);

	return length > 4 ? identity + length - 4 : identity;
}

const char *sim_state_name(enum sim_state state)
{
	static const char *const names[] = {
		[SIM_READY] = "ready",	   [SIM_SEARCHING] = "searching",
		[SIM_OFFLINE] = "offline", [SIM_STARTING] = "starting",
		[SIM_LOCKED] = "locked",   [SIM_DUPLICATE] = "duplicate",
		[SIM_STUCK] = "stuck",	   [SIM_OFF] = "modem_off",
		[SIM_ABSENT] = "absent",
	};

	return names[state];
}

/* ---- lists */

static struct sim *sim_list_find(const struct sim_list *list, int64_t sim_id)
{
	struct sim *sim;

	TAILQ_FOREACH (sim, list, link) {
		if (sim->id == sim_id)
			return sim;
	}
	return NULL;
}

static void sim_list_clear(struct sim_list *list)
{
	struct sim *sim;

	while ((sim = TAILQ_FIRST(list))) {
		TAILQ_REMOVE(list, sim, link);
		free(sim);
	}
}

/* Returns false if memory runs out. */
static bool sim_list_copy(struct sim_list *to, const struct sim_list *from)
{
	const struct sim *sim;

	TAILQ_FOREACH (sim, from, link) {
		struct sim *copy = malloc(sizeof(*copy));

		if (!copy)
			return false;
		*copy = *sim;
		copy->modem = NULL; /* may be gone by the time of the comparison */
		TAILQ_INSERT_TAIL(to, copy, link);
	}
	return true;
}

/* Keeps the list in order of slot. */
static void sim_list_insert(struct sim_list *list, struct sim *sim)
{
	struct sim *other;

	TAILQ_FOREACH (other, list, link) {
		if (other->slot > sim->slot) {
			TAILQ_INSERT_BEFORE(other, sim, link);
			return;
		}
	}
	TAILQ_INSERT_TAIL(list, sim, link);
}

/* Compares everything that tools and events show. */
static bool sim_looks_same(const struct sim *one, const struct sim *other)
{
	return one->slot == other->slot && one->state == other->state &&
	       !strcmp(one->carrier_name, other->carrier_name) &&
	       !strcmp(one->display_name, other->display_name) &&
	       !strcmp(one->own_number, other->own_number) &&
	       one->roaming == other->roaming && one->is_default == other->is_default;
}

/* memcmp() is safe: the facts have no padding. */
static bool sim_has_same_voicemail(const struct sim *one, const struct sim *other)
{
	return memcmp(&one->voicemail, &other->voicemail, sizeof(one->voicemail)) == 0;
}

/* Compares what matters for sending. */
static bool sim_sends_same(const struct sim *one, const struct sim *other)
{
	return one->modem == other->modem && one->state == other->state;
}

/* The same IDs in the same order, and `is_same` holds for each. */
static bool sim_list_is_same(const struct sim_list *one, const struct sim_list *other,
			     bool (*is_same)(const struct sim *one,
					     const struct sim *other))
{
	const struct sim *a = TAILQ_FIRST(one), *b = TAILQ_FIRST(other);

	for (; a && b; a = TAILQ_NEXT(a, link), b = TAILQ_NEXT(b, link)) {
		if (a->id != b->id || !is_same(a, b))
			return false;
	}
	return !a && !b;
}

/* ---- the settled list */

static void sim_log_changes(const struct sims *sims)
{
	const struct sim *sim, *before;
	struct modem_sim card;

	TAILQ_FOREACH (sim, &sims->settled, link) {
		if (!sim_list_find(&sims->list, sim->id))
			log_info("sim %lld: removed from slot %d", (long long)sim->id,
				 sim->slot);
	}
	TAILQ_FOREACH (sim, &sims->list, link) {
		before = sim_list_find(&sims->settled, sim->id);
		sim_card_read(sim->modem, &card);
		if (!before)
			log_info("sim %lld: card ...%s in slot %d, \"%s\": %s",
				 (long long)sim->id, sim_card_tail(&card), sim->slot,
				 sim->display_name, sim_state_name(sim->state));
		else if (before->state != sim->state)
			log_info("sim %lld: %s, was %s", (long long)sim->id,
				 sim_state_name(sim->state),
				 sim_state_name(before->state));
	}
}

static int sim_on_settled(sd_event_source *source, uint64_t usec, void *data)
{
	struct sims *sims = data;
	struct sims_event list_event = { SIMS_SETTLED };
	struct sims_event voicemail_event = { SIMS_VOICEMAIL };
	bool looks_same = sim_list_is_same(&sims->list, &sims->settled, sim_looks_same);
	bool same_voicemail =
		sim_list_is_same(&sims->list, &sims->settled, sim_has_same_voicemail);

	if (looks_same && same_voicemail)
		return 0;
	sim_log_changes(sims);
	sim_list_clear(&sims->settled);
	if (!sim_list_copy(&sims->settled, &sims->list))
		log_warning("sims: out of memory");
	if (!looks_same)
		observers_notify(&sims->observers, &list_event);
	if (!same_voicemail)
		observers_notify(&sims->observers, &voicemail_event);
	return 0;
}

/* ---- the list of now */

/* Must the card of a modem wait for the ID of a card in an earlier modem? */
static bool sims_must_wait(const struct sims *sims, const struct modem *removed,
			   const struct modem *modem, const struct modem_sim *card)
{
	const struct modem *earlier;

	if (sims->order_is_over)
		return false;
	TAILQ_FOREACH (earlier, ofono_modems(sims->ofono), link) {
		if (earlier == modem)
			return false;
		if (earlier != removed && !modem_is_foreign(earlier) &&
		    !sim_card_is_settled(earlier))
			break;
	}
	return store_sim_is_new(sims->store, card->card_identifier,
				card->subscriber_identity);
}

/* Returns the ID of a modem's card; 0 if it has none, or none yet. */
static int64_t sims_give_id(struct sims *sims, const struct modem *removed,
			    const struct modem *modem)
{
	struct modem_sim card;

	sim_card_read(modem, &card);
	if (!card.present || !sim_card_is_settled(modem))
		return 0;
	if (!sims_must_wait(sims, removed, modem, &card))
		return sim_card_ids_find(&sims->ids, sims->store, &card);
	if (!sd_event_source_get_enabled(sims->order_timer, NULL)) {
		sd_event_source_set_time_relative(sims->order_timer, SIM_ORDER_USEC);
		sd_event_source_set_enabled(sims->order_timer, SD_EVENT_ONESHOT);
	}
	return 0;
}

/* Adds the card of a modem to `list`, unless it is there from another modem. */
static void sims_add(struct sims *sims, const struct modem *removed,
		     struct sim_list *list, struct modem *modem, int slot)
{
	const struct sim *before;
	struct sim *sim;
	int64_t sim_id = sims_give_id(sims, removed, modem);

	if (!sim_id || sim_list_find(list, sim_id))
		return;
	sim = calloc(1, sizeof(*sim));
	if (!sim) {
		log_warning("sims: out of memory");
		return;
	}
	before = sim_list_find(&sims->list, sim_id);
	sim->id = sim_id;
	sim->stuck = before && before->stuck && before->modem == modem;
	sim->is_default = modem == ofono_default_modem(sims->ofono);
	sim_card_describe(sim, modem, slot);
	sim_list_insert(list, sim);
}

/* Reads the cards of the modems whose SimManager shows one, or else of the other modems. */
static void sims_read_modems(struct sims *sims, const struct modem *removed, bool present,
			     struct sim_list *list)
{
	struct modem *modem;
	int slot = 0;

	TAILQ_FOREACH (modem, ofono_modems(sims->ofono), link) {
		int slots = modem->card_slots ? modem->card_slots : 1;
		int active = modem->sim.active_slot;

		if (modem == removed || modem_is_foreign(modem))
			continue;
		if (modem->sim.present == present)
			sims_add(sims, removed, list, modem,
				 active && active <= slots ? slot + active - 1 : slot);
		slot += slots;
	}
}

static void sims_mark_duplicates(const struct sims *sims, const struct modem *removed,
				 struct sim_list *list)
{
	const struct modem *modem;
	struct sim *sim;

	TAILQ_FOREACH (sim, list, link) {
		TAILQ_FOREACH (modem, ofono_modems(sims->ofono), link) {
			if (modem != removed && modem != sim->modem &&
			    !modem_is_foreign(modem) &&
			    modem_sim_is_same(&modem->sim, &sim->modem->sim))
				sim->state = SIM_DUPLICATE;
		}
	}
}

/* Replaces the list; a card that is in both keeps its struct, with the new contents. */
static void sims_replace(struct sims *sims, struct sim_list *list)
{
	struct sim *fresh, *kept;
	struct sim_list merged = TAILQ_HEAD_INITIALIZER(merged);

	while ((fresh = TAILQ_FIRST(list))) {
		TAILQ_REMOVE(list, fresh, link);
		kept = sim_list_find(&sims->list, fresh->id);
		if (kept) {
			TAILQ_REMOVE(&sims->list, kept, link);
			*kept = *fresh;
			free(fresh);
		}
		TAILQ_INSERT_TAIL(&merged, kept ? kept : fresh, link);
	}
	sim_list_clear(&sims->list);
	TAILQ_CONCAT(&sims->list, &merged, link);
}

/* `removed` is a modem that is still listed, but about to go; NULL if there is none. */
static void sims_refresh(struct sims *sims, const struct modem *removed)
{
	struct sim_list list = TAILQ_HEAD_INITIALIZER(list);
	struct sims_event event = { SIMS_STATE };
	bool looks_same, sends_same, same_voicemail;
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(sims->ofono), link) {
		if (modem != removed && !modem_is_foreign(modem))
			sims_give_id(sims, removed, modem);
	}
	/* A card that a modem shows comes before one that oFono only remembers. */
	sims_read_modems(sims, removed, true, &list);
	sims_read_modems(sims, removed, false, &list);
	sims_mark_duplicates(sims, removed, &list);
	sim_card_make_names_unique(&list);
	looks_same = sim_list_is_same(&sims->list, &list, sim_looks_same);
	sends_same = sim_list_is_same(&sims->list, &list, sim_sends_same);
	same_voicemail = sim_list_is_same(&sims->list, &list, sim_has_same_voicemail);
	sims_replace(sims, &list);
	if (!looks_same || !sends_same || !same_voicemail) {
		sd_event_source_set_time_relative(sims->settle_timer, SIM_SETTLE_USEC);
		sd_event_source_set_enabled(sims->settle_timer, SD_EVENT_ONESHOT);
	}
	if (!sends_same)
		observers_notify(&sims->observers, &event);
}

static int sims_on_order_is_over(sd_event_source *source, uint64_t usec, void *data)
{
	struct sims *sims = data;

	sims->order_is_over = true;
	sims_refresh(sims, NULL);
	return 0;
}

static void sims_on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;
	struct sims *sims = data;

	switch (event->type) {
	case MODEM_ADDED:
	case MODEM_CHANGED:
	case OFONO_CHANGED:
		sims_refresh(sims, NULL);
		break;
	case MODEM_REMOVED:
		sims_refresh(sims, event->modem);
		break;
	default:
		break;
	}
}

int sims_new(sd_event *loop, struct ofono *ofono, struct store *store,
	     struct sims **sims_out)
{
	struct sims *sims = calloc(1, sizeof(*sims));
	int error;

	if (!sims)
		return -ENOMEM;
	sims->ofono = ofono;
	sims->store = store;
	sim_card_ids_init(&sims->ids);
	TAILQ_INIT(&sims->list);
	TAILQ_INIT(&sims->settled);
	observers_init(&sims->observers);
	error = sd_event_add_time_relative(loop, &sims->settle_timer, CLOCK_MONOTONIC,
					   SIM_SETTLE_USEC, SIM_SETTLE_ACCURACY_USEC,
					   sim_on_settled, sims);
	if (error >= 0)
		error = sd_event_add_time_relative(loop, &sims->order_timer,
						   CLOCK_MONOTONIC, SIM_ORDER_USEC, 0,
						   sims_on_order_is_over, sims);
	if (error < 0) {
		sd_event_source_disable_unref(sims->settle_timer);
		free(sims);
		return error;
	}
	sd_event_source_set_enabled(sims->settle_timer, SD_EVENT_OFF);
	sd_event_source_set_enabled(sims->order_timer, SD_EVENT_OFF);
	observer_add(ofono_observers(ofono), &sims->ofono_observer, sims_on_ofono_event,
		     sims);
	sims_refresh(sims, NULL);
	*sims_out = sims;
	return 0;
}

void sims_free(struct sims *sims)
{
	if (!sims)
		return;
	observer_remove(&sims->ofono_observer);
	observers_deinit(&sims->observers);
	sd_event_source_disable_unref(sims->settle_timer);
	sd_event_source_disable_unref(sims->order_timer);
	sim_list_clear(&sims->list);
	sim_list_clear(&sims->settled);
	sim_card_ids_deinit(&sims->ids);
	free(sims);
}

struct observers *sims_observers(struct sims *sims)
{
	return &sims->observers;
}

const struct sim_list *sims_list(const struct sims *sims)
{
	return &sims->list;
}

unsigned sims_count(const struct sims *sims)
{
	const struct sim *sim;
	unsigned count = 0;

	TAILQ_FOREACH (sim, &sims->list, link)
		count++;
	return count;
}

const struct sim *sims_find(const struct sims *sims, int64_t sim_id)
{
	return sim_list_find(&sims->list, sim_id);
}

bool sims_knows(const struct sims *sims, int64_t sim_id)
{
	return sim_list_find(&sims->list, sim_id) ||
	       !store_sim_known(sims->store, sim_id);
}

void sims_set_stuck(struct sims *sims, int64_t sim_id, bool stuck)
{
	struct sim *sim = sim_list_find(&sims->list, sim_id);

	if (!sim || sim->stuck == stuck)
		return;
	sim->stuck = stuck;
	sims_refresh(sims, NULL);
}

int64_t sims_identify(struct sims *sims, const struct modem_sim *facts)
{
	return sim_card_ids_find(&sims->ids, sims->store, facts);
}

/* The feed */

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
