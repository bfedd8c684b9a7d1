/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sims: at every event of a modem the list is built anew from oFono's facts; a card keeps
 * its struct for as long as it is present.
 *
 * SIMS_STATE is told while the event is: whoever hands messages over must not work with
 * facts of yesterday. SIMS_SETTLED compares with what was last told as settled, so a burst
 * that ends where it began tells nothing. SIMS_VOICEMAIL does likewise.
 */
#include "phone/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "ofono/modem.h"
#include "phone/sim_card.h"

enum { SETTLE_USEC = 100 * 1000, ACCURACY_USEC = 10 * 1000 };

struct sims {
	struct ofono *ofono;
	struct store *store;
	struct sim_cards cards; /* whose numbers were asked already */
	struct sim_list list;
	struct sim_list settled; /* copies of the list when it was last told; no modems */
	struct observers observers;
	struct observer ofono_observer;
	sd_event_source *settling; /* enabled while a burst goes on */
};

static const char *const sim_state_names[] = {
	[SIM_READY] = "ready",	   [SIM_SEARCHING] = "searching",
	[SIM_OFFLINE] = "offline", [SIM_STARTING] = "starting",
	[SIM_LOCKED] = "locked",   [SIM_DUPLICATE] = "duplicate",
	[SIM_STUCK] = "stuck",	   [SIM_OFF] = "modem_off",
	[SIM_ABSENT] = "absent",
};

static struct sim *list_find(const struct sim_list *list, int64_t sim_id)
{
	struct sim *sim;

	TAILQ_FOREACH (sim, list, link) {
		if (sim->id == sim_id)
			return sim;
	}
	return NULL;
}

static void list_clear(struct sim_list *list)
{
	struct sim *sim;

	while ((sim = TAILQ_FIRST(list))) {
		TAILQ_REMOVE(list, sim, link);
		free(sim);
	}
}

static bool sim_is_shown_alike(const struct sim *one, const struct sim *other)
{
	return one->id == other->id && one->slot == other->slot &&
	       one->state == other->state &&
	       !strcmp(one->carrier_name, other->carrier_name) &&
	       !strcmp(one->display_name, other->display_name) &&
	       !strcmp(one->own_number, other->own_number) &&
	       one->roaming == other->roaming && one->is_default == other->is_default;
}

static bool list_is_shown_alike(const struct sim_list *one, const struct sim_list *other)
{
	const struct sim *a = TAILQ_FIRST(one), *b = TAILQ_FIRST(other);

	for (; a && b; a = TAILQ_NEXT(a, link), b = TAILQ_NEXT(b, link)) {
		if (!sim_is_shown_alike(a, b))
			return false;
	}
	return !a && !b;
}

/* All bytes of the facts count: they have no padding. */
static bool list_has_the_same_voicemail(const struct sim_list *one,
					const struct sim_list *other)
{
	const struct sim *a = TAILQ_FIRST(one), *b = TAILQ_FIRST(other);

	for (; a && b; a = TAILQ_NEXT(a, link), b = TAILQ_NEXT(b, link)) {
		if (a->id != b->id ||
		    memcmp(&a->voicemail, &b->voicemail, sizeof(a->voicemail)) != 0)
			return false;
	}
	return !a && !b;
}

/* Does it differ for whoever sends? */
static bool list_is_used_alike(const struct sim_list *one, const struct sim_list *other)
{
	const struct sim *a = TAILQ_FIRST(one), *b = TAILQ_FIRST(other);

	for (; a && b; a = TAILQ_NEXT(a, link), b = TAILQ_NEXT(b, link)) {
		if (a->id != b->id || a->modem != b->modem || a->state != b->state)
			return false;
	}
	return !a && !b;
}

static bool list_copy(struct sim_list *to, const struct sim_list *from)
{
	const struct sim *sim;

	TAILQ_FOREACH (sim, from, link) {
		struct sim *copy = malloc(sizeof(*copy));

		if (!copy)
			return false;
		*copy = *sim;
		copy->modem = NULL; /* may be gone by the time it is compared */
		TAILQ_INSERT_TAIL(to, copy, link);
	}
	return true;
}

