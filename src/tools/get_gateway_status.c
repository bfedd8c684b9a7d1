/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * get_gateway_status: how the gateway is, what is left of the limits, and what stops a
 * message now, all from what is known here.
 */
#include "tools/failure.h"
#include "tools/status_view.h"
#include "tools/tool_table.h"

static const struct schema_field input[] = { { 0 } };

static void run(struct tool_call *call)
{
	const struct status_view view = {
		.services = call->services,
		.client = call->client,
		.arena = call->arena,
	};
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);
	int error;

	if (!writer) {
		failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	error = status_view_write(writer, &view);
	json_writer_free(writer);
	if (!error) {
		tool_call_succeed_plainly(call, &structured);
		return;
	}
	buffer_deinit(&structured);
	failure_answer(
		call, FAILURE_INTERNAL,
		"What was sent lately, or when the gateway could not hear, could not "
		"be read.");
}

const struct tool tool_get_gateway_status = {
	.name = "get_gateway_status",
	.title = "Ask how the gateway is",
	.description =
		"Tells whether a message could be sent now and what stops it, which SIM "
		"cards there are, how many messages wait, what the owner lets you send "
		"in "
		"words, how much is left of each limit and when there will be more, and "
		"when the gateway could not hear. Call it when a send was refused, or "
		"before many messages. Costs nothing. It does not tell of a recipient or "
		"a text: send_sms with dry_run does.",
	.input = input,
	.output = status_view_fields,
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.run = run,
};
