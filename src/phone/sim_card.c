/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a card comes from the first line that applies:
 *
 *   card not shown, modem on     starting
 *   card not shown, modem off    off: oFono remembers the card
 *   PIN required                 locked
 *   modem not online             offline
 *   no MessageManager            starting
 *   not registered               searching
 *   otherwise                    ready, or stuck when the outbox says so
 */
#include "phone/sim_card.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum { SIM_CARD_IDS_MAX = 64 };

struct sim_card_id {
	int64_t sim_id;
	char iccid[sizeof(((struct modem_sim *)0)->card_identifier)];
	char imsi[sizeof(((struct modem_sim *)0)->subscriber_identity)];
	TAILQ_ENTRY(sim_card_id) link;
};

static bool sim_card_has_identity(const struct modem_sim *facts)
{
	return facts->card_identifier[0] || facts->subscriber_identity[0];
}

/* ---- IDs */

void sim_card_ids_init(struct sim_card_ids *ids)
{
	TAILQ_INIT(&ids->list);
	ids->count = 0;
	ids->failing = false;
}

void sim_card_ids_deinit(struct sim_card_ids *ids)
{
	struct sim_card_id *id;

	while ((id = TAILQ_FIRST(&ids->list))) {
		TAILQ_REMOVE(&ids->list, id, link);
		free(id);
		ids->count--;
	}
	assert(!ids->count);
}

/* Without memory the store is just asked again the next time. */
static void sim_card_ids_add(struct sim_card_ids *ids, const struct modem_sim *facts,
			     int64_t sim_id)
{
	struct sim_card_id *id = calloc(1, sizeof(*id));

	if (!id)
		return;
	id->sim_id = sim_id;
	strcpy(id->iccid, facts->card_identifier);
	strcpy(id->imsi, facts->subscriber_identity);
	TAILQ_INSERT_HEAD(&ids->list, id, link);
	if (++ids->count <= SIM_CARD_IDS_MAX)
		return;
	id = TAILQ_LAST(&ids->list, sim_card_id_list);
	TAILQ_REMOVE(&ids->list, id, link);
	free(id);
	ids->count--;
}

int64_t sim_card_ids_find(struct sim_card_ids *ids, struct store *store,
			  const struct modem_sim *facts)
{
	const struct sim_card_id *id;
	int64_t sim_id;
	int error;

	if (!facts->present || !sim_card_has_identity(facts))
		return 0;
	TAILQ_FOREACH (id, &ids->list, link) {
		if (!strcmp(id->iccid, facts->card_identifier) &&
		    !strcmp(id->imsi, facts->subscriber_identity))
			return id->sim_id;
	}
	error = store_sim_identify(store, facts->card_identifier,
				   facts->subscriber_identity, &sim_id);
	if (error) {
		if (!ids->failing)
			log_error("sims: cannot store the ID of a card: %s",
				  error < 0 ? strerror(-error) : "the disk is full");
		ids->failing = true;
		return 0;
	}
	ids->failing = false;
	sim_card_ids_add(ids, facts, sim_id);
	return sim_id;
}

/* ---- facts */

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

bool sim_card_is_settled(const struct modem *modem)
{
	struct modem_sim card;

	sim_card_read(modem, &card);
	return card.present ? sim_card_has_identity(&card) : modem->sim.known;
}

/* ---- state and names */

static enum sim_state sim_card_state(const struct modem *modem, bool stuck)
{
	if (!modem->sim.present)
		return modem->powered ? SIM_STARTING : SIM_OFF;
	if (modem_sim_lock_of(&modem->sim) != SIM_LOCK_NONE)
		return SIM_LOCKED;
	if (!modem->online)
		return SIM_OFFLINE;
	if (!(modem->interfaces & MODEM_MESSAGE_MANAGER))
		return SIM_STARTING;
	if (!modem_can_send(modem))
		return SIM_SEARCHING;
	return stuck ? SIM_STUCK : SIM_READY;
}

static void sim_card_describe_carrier(struct sim *sim, const struct modem *modem,
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

void sim_card_describe(struct sim *sim, struct modem *modem, int slot)
{
	struct modem_sim card;
	const char *name = card.service_provider_name;

	sim_card_read(modem, &card);
	sim->modem = modem;
	sim->slot = slot;
	sim->state = sim_card_state(modem, sim->stuck);
	sim->roaming = strcmp(modem->network.status, "roaming") == 0;
	sim->voicemail = modem->voicemail;
	snprintf(sim->own_number, sizeof(sim->own_number), "%s", modem->sim.own_number);
	sim_card_describe_carrier(sim, modem, &card);
	if (!name[0])
		name = sim->carrier_name;
	if (name[0])
		snprintf(sim->display_name, sizeof(sim->display_name), "%s", name);
	else
		snprintf(sim->display_name, sizeof(sim->display_name), "SIM %d",
			 slot + 1);
}

static void sim_card_append_slot(struct sim *sim)
{
	size_t length = strlen(sim->display_name);

	snprintf(sim->display_name + length, sizeof(sim->display_name) - length,
		 " (SIM %d)", sim->slot + 1);
}

void sim_card_make_names_unique(struct sim_list *list)
{
	struct sim *sim, *other;
	bool shared;

	TAILQ_FOREACH (sim, list, link) {
		shared = false;
		for (other = TAILQ_NEXT(sim, link); other;
		     other = TAILQ_NEXT(other, link)) {
			if (strcmp(sim->display_name, other->display_name) != 0)
				continue;
			sim_card_append_slot(other);
			shared = true;
		}
		if (shared)
			sim_card_append_slot(sim);
	}
}
