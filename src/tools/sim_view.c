/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All of it comes from signals that oFono sent earlier and from the store; nothing here calls
 * oFono. A balance is what send_ussd read last, so it has an age, and what was sent since is
 * not deducted.
 */
#include "tools/sim_view.h"

#include <string.h>

#include "base/hash.h"
#include "ofono/modem.h"
#include "tools/obstacle.h"
#include "tools/view.h"

enum { SIM_VIEW_MS_PER_SECOND = 1000 };

const struct schema_field sim_view_fields[] = {
	{ "subscription_id", SCHEMA_INTEGER, true,
	  "Identifies the SIM card for send_sms; never changes" },
	{ "sim_slot_index", SCHEMA_INTEGER, false, "Slot the card is in now, from 0" },
	{ "carrier_name", SCHEMA_STRING, false, "Network operator" },
	{ "display_name", SCHEMA_STRING, true, "Name to show to a user" },
	{ "state", SCHEMA_STRING, true,
	  "ready: can send now; searching: no network; offline: flight mode; locked: "
	  "asks for a code; starting; duplicate: in two modems, so that each message "
	  "would be sent twice; stuck: its modem does not finish a message; modem_off: "
	  "its modem is switched off" },
	{ "can_send", SCHEMA_BOOLEAN, false,
	  "It could send now; get_gateway_status says whether you may" },
	{ "own_number", SCHEMA_STRING, false, "The card's own number, often empty" },
	{ "roaming", SCHEMA_BOOLEAN, false, "Registered with a foreign network" },
	{ "default", SCHEMA_BOOLEAN, false,
	  "Chosen in the phone's settings, as far as oFono reports it" },
	{ "signal_percent", SCHEMA_INTEGER, false, "Signal strength, 0 when unknown" },
	{ 0 },
};

static void sim_view_write_sim(struct json_writer *writer, const struct sim *sim,
			       enum sim_view_detail detail)
{
	json_open_object(writer);
	json_put_integer(writer, "subscription_id", sim->id);
	if (detail != SIM_VIEW_STATE) {
		json_put_integer(writer, "sim_slot_index", sim->slot);
		view_put_line(writer, "carrier_name", sim->carrier_name);
	}
	view_put_line(writer, "display_name", sim->display_name);
	if (detail == SIM_VIEW_STATE) {
		json_put_string(writer, "state", sim_state_name(sim->state));
		if (sim->roaming)
			json_put_boolean(writer, "roaming", true);
	} else if (detail == SIM_VIEW_FULL) {
		json_put_string(writer, "state", sim_state_name(sim->state));
		json_put_boolean(writer, "can_send", sim->state == SIM_READY);
		view_put_line(writer, "own_number", sim->own_number);
		json_put_boolean(writer, "roaming", sim->roaming);
		json_put_boolean(writer, "default", sim->is_default);
		json_put_integer(writer, "signal_percent", sim->modem->network.strength);
	}
	json_close_object(writer);
}

void sim_view_write(struct json_writer *writer, const struct sims *sims,
		    enum sim_view_detail detail)
{
	const struct sim *sim;

	json_open_object(writer);
	json_put_integer(writer, "count", sims_count(sims));
	json_open_array_at(writer, "subscriptions");
	TAILQ_FOREACH (sim, sims_list(sims), link)
		sim_view_write_sim(writer, sim, detail);
	json_close_array(writer);
	json_close_object(writer);
}

const struct schema_field sim_view_voicemail_fields[] = {
	{ "subscription_id", SCHEMA_INTEGER, true, "The SIM card" },
	{ "voicemail", SCHEMA_STRING, true,
	  "waiting, none, or unknown: the modem does not report it" },
	{ "message_count", SCHEMA_INTEGER, true,
	  "Voicemail messages; 0 while waiting: the network did not say how many" },
	{ "mailbox_number", SCHEMA_STRING, true,
	  "Number to call for it, empty when unknown" },
	{ 0 },
};

static const char *sim_view_voicemail_state(const struct modem_voicemail *voicemail)
{
	if (!voicemail->known)
		return "unknown";
	return voicemail->waiting ? "waiting" : "none";
}

void sim_view_put_voicemail(struct json_writer *writer, const char *key,
			    const struct sims *sims, bool waiting_only)
{
	const struct sim *sim;

	json_open_array_at(writer, key);
	TAILQ_FOREACH (sim, sims_list(sims), link) {
		if (waiting_only && !sim->voicemail.waiting)
			continue;
		json_open_object(writer);
		json_put_integer(writer, "subscription_id", sim->id);
		json_put_string(writer, "voicemail",
				sim_view_voicemail_state(&sim->voicemail));
		json_put_integer(writer, "message_count", sim->voicemail.count);
		view_put_line(writer, "mailbox_number", sim->voicemail.mailbox_number);
		json_close_object(writer);
	}
	json_close_array(writer);
}

#define SIM_VIEW_AMOUNT_FIELDS                                                  \
	{ "amount", SCHEMA_STRING, true,                                        \
	  "Exact decimal number such as -12.50, with the network's decimals" }, \
		{ "currency", SCHEMA_STRING, false,                             \
		  "As the network wrote it; left out when it wrote none" },     \
		{ "read_at", SCHEMA_STRING, true,                               \
		  "When the network reported it, RFC 3339" }

