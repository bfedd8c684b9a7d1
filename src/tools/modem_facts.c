/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/modem_facts.h"

#include <string.h>

#include "ofono/modem.h"
#include "tools/message_view.h"

const struct schema_field modem_facts_fields[] = {
	{ "modem", SCHEMA_STRING, true, "Its path in oFono" },
	{ "powered", SCHEMA_BOOLEAN, true, "It is switched on" },
	{ "online", SCHEMA_BOOLEAN, true, "Its radio is on: no flight mode" },
	{ "registration", SCHEMA_STRING, true, "Where it stands with the network" },
	{ "operator", SCHEMA_STRING, true, "The network's name, empty when unknown" },
	{ "technology", SCHEMA_STRING, true, "gsm, umts, lte, ...; empty when unknown" },
	{ "signal_percent", SCHEMA_INTEGER, true, "Signal strength, 0 when unknown" },
	{ "roaming", SCHEMA_BOOLEAN, true, "Registered with a foreign network" },
	{ "sim", SCHEMA_STRING, true,
	  "The card in it: present, locked, none, unknown; remembered: it was in it when "
	  "the modem was switched on last" },
	{ "sim_lock", SCHEMA_STRING, false, "What a locked card asks for: pin, puk" },
	{ "sim_retries", SCHEMA_INTEGER, false, "Tries that it leaves, where it tells" },
	{ "subscription_id", SCHEMA_INTEGER, false, "Number of the card in it" },
	{ "card_slots", SCHEMA_INTEGER, false,
	  "Slots for cards, of which it uses one; left out when it has one" },
	{ "active_slot", SCHEMA_INTEGER, false, "The slot in use, from 1" },
	{ "service_centre", SCHEMA_STRING, true,
	  "Where it hands messages in: known, none, or unknown while oFono tells "
	  "nothing" },
	{ "warning", SCHEMA_STRING, false,
	  "What may make a message fail that it sends; left out when nothing is known" },
	{ "why_not", SCHEMA_STRING, false,
	  "What stops it from sending; left out when nothing does" },
	{ 0 },
};

static const struct sim *sim_in(const struct services *services,
				const struct modem *modem)
{
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(services->sims), link) {
		if (sim->modem == modem)
			return sim;
	}
	return NULL;
}

/* What a modem shows without a SIM of ours in it, in the order of telling. */

/* What it remembers of its card it shows when it is off, too. */
static bool is_off(const struct modem *modem)
{
	return !modem->powered && !(modem->interfaces & ~(uint32_t)MODEM_SIM_INFO);
}

static bool is_unread(const struct modem *modem)
{
	return !modem->sim.known;
}

static bool has_no_card(const struct modem *modem)
{
	return !modem->sim.present;
}

static bool is_locked(const struct modem *modem)
{
	return modem_sim_lock_of(&modem->sim) != SIM_LOCK_NONE;
}

/* Then the card is told of the one that comes first. */
static bool is_elsewhere(const struct services *services, const struct modem *modem)
{
	const struct modem *other;

	TAILQ_FOREACH (other, ofono_modems(services->ofono), link) {
		if (other != modem && modem_sim_is_same(&modem->sim, &other->sim))
			return true;
	}
	return false;
}

static const struct {
	bool (*holds)(const struct modem *modem);
	struct modem_obstacle obstacle;
} modem_obstacles[] = {
	{ is_off, { "it is switched off", "as root", "ofono-mcp modem on" } },
	{ is_unread, { "oFono does not tell yet whether a SIM is in it" } },
	{ has_no_card, { "no SIM is in it", "insert one" } },
};

static const struct modem_obstacle lock_obstacles[] = {
	[SIM_LOCK_NONE] = { NULL },
	[SIM_LOCK_PIN] = { "its SIM waits for its PIN", NULL, "ofono-mcp unlock" },
	[SIM_LOCK_PUK] = { "its SIM waits for its PUK", NULL, "ofono-mcp unlock --puk" },
	[SIM_LOCK_OTHER] = { "a lock of the phone or the network holds its SIM, which "
			     "neither PIN nor PUK opens",
			     "the seller of the phone has its code" },
};

static const struct modem_obstacle sim_obstacles[] = {
	[SIM_READY] = { NULL },
	[SIM_SEARCHING] = { "no network has taken its SIM", "look for reception" },
	[SIM_OFFLINE] = { "it is in flight mode", "as root", "ofono-mcp modem on" },
	[SIM_STARTING] = { "it does not take messages yet" },
	[SIM_LOCKED] = { NULL }, /* its lock tells */
	[SIM_DUPLICATE] = { "its SIM is in two modems, and each would send the message",
			    "to switch one of them off, as root", "ofono-mcp modem off" },
	[SIM_STUCK] = { "it is stuck: it does not finish a message that it has",
			"as root", "ofono-mcp modem off", "ofono-mcp modem on" },
	[SIM_OFF] = { "it is switched off", "as root", "ofono-mcp modem on" },
	[SIM_ABSENT] = { "no SIM is in it", "insert one" },
};

static const struct modem_obstacle restricted = {
	"its SIM is limited to a list of numbers (fixed or barred dialling), and oFono "
	"sends "
	"no messages with such a card",
	"end that in another phone, with its PIN2",
};
static const struct modem_obstacle denied = {
	"the network refuses its SIM",
	"ask who issued it whether it is valid here",
};
static const struct modem_obstacle unknown = {
	"its SIM tells no identity yet",
};

static const struct modem_obstacle *obstacle_of_sim(const struct modem *modem,
						    enum sim_state state)
{
	if (state == SIM_STARTING && modem_sim_is_restricted(&modem->sim))
		return &restricted;
	if (state == SIM_SEARCHING && strcmp(modem->network.status, "denied") == 0)
		return &denied;
	return sim_obstacles[state].text ? &sim_obstacles[state] : NULL;
}

