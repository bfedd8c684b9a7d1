/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * get_sms_subscriptions: the active SIMs, from cached signals, without asking oFono.
 */
#include <string.h>

#include "tools/services.h"
#include "tools/tool_table.h"

static const struct schema_field input[] = { { 0 } };

static const struct schema_field subscription[] = {
	{ "subscription_id", SCHEMA_INTEGER, true,
	  "Number of the SIM card for send_sms; stays with the card for ever" },
	{ "sim_slot_index", SCHEMA_INTEGER, true, "Slot the card is in now, from 0" },
	{ "carrier_name", SCHEMA_STRING, true, "Network operator" },
	{ "display_name", SCHEMA_STRING, true, "Name to show to a person" },
	{ "state", SCHEMA_STRING, true,
	  "ready: can send now; searching: no network; offline: flight mode; starting; "
	  "locked: waits for its PIN" },
	{ "can_send", SCHEMA_BOOLEAN, true, "Whether send_sms would be accepted now" },
	{ "own_number", SCHEMA_STRING, true, "The card's own number, often empty" },
	{ "roaming", SCHEMA_BOOLEAN, true, "Registered with a foreign network" },
	{ "signal_percent", SCHEMA_INTEGER, true, "Signal strength, 0 when unknown" },
	{ 0 },
};

static const struct schema_field output[] = {
	{ "count", SCHEMA_INTEGER, true, "Number of SIMs" },
	{ "subscriptions", SCHEMA_ARRAY, true, "In order of slot",
	  .members = subscription },
	{ 0 },
};

static void write_identity(struct json_writer *writer, const struct sim *sim)
{
	json_put_integer(writer, "subscription_id", sim->id);
	json_put_integer(writer, "sim_slot_index", sim->slot);
	json_put_string(writer, "carrier_name", sim->carrier_name);
	json_put_string(writer, "display_name", sim->display_name);
}

static void write_details(struct json_writer *writer, const struct sim *sim)
{
	json_put_string(writer, "state", sim_state_name(sim->state));
	json_put_boolean(writer, "can_send", sim->state == SIM_READY);
	json_put_string(writer, "own_number", sim->own_number);
	json_put_boolean(writer, "roaming", sim->roaming);
	json_put_integer(writer, "signal_percent", sim->modem->network.strength);
}

enum detail {
	BRIEF, /* the four members of the original app, nothing else */
	FULL,
};

static void write_list(struct buffer *body, const struct sims *sims, enum detail detail)
{
	struct json_writer *writer = json_writer_new(body);
	const struct sim *sim;

	if (!writer)
		return;
	json_open_object(writer);
	json_put_integer(writer, "count", sims_count(sims));
	json_key(writer, "subscriptions");
	json_open_array(writer);
	TAILQ_FOREACH (sim, sims_list(sims), link) {
		json_open_object(writer);
		write_identity(writer, sim);
		if (detail == FULL)
			write_details(writer, sim);
		json_close_object(writer);
	}
	json_close_array(writer);
	json_close_object(writer);
	json_writer_free(writer);
}

static void run(struct tool_call *call)
{
	const struct services *services = call->services;
	struct buffer text = BUFFER_INIT, structured = BUFFER_INIT;

	write_list(&text, services->sims, BRIEF);
	write_list(&structured, services->sims, FULL);
	tool_call_succeed(call,
			  text.failed ? NULL
				      : arena_copy(call->arena, text.data, text.length),
			  &structured, false);
	buffer_deinit(&text);
}

const struct tool tool_get_sms_subscriptions = {
	.name = "get_sms_subscriptions",
	.title = "List the SIM cards",
	.description = "Lists the SIM cards in this phone, each with the subscription_id "
		       "that send_sms "
		       "takes. Call it before send_sms when the phone may hold more than "
		       "one SIM. Costs "
		       "nothing. A SIM whose state is not ready is listed too, but "
		       "cannot send now.",
	.input = input,
	.output = output,
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.run = run,
};
