/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modems as oFono's last signals describe them. Listeners are notified when the checksum
 * changes. It leaves out the signal strength, which changes all the time.
 */
#include "tools/modem_view.h"

#include <string.h>

#include "ofono/modem.h"
#include "tools/obstacle.h"
#include "tools/view.h"

const struct schema_field modem_view_fields[] = {
	{ "modem", SCHEMA_STRING, true, "Its path in oFono" },
	{ "powered", SCHEMA_BOOLEAN, true, "It is switched on" },
	{ "online", SCHEMA_BOOLEAN, true, "Its radio is on: no flight mode" },
	{ "registration", SCHEMA_STRING, true, "Its network registration, in words" },
	{ "operator", SCHEMA_STRING, true, "The network's name, empty when unknown" },
	{ "technology", SCHEMA_STRING, true, "gsm, umts, lte, ...; empty when unknown" },
	{ "signal_percent", SCHEMA_INTEGER, true, "Signal strength, 0 when unknown" },
	{ "roaming", SCHEMA_BOOLEAN, true, "Registered with a foreign network" },
	{ "sim", SCHEMA_STRING, true,
	  "Its card: present, locked, none, unknown; remembered: it was there when the "
	  "modem was last switched on" },
	{ "sim_lock", SCHEMA_STRING, false, "What a locked card asks for: pin, puk" },
	{ "sim_retries", SCHEMA_INTEGER, false, "Attempts left, if it reports them" },
	{ "subscription_id", SCHEMA_INTEGER, false, "The card in it" },
	{ "card_slots", SCHEMA_INTEGER, false,
	  "Card slots, of which it uses one; left out when it has one" },
	{ "active_slot", SCHEMA_INTEGER, false, "The slot in use, from 1" },
	{ "service_centre", SCHEMA_STRING, true,
	  "Its SMS service centre: known, none, or unknown while oFono does not report it" },
	{ "warning", SCHEMA_STRING, false,
	  "What may make its messages fail; left out when nothing is known" },
	{ "why_not", SCHEMA_STRING, false,
	  "What stops it from sending; left out when nothing does" },
	{ 0 },
};

static const char *modem_view_registration(const struct modem *modem)
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

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(modem->network.status, rows[i].status) == 0)
			return rows[i].text;
	}
	return "unknown";
}

static void modem_view_write_card(struct json_writer *writer, const struct modem *modem,
				  const struct sim *sim)
{
	bool locked = modem_sim_lock_of(&modem->sim) != SIM_LOCK_NONE;

	json_put_string(writer, "sim",
			!modem->sim.known     ? (sim ? "remembered" : "unknown")
			: !modem->sim.present ? "none"
			: locked	      ? "locked"
					      : "present");
	if (locked) {
		view_put_line(writer, "sim_lock", modem->sim.pin_required);
		if (modem->sim.pin_retries)
			json_put_integer(writer, "sim_retries", modem->sim.pin_retries);
	}
	if (modem->card_slots > 1)
		json_put_integer(writer, "card_slots", modem->card_slots);
	if (modem->card_slots > 1 && modem->sim.active_slot)
		json_put_integer(writer, "active_slot", modem->sim.active_slot);
	if (sim)
		json_put_integer(writer, "subscription_id", sim->id);
}

static void modem_view_write_modem(struct json_writer *writer,
				   const struct services *services,
				   const struct modem *modem)
{
	static const char *const centres[] = {
		[CENTRE_UNREAD] = "unknown",
		[CENTRE_NONE] = "none",
		[CENTRE_KNOWN] = "known",
	};
	const struct obstacle_modem *obstacle = obstacle_of_modem(services, modem);
	const struct modem_network *network = &modem->network;
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(services->sims), link) {
		if (sim->modem == modem)
			break;
	}
	json_open_object(writer);
	json_put_string(writer, "modem", modem->path);
	json_put_boolean(writer, "powered", modem->powered);
	json_put_boolean(writer, "online", modem->online);
	json_put_string(writer, "registration", modem_view_registration(modem));
	view_put_line(writer, "operator", network->name);
	view_put_line(writer, "technology", network->technology);
	json_put_integer(writer, "signal_percent", network->strength);
	json_put_boolean(writer, "roaming", strcmp(network->status, "roaming") == 0);
	modem_view_write_card(writer, modem, sim);
	json_put_string(writer, "service_centre", centres[modem->centre]);
	if (modem->centre == CENTRE_NONE)
		json_put_string(
			writer, "warning",
			"oFono knows no service centre of its SIM: its messages are "
			"refused unless the modem itself knows one");
	if (obstacle)
		json_put_string(writer, "why_not", obstacle->text);
	json_close_object(writer);
}

void modem_view_write(struct json_writer *writer, const struct services *services)
{
	const struct modem *modem;

	json_key(writer, "modems");
	json_open_array(writer);
	TAILQ_FOREACH (modem, ofono_modems(services->ofono), link) {
		if (!modem_is_foreign(modem))
			modem_view_write_modem(writer, services, modem);
	}
	json_close_array(writer);
}

static uint64_t modem_view_add_text(uint64_t sum, const char *text)
{
	while (*text)
		sum = sum * 31 + (unsigned char)*text++;
	return sum * 31 + 1;
}

uint64_t modem_view_checksum(const struct services *services)
{
	const struct modem *modem;
	uint64_t sum = 0;

	TAILQ_FOREACH (modem, ofono_modems(services->ofono), link) {
		if (modem_is_foreign(modem))
			continue;
		/* obstacles and registrations are constants: their addresses identify them */
		sum = sum * 31 + (uintptr_t)obstacle_of_modem(services, modem);
		sum = sum * 31 + (uintptr_t)modem_view_registration(modem);
		sum = sum * 31 + 1 + modem->powered + 2 * (unsigned)modem->online +
		      4 * (unsigned)modem->centre +
		      16 * (unsigned)modem->sim.active_slot +
		      256 * (unsigned)modem->sim.pin_retries;
		sum = modem_view_add_text(sum, modem->network.name);
		sum = modem_view_add_text(sum, modem->network.technology);
		sum = modem_view_add_text(sum, modem->sim.pin_required);
	}
	return sum;
}