const struct schema_field sim_view_reading_fields[] = { SIM_VIEW_AMOUNT_FIELDS, { 0 } };

const struct schema_field sim_view_balance_fields[] = {
	{ "subscription_id", SCHEMA_INTEGER, true, "The SIM card" },
	SIM_VIEW_AMOUNT_FIELDS,
	{ "age_seconds", SCHEMA_INTEGER, true,
	  "How long ago that was; what was sent since is not deducted" },
	{ "code", SCHEMA_STRING, true, "The code that send_ussd dialled for it" },
	{ "minimum", SCHEMA_STRING, false, "Below this the owner forbids sending" },
	{ "counts_until", SCHEMA_STRING, false,
	  "After this it is too old to stop anything, RFC 3339" },
	{ "is_low", SCHEMA_BOOLEAN, true, "It stops all sending from this SIM" },
	{ 0 },
};

static void sim_view_put_amount(struct json_writer *writer, const struct balance *balance,
				int64_t read_ms)
{
	char amount[AMOUNT_BYTES];

	amount_write(&balance->amount, amount);
	json_put_string(writer, "amount", amount);
	if (*balance->currency)
		json_put_string(writer, "currency", balance->currency);
	view_put_time(writer, "read_at", read_ms);
}

void sim_view_put_reading(struct json_writer *writer, const struct balance *balance,
			  int64_t read_ms)
{
	json_open_object_at(writer, "balance");
	sim_view_put_amount(writer, balance, read_ms);
	json_close_object(writer);
}

static void sim_view_write_balance(struct json_writer *writer, int64_t sim_id,
				   const struct policy_balance_state *balance)
{
	char minimum[AMOUNT_BYTES];

	json_open_object(writer);
	json_put_integer(writer, "subscription_id", sim_id);
	sim_view_put_amount(writer, &balance->last.balance, balance->last.read_ms);
	json_put_integer(writer, "age_seconds",
			 balance->last.age_ms / SIM_VIEW_MS_PER_SECOND);
	json_put_string(writer, "code", balance->last.code);
	if (balance->has_minimum) {
		amount_write(&balance->minimum, minimum);
		json_put_string(writer, "minimum", minimum);
		view_put_time(writer, "counts_until", balance->counts_until_ms);
	}
	json_put_boolean(writer, "is_low", balance->is_low);
	json_close_object(writer);
}

int sim_view_write_balances(struct json_writer *writer, const struct services *services,
			    const struct client *client)
{
	const struct sim *sim;
	int error = 0;

	json_open_array(writer);
	TAILQ_FOREACH (sim, sims_list(services->sims), link) {
		struct policy_balance_state balance;
		int found;

		if (!policy_sim_is_allowed(client, sim->id))
			continue;
		found = policy_get_balance(services->policy, sim->id, &balance);
		if (!found)
			sim_view_write_balance(writer, sim->id, &balance);
		else if (found != STORE_E_NOT_FOUND)
			error = found;
	}
	json_close_array(writer);
	return error;
}

/*
 * ---- modems
 *
 * Listeners are notified when the checksum changes. It leaves out the signal strength, which
 * changes all the time.
 */

const struct schema_field sim_view_modem_fields[] = {
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

static const char *sim_view_registration(const struct modem *modem)
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

static void sim_view_write_card(struct json_writer *writer, const struct modem *modem,
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

static void sim_view_write_modem(struct json_writer *writer,
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
	json_put_string(writer, "registration", sim_view_registration(modem));
	view_put_line(writer, "operator", network->name);
	view_put_line(writer, "technology", network->technology);
	json_put_integer(writer, "signal_percent", network->strength);
	json_put_boolean(writer, "roaming", strcmp(network->status, "roaming") == 0);
	sim_view_write_card(writer, modem, sim);
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

void sim_view_put_modems(struct json_writer *writer, const struct services *services)
{
	const struct modem *modem;

	json_open_array_at(writer, "modems");
	TAILQ_FOREACH (modem, ofono_modems(services->ofono), link) {
		if (!modem_is_foreign(modem))
			sim_view_write_modem(writer, services, modem);
	}
	json_close_array(writer);
}

uint64_t sim_view_modem_checksum(const struct services *services)
{
	const struct modem *modem;
	uint64_t sum = HASH_START;

	TAILQ_FOREACH (modem, ofono_modems(services->ofono), link) {
		/* obstacles and registrations are constants: their addresses identify them */
		const void *const words[] = { obstacle_of_modem(services, modem),
					      sim_view_registration(modem) };
		const unsigned numbers[] = { modem->powered, modem->online, modem->centre,
					     modem->sim.active_slot,
					     modem->sim.pin_retries };

		if (modem_is_foreign(modem))
			continue;
		sum = hash_add(sum, words, sizeof(words));
		sum = hash_add(sum, numbers, sizeof(numbers));
		sum = hash_add(sum, modem->network.name, strlen(modem->network.name) + 1);
		sum = hash_add(sum, modem->network.technology,
			       strlen(modem->network.technology) + 1);
		sum = hash_add(sum, modem->sim.pin_required,
			       strlen(modem->sim.pin_required) + 1);
	}
	return sum;
}
