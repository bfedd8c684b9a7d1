/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mark_sms_read: marks received messages as read, for all clients.
 */
#include "tools/change_source.h"
#include "tools/services.h"
#include "tools/tool_failure.h"
#include "tools/tool_table.h"

static const struct schema_field mark_sms_read_input[] = {
	{ "message_ids", SCHEMA_ARRAY, true,
	  "message_id of each message, from list_sms or wait_for_sms",
	  .items = SCHEMA_INTEGER },
	{ 0 },
};

static const struct schema_field mark_sms_read_output[] = {
	{ "count", SCHEMA_INTEGER, true, "How many of them were unread until now" },
	{ 0 },
};

static void mark_sms_read_answer(struct tool_call *call, unsigned count)
{
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);

	if (!writer) {
		tool_failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	json_open_object(writer);
	json_put_integer(writer, "count", count);
	json_close_object(writer);
	json_writer_free(writer);
	tool_call_succeed_with_json(call, &structured);
}

static void mark_sms_read_run(struct tool_call *call)
{
	const struct services *services = call->services;
	const struct json *array = json_member(call->arguments, "message_ids");
	/* one more than needed, so that NULL always means no memory */
	int64_t *ids = arena_alloc(call->arena, (array->count + 1) * sizeof(*ids));
	size_t count = 0;
	unsigned marked = 0;

	if (!ids) {
		tool_failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	json_foreach (item, array) {
		if (json_integer(item, &ids[count]))
			count++;
	}
	switch (store_incoming_mark_read(services->store, ids, count, &marked)) {
	case 0:
		if (marked)
			change_source_report_read(services->changes, ids, count);
		mark_sms_read_answer(call, marked);
		break;
	case STORE_E_FULL:
		tool_failure_answer(call, FAILURE_STORAGE_FULL,
				    "The phone's storage is full.");
		break;
	default:
		tool_failure_answer(call, FAILURE_INTERNAL,
				    "The messages could not be marked as read.");
	}
}

const struct tool tool_mark_sms_read = {
	.name = "mark_sms_read",
	.title = "Mark messages as read",
	.description =
		"Marks received messages as read, for every client of the gateway; "
		"nothing "
		"else does that. Call it when your user knows of them, or you have dealt "
		"with them. Costs nothing, and the senders don't learn of it. IDs that "
		"are "
		"unknown, already read or of sent messages are ignored and not counted.",
	.input = mark_sms_read_input,
	.output = mark_sms_read_output,
	.flags = TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.run = mark_sms_read_run,
};
