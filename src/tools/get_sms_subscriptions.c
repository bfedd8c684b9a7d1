/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * get_sms_subscriptions and sms://subscriptions: the active SIMs, known from oFono's signals.
 * oFono is not called.
 */
#include "tools/services.h"
#include "tools/sim_view.h"
#include "tools/tool_table.h"

static const struct schema_field get_sms_subscriptions_input[] = { { 0 } };

static const struct schema_field get_sms_subscriptions_output[] = {
	{ "count", SCHEMA_INTEGER, true, "Number of SIMs" },
	{ "subscriptions", SCHEMA_ARRAY, true, "In order of slot",
	  .members = sim_view_fields },
	{ 0 },
};

static void get_sms_subscriptions_write(struct buffer *body, const struct sims *sims,
					enum sim_view_detail detail)
{
	struct json_writer *writer = json_writer_new(body);

	if (!writer)
		return;
	sim_view_write(writer, sims, detail);
	json_writer_free(writer);
}

/* The text block has the four members of the original app, for agents that parse it. */
static void get_sms_subscriptions_run(struct tool_call *call)
{
	struct buffer text = BUFFER_INIT, structured = BUFFER_INIT;

	get_sms_subscriptions_write(&text, call->services->sims, SIM_VIEW_BRIEF);
	get_sms_subscriptions_write(&structured, call->services->sims, SIM_VIEW_FULL);
	tool_call_succeed(call,
			  text.failed ? NULL
				      : arena_copy(call->arena, text.data, text.length),
			  &structured, false);
	buffer_deinit(&text);
}

const struct tool tool_get_sms_subscriptions = {
	.name = "get_sms_subscriptions",
	.title = "List the SIM cards",
	.description =
		"List the phone's SIM cards by name, each with the subscription_id "
		"that other tools take. A SIM whose state (get_gateway_status shows it) is "
		"not ready can't send now.",
	.input = get_sms_subscriptions_input,
	.output = get_sms_subscriptions_output,
	.listed = (const char *const[]){ "count", "subscriptions", NULL },
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.run = get_sms_subscriptions_run,
};

static int get_sms_subscriptions_write_resource(const struct resource_call *call,
						struct json_writer *writer)
{
	sim_view_write(writer, call->services->sims, SIM_VIEW_FULL);
	return 0;
}

const struct resource resource_subscriptions = {
	.uri = "sms://subscriptions",
	.name = "subscriptions",
	.title = "SIM cards",
	.description = "The SIM cards in this phone and whether they can send. Subscribe "
		       "to learn when one comes, goes or changes its state; changes of "
		       "the signal alone are not reported.",
	.scopes = CLIENT_READ,
	.write = get_sms_subscriptions_write_resource,
};
