/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.SimManager: the SIM card; and org.nemomobile.ofono.SimInfo of the forks, which
 * names the card even while the modem is off. SimManager is right where both are present.
 *
 * When a card is removed, oFono signals Present=false and nothing else; when one is inserted,
 * Present=true and then the rest property by property. At power-up with a card inside, it does
 * not signal Present at all: a card that has an identity is present.
 *
 * Some modems have several slots and use the card in one of them. oFono signals a new active
 * slot at once, but goes on showing the previous card until the driver has read the new one.
 */
#include <string.h>

#include "bus/property.h"
#include "ofono/modem_interface.h"

static const char *const sim_manager_locks[MODEM_SIM_LOCKS_MAX] = {
	"pin",	     "phone",	      "firstphone", "pin2",
	"network",   "netsub",	      "service",    "corp",
	"puk",	     "firstphonepuk", "puk2",	    "networkpuk",
	"netsubpuk", "servicepuk",    "corppuk",    NULL,
};

static const struct property sim_manager_properties[] = {
	PROPERTY("Present", PROPERTY_BOOLEAN, struct modem_sim, present),
	PROPERTY("FixedDialing", PROPERTY_BOOLEAN, struct modem_sim, fixed_dialing),
	PROPERTY("BarredDialing", PROPERTY_BOOLEAN, struct modem_sim, barred_dialing),
	PROPERTY("CardIdentifier", PROPERTY_STRING, struct modem_sim, card_identifier),
	PROPERTY("SubscriberIdentity", PROPERTY_STRING, struct modem_sim,
		 subscriber_identity),
	PROPERTY("PinRequired", PROPERTY_STRING, struct modem_sim, pin_required),
	PROPERTY("MobileCountryCode", PROPERTY_STRING, struct modem_sim,
		 mobile_country_code),
	PROPERTY("MobileNetworkCode", PROPERTY_STRING, struct modem_sim,
		 mobile_network_code),
	PROPERTY("ServiceProviderName", PROPERTY_STRING, struct modem_sim,
		 service_provider_name),
	PROPERTY("SubscriberNumbers", PROPERTY_FIRST, struct modem_sim, own_number),
	PROPERTY("CardSlotCount", PROPERTY_SMALL, struct modem_sim, card_slots),
	PROPERTY("ActiveCardSlot", PROPERTY_SMALL, struct modem_sim, active_slot),
	PROPERTY("Retries", PROPERTY_COUNTS, struct modem_sim, retries,
		 .words = sim_manager_locks),
};

enum {
	SIM_MANAGER_PROPERTIES =
		sizeof(sim_manager_properties) / sizeof(sim_manager_properties[0])
};

static uint8_t sim_manager_retries(const struct modem_sim *sim)
{
	for (size_t i = 0; sim_manager_locks[i]; i++) {
		if (strcmp(sim_manager_locks[i], sim->pin_required) == 0)
			return sim->retries[i];
	}
	return 0;
}

/* Stores the facts, made consistent with each other, and reports a change. */
static void sim_manager_store(struct modem *modem, struct modem_sim *sim)
{
	if (sim->card_identifier[0] || sim->subscriber_identity[0])
		sim->present = sim->known = true;
	sim->pin_retries = sim_manager_retries(sim);
	if (sim->card_slots)
		modem->card_slots = sim->card_slots;
	/* memcmp() is safe: the struct has no padding. */
	if (memcmp(&modem->sim, sim, sizeof(*sim)) == 0)
		return;
	modem->sim = *sim;
	ofono_bus_report_change(modem);
}

/* Does oFono still show the card in the slot that was active before? */
static bool sim_manager_is_left_card(const struct modem *modem,
				     const struct modem_sim *sim)
{
	const struct modem_sim *left = &modem->data->left_card;

	return (sim->card_identifier[0] &&
		strcmp(sim->card_identifier, left->card_identifier) == 0) ||
	       (sim->subscriber_identity[0] &&
		strcmp(sim->subscriber_identity, left->subscriber_identity) == 0);
}

static void sim_manager_read(struct modem *modem, DBusMessageIter *dictionary)
{
	struct modem_sim sim = { .known = true };

	if (dictionary) {
		property_store_all(sim_manager_properties, SIM_MANAGER_PROPERTIES,
				   dictionary, &sim);
		if (!sim_manager_is_left_card(modem, &sim))
			sim_manager_store(modem, &sim);
	}
	ofono_bus_settled(modem->bus);
}

static void sim_manager_appeared(struct modem *modem)
{
	ofono_bus_properties_get(&modem->data->sim, modem, sim_manager_interface.name,
				 sim_manager_read);
}

static void sim_manager_vanished(struct modem *modem)
{
	ofono_bus_properties_stop(&modem->data->sim);
	ofono_bus_settled(modem->bus);
	memset(&modem->sim, 0, sizeof(modem->sim));
	memset(&modem->data->left_card, 0, sizeof(modem->data->left_card));
}

