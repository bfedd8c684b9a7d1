/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.SimManager: the card.
 *
 * When the card is taken out oFono signals Present=false and nothing else; when one is put
 * in, Present=true and then the rest bit by bit. At power-up with a card inside, Present is
 * not signalled at all: a card that has an identity is present.
 *
 * Some modems have several slots and use the card of one: in another slot is another card.
 * ofonod signals the slot at once, and shows the card that it knew until the driver tells of
 * the other one.
 */
#include <string.h>

#include "ofono/interface.h"
#include "bus/property.h"
#include "ofono/query.h"

static const char *const locks[SIM_LOCKS_MAX] = {
	"pin",	     "phone",	      "firstphone", "pin2",
	"network",   "netsub",	      "service",    "corp",
	"puk",	     "firstphonepuk", "puk2",	    "networkpuk",
	"netsubpuk", "servicepuk",    "corppuk",    NULL,
};

static const struct property properties[] = {
	PROPERTY("Present", PROPERTY_BOOLEAN, struct sim_facts, present),
	PROPERTY("FixedDialing", PROPERTY_BOOLEAN, struct sim_facts, fixed_dialing),
	PROPERTY("BarredDialing", PROPERTY_BOOLEAN, struct sim_facts, barred_dialing),
	PROPERTY("CardIdentifier", PROPERTY_STRING, struct sim_facts, card_identifier),
	PROPERTY("SubscriberIdentity", PROPERTY_STRING, struct sim_facts,
		 subscriber_identity),
	PROPERTY("PinRequired", PROPERTY_STRING, struct sim_facts, pin_required),
	PROPERTY("MobileCountryCode", PROPERTY_STRING, struct sim_facts,
		 mobile_country_code),
	PROPERTY("MobileNetworkCode", PROPERTY_STRING, struct sim_facts,
		 mobile_network_code),
	PROPERTY("ServiceProviderName", PROPERTY_STRING, struct sim_facts,
		 service_provider_name),
	PROPERTY("SubscriberNumbers", PROPERTY_FIRST, struct sim_facts, own_number),
	PROPERTY("CardSlotCount", PROPERTY_SMALL, struct sim_facts, card_slots),
	PROPERTY("ActiveCardSlot", PROPERTY_SMALL, struct sim_facts, active_slot),
	PROPERTY("Retries", PROPERTY_COUNTS, struct sim_facts, retries, .words = locks),
};

enum { PROPERTIES = sizeof(properties) / sizeof(properties[0]) };

static uint8_t retries_of(const struct sim_facts *sim)
{
	for (size_t i = 0; locks[i]; i++) {
		if (strcmp(locks[i], sim->pin_required) == 0)
			return sim->retries[i];
	}
	return 0;
}

/* Makes the facts agree with each other, and tells when any differs. */
static void put(struct modem *modem, struct sim_facts *sim)
{
	if (sim->card_identifier[0] || sim->subscriber_identity[0])
		sim->present = sim->known = true;
	sim->pin_retries = retries_of(sim);
	if (sim->card_slots)
		modem->card_slots = sim->card_slots;
	/* All bytes count: the struct has no padding. */
	if (memcmp(&modem->sim, sim, sizeof(*sim)) == 0)
		return;
	modem->sim = *sim;
	modem_changed(modem);
}

static bool is_left(const struct modem *modem, const struct sim_facts *sim)
{
	const struct sim_facts *left = &modem->queries->left;

	return (sim->card_identifier[0] &&
		strcmp(sim->card_identifier, left->card_identifier) == 0) ||
	       (sim->subscriber_identity[0] &&
		strcmp(sim->subscriber_identity, left->subscriber_identity) == 0);
}

static void answered(struct modem *modem, DBusMessageIter *dictionary)
{
	struct sim_facts sim = { .known = true };

	if (dictionary) {
		property_store_all(properties, PROPERTIES, dictionary, &sim);
		if (!is_left(modem, &sim))
			put(modem, &sim);
	}
	ofono_settled(modem->ofono);
}

static void appeared(struct modem *modem)
{
	modem->queries->sim.interface = interface_sim_manager.name;
	modem->queries->sim.answered = answered;
	query_start(&modem->queries->sim);
}

static void vanished(struct modem *modem)
{
	query_stop(&modem->queries->sim);
	ofono_settled(modem->ofono);
	memset(&modem->sim, 0, sizeof(modem->sim));
	memset(&modem->queries->left, 0, sizeof(modem->queries->left));
}

static void signal_present(struct modem *modem, DBusMessage *signal)
{
	struct sim_facts sim = {
		.known = true,
		.present = modem->sim.present,
		.card_slots = modem->sim.card_slots,
		.active_slot = modem->sim.active_slot,
	};

	if (!property_changed(properties, PROPERTIES, signal, &sim) && modem->sim.known)
		return;
	memset(&modem->queries->left, 0, sizeof(modem->queries->left));
	put(modem, &sim);
	if (sim.present && (modem->interfaces & MODEM_SIM_MANAGER))
		query_start(&modem->queries->sim);
}

/* Nothing that was told is true of the card in another slot. */
static void signal_slot(struct modem *modem, DBusMessage *signal)
{
	struct sim_facts sim = modem->sim;

	if (!property_changed(properties, PROPERTIES, signal, &sim))
		return;
	if (!modem->sim.active_slot) {
		put(modem, &sim);
		return;
	}
	modem->queries->left = modem->sim;
	sim = (struct sim_facts){ .card_slots = sim.card_slots,
				  .active_slot = sim.active_slot };
	put(modem, &sim);
	if (modem->interfaces & MODEM_SIM_MANAGER)
		query_start(&modem->queries->sim);
}

static void on_signal(struct modem *modem, DBusMessage *signal)
{
	const char *name = property_changed_name(signal);
	struct sim_facts sim = modem->sim;

	if (!name)
		return;
	if (strcmp(name, "Present") == 0) {
		signal_present(modem, signal);
		return;
	}
	if (strcmp(name, "ActiveCardSlot") == 0) {
		signal_slot(modem, signal);
		return;
	}
	if (property_changed(properties, PROPERTIES, signal, &sim))
		put(modem, &sim);
}

const struct interface interface_sim_manager = {
	.name = "org.ofono.SimManager",
	.bit = MODEM_SIM_MANAGER,
	.appeared = appeared,
	.vanished = vanished,
	.signal = on_signal,
};