const struct modem_obstacle *modem_facts_obstacle(const struct services *services,
						  const struct modem *modem)
{
	const struct sim *sim = sim_in(services, modem);

	if (sim && sim->state != SIM_LOCKED)
		return obstacle_of_sim(modem, sim->state);
	for (size_t at = 0; at < sizeof(modem_obstacles) / sizeof(modem_obstacles[0]);
	     at++) {
		if (modem_obstacles[at].holds(modem))
			return &modem_obstacles[at].obstacle;
	}
	if (is_elsewhere(services, modem))
		return &sim_obstacles[SIM_DUPLICATE];
	if (is_locked(modem))
		return &lock_obstacles[modem_sim_lock_of(&modem->sim)];
	return &unknown;
}

static const char *registration_of(const struct modem *modem)
{
	static const struct {
		const char *status;
		const char *text;
	} rows[] = {
		{ "registered", "registered with its own network" },
		{ "roaming", "registered with a foreign network" },
		{ "searching", "looking for a network" },
		{ "denied", "refused by the network" },
		{ "unregistered", "not registered, and not looking for a network" },
	};

	for (size_t at = 0; at < sizeof(rows) / sizeof(rows[0]); at++) {
		if (strcmp(modem->network.status, rows[at].status) == 0)
			return rows[at].text;
	}
	return "unknown";
}

static const char *card_of(const struct modem *modem, const struct sim *sim)
{
	if (is_unread(modem))
		return sim ? "remembered" : "unknown";
	if (has_no_card(modem))
		return "none";
	return is_locked(modem) ? "locked" : "present";
}

static void write_network(struct json_writer *writer, const struct modem *modem)
{
	const struct modem_network *network = &modem->network;

	json_put_string(writer, "registration", registration_of(modem));
	message_view_put_line(writer, "operator", network->name);
	message_view_put_line(writer, "technology", network->technology);
	json_put_integer(writer, "signal_percent", network->strength);
	json_put_boolean(writer, "roaming", strcmp(network->status, "roaming") == 0);
}

static void write_slots(struct json_writer *writer, const struct modem *modem)
{
	if (modem->card_slots > 1)
		json_put_integer(writer, "card_slots", modem->card_slots);
	if (modem->card_slots > 1 && modem->sim.active_slot)
		json_put_integer(writer, "active_slot", modem->sim.active_slot);
}

static void write_card(struct json_writer *writer, const struct modem *modem,
		       const struct sim *sim)
{
	json_put_string(writer, "sim", card_of(modem, sim));
	if (!is_locked(modem))
		return;
	message_view_put_line(writer, "sim_lock", modem->sim.pin_required);
	if (modem->sim.pin_retries)
		json_put_integer(writer, "sim_retries", modem->sim.pin_retries);
}

static void write_centre(struct json_writer *writer, const struct modem *modem)
{
	static const char *const words[] = {
		[CENTRE_UNREAD] = "unknown",
		[CENTRE_NONE] = "none",
		[CENTRE_KNOWN] = "known",
	};

	json_put_string(writer, "service_centre", words[modem->centre]);
	if (modem->centre == CENTRE_NONE)
		json_put_string(writer, "warning",
				"oFono knows no service centre of its SIM: what it sends "
				"is refused, unless the modem knows one");
}

static void write_modem(struct json_writer *writer, const struct services *services,
			const struct modem *modem)
{
	const struct modem_obstacle *obstacle = modem_facts_obstacle(services, modem);
	const struct sim *sim = sim_in(services, modem);

	json_open_object(writer);
	json_put_string(writer, "modem", modem->path);
	json_put_boolean(writer, "powered", modem->powered);
	json_put_boolean(writer, "online", modem->online);
	write_network(writer, modem);
	write_card(writer, modem, sim);
	write_slots(writer, modem);
	if (sim)
		json_put_integer(writer, "subscription_id", sim->id);
	write_centre(writer, modem);
	if (obstacle)
		json_put_string(writer, "why_not", obstacle->text);
	json_close_object(writer);
}

void modem_facts_write(struct json_writer *writer, const struct services *services)
{
	const struct modem *modem;

	json_key(writer, "modems");
	json_open_array(writer);
	TAILQ_FOREACH (modem, ofono_modems(services->ofono), link) {
		if (!modem_is_foreign(modem))
			write_modem(writer, services, modem);
	}
	json_close_array(writer);
}

static uint64_t add_text(uint64_t sum, const char *text)
{
	while (*text)
		sum = sum * 31 + (unsigned char)*text++;
	return sum * 31 + 1;
}

/* The words are constants: their addresses tell one from the other. */
uint64_t modem_facts_sum(const struct services *services)
{
	const struct modem *modem;
	uint64_t sum = 0;

	TAILQ_FOREACH (modem, ofono_modems(services->ofono), link) {
		if (modem_is_foreign(modem))
			continue;
		sum = sum * 31 + (uintptr_t)modem_facts_obstacle(services, modem);
		sum = sum * 31 + (uintptr_t)registration_of(modem);
		sum = sum * 31 + 1 + modem->powered + 2 * (unsigned)modem->online +
		      4 * (unsigned)modem->centre +
		      16 * (unsigned)modem->sim.active_slot +
		      256 * (unsigned)modem->sim.pin_retries;
		sum = add_text(sum, modem->network.name);
		sum = add_text(sum, modem->network.technology);
		sum = add_text(sum, modem->sim.pin_required);
	}
	return sum;
}
