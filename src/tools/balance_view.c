/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/balance_view.h"

#include "tools/message_view.h"

enum { MS_PER_SECOND = 1000 };

#define AMOUNT_FIELDS                                                                \
	{ "amount", SCHEMA_STRING, true,                                             \
	  "As a decimal number such as -12.50, exact; with as many decimals as the " \
	  "network wrote" },                                                         \
		{ "currency", SCHEMA_STRING, false,                                  \
		  "As the network wrote it; left out when it wrote none" },          \
		{ "read_at", SCHEMA_STRING, true, "When the network told it, RFC 3339" }

const struct schema_field balance_view_reading_fields[] = { AMOUNT_FIELDS, { 0 } };

const struct schema_field balance_view_fields[] = {
	{ "subscription_id", SCHEMA_INTEGER, true, "Number of the SIM card" },
	AMOUNT_FIELDS,
	{ "age_seconds", SCHEMA_INTEGER, true,
	  "How long ago that was; what was sent since is not taken off" },
	{ "code", SCHEMA_STRING, true, "What send_ussd dialled for it" },
	{ "minimum", SCHEMA_STRING, false, "Below this the owner lets nothing be sent" },
	{ "counts_until", SCHEMA_STRING, false,
	  "From then on it is too old to stop anything, RFC 3339" },
	{ "is_low", SCHEMA_BOOLEAN, true, "It stops all sending from this SIM" },
	{ 0 },
};

static void put_amount(struct json_writer *writer, const struct balance *balance,
		       int64_t read_ms)
{
	char amount[AMOUNT_BYTES];

	amount_write(&balance->amount, amount);
	json_put_string(writer, "amount", amount);
	if (*balance->currency)
		json_put_string(writer, "currency", balance->currency);
	message_view_put_time(writer, "read_at", read_ms);
}

void balance_view_put_reading(struct json_writer *writer, const struct balance *balance,
			      int64_t read_ms)
{
	json_key(writer, "balance");
	json_open_object(writer);
	put_amount(writer, balance, read_ms);
	json_close_object(writer);
}

static void write_known(struct json_writer *writer, int64_t sim_id,
			const struct policy_balance_state *balance)
{
	char minimum[AMOUNT_BYTES];

	json_open_object(writer);
	json_put_integer(writer, "subscription_id", sim_id);
	put_amount(writer, &balance->last.balance, balance->last.read_ms);
	json_put_integer(writer, "age_seconds", balance->last.age_ms / MS_PER_SECOND);
	json_put_string(writer, "code", balance->last.code);
	if (balance->has_minimum) {
		amount_write(&balance->minimum, minimum);
		json_put_string(writer, "minimum", minimum);
		message_view_put_time(writer, "counts_until", balance->counts_until_ms);
	}
	json_put_boolean(writer, "is_low", balance->is_low);
	json_close_object(writer);
}

int balance_view_write(struct json_writer *writer, const struct services *services,
		       const struct client *client)
{
	const struct sim *sim;
	int error = 0;

	json_open_array(writer);
	TAILQ_FOREACH (sim, sims_list(services->sims), link) {
		struct policy_balance_state balance;
		int found;

		if (!policy_allows_sim(client, sim->id))
			continue;
		found = policy_get_balance(services->policy, sim->id, &balance);
		if (!found)
			write_known(writer, sim->id, &balance);
		else if (found != STORE_E_NOT_FOUND)
			error = found;
	}
	json_close_array(writer);
	return error;
}