/* What is in `now` and not, or in another state, in `before`. */
static void log_arrivals(const struct sims *sims)
{
	const struct sim *sim, *before;
	struct modem_sim card;

	TAILQ_FOREACH (sim, &sims->list, link) {
		before = list_find(&sims->settled, sim->id);
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

static void log_departures(const struct sims *sims)
{
	const struct sim *sim;

	TAILQ_FOREACH (sim, &sims->settled, link) {
		if (!list_find(&sims->list, sim->id))
			log_info("sim %lld: gone from slot %d", (long long)sim->id,
				 sim->slot);
	}
}

static int on_settled(sd_event_source *source, uint64_t usec, void *data)
{
	struct sims *sims = data;
	struct sims_event list_event = { SIMS_SETTLED };
	struct sims_event voicemail_event = { SIMS_VOICEMAIL };
	bool shown_alike = list_is_shown_alike(&sims->list, &sims->settled);
	bool same_voicemail = list_has_the_same_voicemail(&sims->list, &sims->settled);

	(void)source;
	(void)usec;
	if (shown_alike && same_voicemail)
		return 0;
	log_departures(sims);
	log_arrivals(sims);
	list_clear(&sims->settled);
	if (!list_copy(&sims->settled, &sims->list))
		log_warning("sims: out of memory");
	if (!shown_alike)
		observers_notify(&sims->observers, &list_event);
	if (!same_voicemail)
		observers_notify(&sims->observers, &voicemail_event);
	return 0;
}

static void sims_settle_later(struct sims *sims)
{
	sd_event_source_set_time_relative(sims->settling, SETTLE_USEC);
	sd_event_source_set_enabled(sims->settling, SD_EVENT_ONESHOT);
}

static bool is_stuck(const struct sims *sims, int64_t sim_id, const struct modem *modem)
{
	const struct sim *before = list_find(&sims->list, sim_id);

	return before && before->stuck && before->modem == modem;
}

static void list_insert(struct sim_list *list, struct sim *sim)
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

/* The card of a modem, added to `list` unless it is there from another modem. */
static void sims_add(struct sims *sims, struct sim_list *list, struct modem *modem,
		     int slot)
{
	struct modem_sim card;
	struct sim *sim;
	int64_t sim_id;

	sim_card_read(modem, &card);
	sim_id = sim_cards_identify(&sims->cards, sims->store, &card);
	if (!sim_id || list_find(list, sim_id))
		return;
	sim = calloc(1, sizeof(*sim));
	if (!sim) {
		log_warning("sims: out of memory");
		return;
	}
	sim->id = sim_id;
	sim->stuck = is_stuck(sims, sim_id, modem);
	sim->is_default = modem == ofono_default_modem(sims->ofono);
	sim_describe(sim, modem, slot);
	list_insert(list, sim);
}

static void find_duplicates(const struct sims *sims, const struct modem *removed,
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

/* Of the modems that show a card, or else of those that do not. */
static void sims_read_some(struct sims *sims, const struct modem *removed, bool present,
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
			sims_add(sims, list, modem,
				 active && active <= slots ? slot + active - 1 : slot);
		slot += slots;
	}
}

/* What a modem shows comes before what is remembered of one that is off. */
static void sims_read(struct sims *sims, const struct modem *removed,
		      struct sim_list *list)
{
	sims_read_some(sims, removed, true, list);
	sims_read_some(sims, removed, false, list);
	find_duplicates(sims, removed, list);
	sims_name_apart(list);
}

/* Puts the structs that are known already in the place of their new copies. */
static void sims_keep(struct sims *sims, struct sim_list *list)
{
	struct sim *fresh, *kept;
	struct sim_list merged = TAILQ_HEAD_INITIALIZER(merged);

	while ((fresh = TAILQ_FIRST(list))) {
		TAILQ_REMOVE(list, fresh, link);
		kept = list_find(&sims->list, fresh->id);
		if (kept) {
			TAILQ_REMOVE(&sims->list, kept, link);
			*kept = *fresh;
			free(fresh);
		}
		TAILQ_INSERT_TAIL(&merged, kept ? kept : fresh, link);
	}
	list_clear(&sims->list);
	TAILQ_CONCAT(&sims->list, &merged, link);
}

/* `removed`: a modem that is about to go, and counts no more. */
static void sims_refresh(struct sims *sims, const struct modem *removed)
{
	struct sim_list list = TAILQ_HEAD_INITIALIZER(list);
	struct sims_event event = { SIMS_STATE };
	bool shown_alike, used_alike, same_voicemail;

	sims_read(sims, removed, &list);
	shown_alike = list_is_shown_alike(&sims->list, &list);
	used_alike = list_is_used_alike(&sims->list, &list);
	same_voicemail = list_has_the_same_voicemail(&sims->list, &list);
	sims_keep(sims, &list);
	if (!shown_alike || !used_alike || !same_voicemail)
		sims_settle_later(sims);
	if (!used_alike)
		observers_notify(&sims->observers, &event);
}

static void on_ofono_event(void *data, const void *event_data)
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
	sim_cards_init(&sims->cards);
	TAILQ_INIT(&sims->list);
	TAILQ_INIT(&sims->settled);
	observers_init(&sims->observers);
	error = sd_event_add_time_relative(loop, &sims->settling, CLOCK_MONOTONIC,
					   SETTLE_USEC, ACCURACY_USEC, on_settled, sims);
	if (error < 0) {
		free(sims);
		return error;
	}
	sd_event_source_set_enabled(sims->settling, SD_EVENT_OFF);
	observer_add(ofono_observers(ofono), &sims->ofono_observer, on_ofono_event, sims);
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
	sd_event_source_disable_unref(sims->settling);
	list_clear(&sims->list);
	list_clear(&sims->settled);
	sim_cards_deinit(&sims->cards);
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
	return list_find(&sims->list, sim_id);
}

bool sims_is_known(const struct sims *sims, int64_t sim_id)
{
	return list_find(&sims->list, sim_id) || !store_sim_known(sims->store, sim_id);
}

void sims_set_stuck(struct sims *sims, int64_t sim_id, bool stuck)
{
	struct sim *sim = list_find(&sims->list, sim_id);

	if (!sim || sim->stuck == stuck)
		return;
	sim->stuck = stuck;
	sims_refresh(sims, NULL);
}

int64_t sims_identify(struct sims *sims, const struct modem_sim *facts)
{
	return sim_cards_identify(&sims->cards, sims->store, facts);
}

const char *sim_state_name(enum sim_state state)
{
	return sim_state_names[state];
}
