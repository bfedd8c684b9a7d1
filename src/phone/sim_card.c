/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "phone/sim_card.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "ofono/modem.h"

struct sim_card {
	int64_t sim_id;
	char iccid[sizeof(((struct modem_sim *)0)->card_identifier)];
	char imsi[sizeof(((struct modem_sim *)0)->subscriber_identity)];
	TAILQ_ENTRY(sim_card) link;
};

void sim_cards_init(struct sim_cards *cards)
{
	TAILQ_INIT(&cards->list);
	cards->count = 0;
	cards->failing = false;
}

void sim_cards_deinit(struct sim_cards *cards)
{
	struct sim_card *card;

	while ((card = TAILQ_FIRST(&cards->list))) {
		TAILQ_REMOVE(&cards->list, card, link);
		free(card);
		cards->count--;
	}
	assert(!cards->count);
}

static int64_t cards_find(const struct sim_cards *cards, const struct modem_sim *facts)
{
	const struct sim_card *card;

	TAILQ_FOREACH (card, &cards->list, link) {
		if (!strcmp(card->iccid, facts->card_identifier) &&
		    !strcmp(card->imsi, facts->subscriber_identity))
			return card->sim_id;
	}
	return 0;
}

/* For want of memory it is asked again the next time. */
static void cards_remember(struct sim_cards *cards, const struct modem_sim *facts,
			   int64_t sim_id)
{
	struct sim_card *card = calloc(1, sizeof(*card));

	if (!card)
		return;
	card->sim_id = sim_id;
	strcpy(card->iccid, facts->card_identifier);
	strcpy(card->imsi, facts->subscriber_identity);
	TAILQ_INSERT_HEAD(&cards->list, card, link);
	if (++cards->count <= SIM_CARDS_MAX)
		return;
	card = TAILQ_LAST(&cards->list, sim_card_list);
	TAILQ_REMOVE(&cards->list, card, link);
	free(card);
	cards->count--;
}

int64_t sim_cards_identify(struct sim_cards *cards, struct store *store,
			   const struct modem_sim *facts)
{
	int64_t sim_id;
	int error;

	if (!facts->present ||
	    (!facts->card_identifier[0] && !facts->subscriber_identity[0]))
		return 0;
	sim_id = cards_find(cards, facts);
	if (sim_id)
		return sim_id;
	error = store_sim_identify(store, facts->card_identifier,
				   facts->subscriber_identity, &sim_id);
	if (error) {
		if (!cards->failing)
			log_error("sims: a card gets no number: %s",
				  error < 0 ? strerror(-error) : "the disk is full");
		cards->failing = true;
		return 0;
	}
	cards->failing = false;
	cards_remember(cards, facts, sim_id);
	return sim_id;
}

void sim_card_read(const struct modem *modem, struct modem_sim *facts_out)
{
	const struct modem_remembered_card *card = &modem->remembered;

	*facts_out = modem->sim;
	if (facts_out->known || facts_out->present || facts_out->active_slot ||
	    (!card->card_identifier[0] && !card->subscriber_identity[0]))
		return;
	facts_out->present = true;
	strcpy(facts_out->card_identifier, card->card_identifier);
	strcpy(facts_out->subscriber_identity, card->subscriber_identity);
	strcpy(facts_out->service_provider_name, card->service_provider_name);
}

const char *sim_card_tail(const struct modem_sim *facts)
{
	const char *identity = facts->card_identifier[0] ? facts->card_identifier
							 : facts->subscriber_identity;
	size_t length = strlen(identity);

	return length > 4 ? identity + length - 4 : identity;
}

static enum sim_state modem_sim_state(const struct modem *modem)
{
	if (!modem->sim.present)
		return modem->powered ? SIM_STARTING : SIM_OFF;
	if (modem_sim_lock_of(&modem->sim) != SIM_LOCK_NONE)
		return SIM_LOCKED;
	if (!modem->online)
		return SIM_OFFLINE;
	if (!(modem->interfaces & MODEM_MESSAGE_MANAGER))
		return SIM_STARTING;
	return modem_can_send(modem) ? SIM_READY : SIM_SEARCHING;
}

static enum sim_state sim_state_of(const struct sim *sim)
{
	enum sim_state state = modem_sim_state(sim->modem);

	return state == SIM_READY && sim->stuck ? SIM_STUCK : state;
}

static void describe_carrier(struct sim *sim, const struct modem *modem,
			     const struct modem_sim *card)
{
	const struct modem_network *network = &modem->network;
	const char *name = network->name[0] ? network->name : card->service_provider_name;

	if (name[0])
		snprintf(sim->carrier_name, sizeof(sim->carrier_name), "%s", name);
	else if (network->mobile_country_code[0])
		snprintf(sim->carrier_name, sizeof(sim->carrier_name), "%s%s",
			 network->mobile_country_code, network->mobile_network_code);
	else
		snprintf(sim->carrier_name, sizeof(sim->carrier_name), "%s%s",
			 card->mobile_country_code, card->mobile_network_code);
}

void sim_describe(struct sim *sim, struct modem *modem, int slot)
{
	struct modem_sim card;
	const char *name = card.service_provider_name;

	sim_card_read(modem, &card);
	sim->modem = modem;
	sim->slot = slot;
	sim->state = sim_state_of(sim);
	sim->roaming = strcmp(modem->network.status, "roaming") == 0;
	sim->voicemail = modem->voicemail;
	snprintf(sim->own_number, sizeof(sim->own_number), "%s", modem->sim.own_number);
	describe_carrier(sim, modem, &card);
	if (!name[0])
		name = sim->carrier_name;
	if (name[0])
		snprintf(sim->display_name, sizeof(sim->display_name), "%s", name);
	else
		snprintf(sim->display_name, sizeof(sim->display_name), "SIM %d",
			 slot + 1);
}

static void name_append_slot(struct sim *sim)
{
	size_t length = strlen(sim->display_name);

	snprintf(sim->display_name + length, sizeof(sim->display_name) - length,
		 " (SIM %d)", sim->slot + 1);
}

void sims_name_apart(struct sim_list *list)
{
	struct sim *sim, *other;
	bool shared;

	TAILQ_FOREACH (sim, list, link) {
		shared = false;
		for (other = TAILQ_NEXT(sim, link); other;
		     other = TAILQ_NEXT(other, link)) {
			if (strcmp(sim->display_name, other->display_name) != 0)
				continue;
			name_append_slot(other);
			shared = true;
		}
		if (shared)
			name_append_slot(sim);
	}
}