static void sim_manager_on_present(struct modem *modem, DBusMessage *signal)
{
	struct modem_sim sim = {
		.known = true,
		.present = modem->sim.present,
		.card_slots = modem->sim.card_slots,
		.active_slot = modem->sim.active_slot,
	};

	if (!property_changed(sim_manager_properties, SIM_MANAGER_PROPERTIES, signal,
			      &sim) &&
	    modem->sim.known)
		return;
	memset(&modem->data->left_card, 0, sizeof(modem->data->left_card));
	sim_manager_store(modem, &sim);
	if (sim.present && (modem->interfaces & MODEM_SIM_MANAGER))
		sim_manager_appeared(modem);
}

/* A change of slot voids everything that is known of the card. */
static void sim_manager_on_slot(struct modem *modem, DBusMessage *signal)
{
	struct modem_sim sim = modem->sim;

	if (!property_changed(sim_manager_properties, SIM_MANAGER_PROPERTIES, signal,
			      &sim))
		return;
	if (!modem->sim.active_slot) {
		sim_manager_store(modem, &sim);
		return;
	}
	modem->data->left_card = modem->sim;
	sim = (struct modem_sim){ .card_slots = sim.card_slots,
				  .active_slot = sim.active_slot };
	sim_manager_store(modem, &sim);
	if (modem->interfaces & MODEM_SIM_MANAGER)
		sim_manager_appeared(modem);
}

static void sim_manager_on_signal(struct modem *modem, DBusMessage *signal)
{
	const char *name = property_changed_name(signal);
	struct modem_sim sim = modem->sim;

	if (!name)
		return;
	if (strcmp(name, "Present") == 0)
		sim_manager_on_present(modem, signal);
	else if (strcmp(name, "ActiveCardSlot") == 0)
		sim_manager_on_slot(modem, signal);
	else if (property_changed(sim_manager_properties, SIM_MANAGER_PROPERTIES, signal,
				  &sim))
		sim_manager_store(modem, &sim);
}

const struct modem_interface sim_manager_interface = {
	.name = "org.ofono.SimManager",
	.bit = MODEM_SIM_MANAGER,
	.appeared = sim_manager_appeared,
	.vanished = sim_manager_vanished,
	.signal = sim_manager_on_signal,
};

/* ---- org.nemomobile.ofono.SimInfo */

/* Each has a signal with the new value as its only argument. */
static const struct {
	const char *signal;
	size_t offset, size; /* in struct modem_remembered_card */
} sim_manager_info_facts[] = {
#define SIM_MANAGER_INFO_FACT(name, member)                     \
	{ name, offsetof(struct modem_remembered_card, member), \
	  sizeof(((struct modem_remembered_card *)0)->member) }
	SIM_MANAGER_INFO_FACT("CardIdentifierChanged", card_identifier),
	SIM_MANAGER_INFO_FACT("SubscriberIdentityChanged", subscriber_identity),
	SIM_MANAGER_INFO_FACT("ServiceProviderNameChanged", service_provider_name),
};

enum {
	SIM_MANAGER_INFO_FACTS =
		sizeof(sim_manager_info_facts) / sizeof(sim_manager_info_facts[0])
};

static bool sim_manager_info_store(struct modem *modem, size_t fact, const char *text)
{
	return property_put_text((char *)&modem->remembered +
					 sim_manager_info_facts[fact].offset,
				 sim_manager_info_facts[fact].size, text);
}

static void sim_manager_info_on_reply(void *data, DBusMessage *reply)
{
	const char *texts[SIM_MANAGER_INFO_FACTS]; /* ICCID, IMSI, provider's name */
	struct modem *modem = data;
	dbus_int32_t version;
	bool differs = false;

	modem->data->modem_remembered_card = NULL;
	if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_INT32, &version,
				   DBUS_TYPE_STRING, &texts[0], DBUS_TYPE_STRING,
				   &texts[1], DBUS_TYPE_STRING, &texts[2],
				   DBUS_TYPE_INVALID))
		return;
	for (size_t i = 0; i < SIM_MANAGER_INFO_FACTS; i++)
		differs |= sim_manager_info_store(modem, i, texts[i]);
	if (differs)
		ofono_bus_report_change(modem);
}

static void sim_manager_info_appeared(struct modem *modem)
{
	modem->data->modem_remembered_card = ofono_bus_call(
		modem->bus,
		ofono_bus_message(modem->path, sim_manager_info_interface.name, "GetAll"),
		OFONO_TIMEOUT_MS, sim_manager_info_on_reply, modem);
}

static void sim_manager_info_vanished(struct modem *modem)
{
	bus_call_cancel(modem->data->modem_remembered_card);
	modem->data->modem_remembered_card = NULL;
	memset(&modem->remembered, 0, sizeof(modem->remembered));
}

static void sim_manager_info_on_signal(struct modem *modem, DBusMessage *signal)
{
	const char *text;

	if (!dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &text,
				   DBUS_TYPE_INVALID))
		return;
	for (size_t i = 0; i < SIM_MANAGER_INFO_FACTS; i++) {
		if (dbus_message_has_member(signal, sim_manager_info_facts[i].signal) &&
		    sim_manager_info_store(modem, i, text))
			ofono_bus_report_change(modem);
	}
}

const struct modem_interface sim_manager_info_interface = {
	.name = "org.nemomobile.ofono.SimInfo",
	.bit = MODEM_SIM_INFO,
	.appeared = sim_manager_info_appeared,
	.vanished = sim_manager_info_vanished,
	.signal = sim_manager_info_on_signal,
};
