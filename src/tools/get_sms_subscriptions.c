/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * get_sms_subscriptions: the active SIMs, from cached signals, without asking oFono.
 */
#include "tools/kept_answer.h"
#include "tools/services.h"
#include "tools/sim_view.h"
#include "tools/tool_table.h"

static const struct schema_field input[] = { { 0 } };

static const struct schema_field output[] = {
	{ "count", SCHEMA_INTEGER, true, "Number of SIMs" },
	{ "subscriptions", SCHEMA_ARRAY, true, "In order of slot",
	  .members = sim_view_fields },
	{ 0 },
};

static void write_list(struct buffer *body, const struct sims *sims, enum sim_view view)
{
	struct json_writer *writer = json_writer_new(body);

	if (!writer)
		return;
	sim_view_write(writer, sims, view);
	json_writer_free(writer);
}

static int write_answer(const struct tool_call *call, struct tool_answer *answer,
			int64_t *until_ms)
{
	const struct services *services = call->services;
	struct buffer text = BUFFER_INIT, structured = BUFFER_INIT;

	(void)until_ms;

	write_list(&text, services->sims, SIM_VIEW_BRIEF);
	write_list(&structured, services->sims, SIM_VIEW_FULL);
	tool_answer_make(answer,
			 text.failed ? NULL
				     : arena_copy(call->arena, text.data, text.length),
			 &structured, false);
	buffer_deinit(&text);
	return 0;
}

static void run(struct tool_call *call)
{
	static const struct kept_writing writing = { write_answer };

	kept_answer_finish(call, KEPT_SUBSCRIPTIONS, &writing);
}

const struct tool tool_get_sms_subscriptions = {
	.name = "get_sms_subscriptions",
	.title = "List the SIM cards",
	.description =
		"Lists the SIM cards in this phone, each with the subscription_id that "
		"send_sms takes. Call it before send_sms when the phone may hold more "
		"than one SIM. Costs nothing. A SIM whose state is not ready is listed "
		"too, but cannot send now.",
	.input = input,
	.output = output,
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.run = run,
};
