/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mark_sms_read: received messages are marked as read, for all clients.
 */
#include "tools/change_source.h"
#include "tools/failure.h"
#include "tools/services.h"
#include "tools/tool_table.h"

static const struct schema_field input[] = {
	{ "message_ids", SCHEMA_ARRAY, true,
	  "message_id of each message, as list_sms or wait_for_sms gives it",
	  .items = SCHEMA_INTEGER },
	{ 0 },
};

static const struct schema_field output[] = {
	{ "count", SCHEMA_INTEGER, true,
	  "How many of them were unread and are read now" },
	{ 0 },
};

/* NULL: no memory; one more than there are, so that none is not nothing. */
static int64_t *read_ids(struct tool_call *call, size_t *count_out)
{
	const struct json *array = json_member(call->arguments, "message_ids");
	int64_t *ids = arena_alloc(call->arena, (array->count + 1) * sizeof(*ids)),
		*end = ids;

	if (!ids)
		return NULL;
	json_foreach (item, array) {
		if (json_integer(item, end))
			end++;
	}
	*count_out = (size_t)(end - ids);
	return ids;
}

static void answer(struct tool_call *call, unsigned count)
{
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);

	if (!writer) {
		failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	json_open_object(writer);
	json_put_integer(writer, "count", count);
	json_close_object(writer);
	json_writer_free(writer);
	tool_call_succeed_with_json(call, &structured);
}

static void run(struct tool_call *call)
{
	const struct services *services = call->services;
	size_t count = 0;
	int64_t *ids = read_ids(call, &count);
	unsigned marked = 0;

	if (!ids) {
		failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	switch (store_incoming_mark_read(services->store, ids, count, &marked)) {
	case 0:
		if (marked)
			change_source_read(services->changes, ids, count);
		answer(call, marked);
		break;
	case STORE_E_FULL:
		failure_answer(call, FAILURE_STORAGE_FULL,
			       "The phone's storage takes nothing more.");
		break;
	default:
		failure_answer(call, FAILURE_INTERNAL,
			       "The messages could not be marked as read.");
	}
}

const struct tool tool_mark_sms_read = {
	.name = "mark_sms_read",
	.title = "Mark messages as read",
	.description =
		"Marks received messages as read, for every client of the gateway; "
		"nothing else does that. Call it when your person has been told of "
		"them, or you have dealt with them. Costs nothing, and the senders are "
		"not told. Ids that are unknown, read already or of sent messages are "
		"passed over and not counted.",
	.input = input,
	.output = output,
	.flags = TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.run = run,
};
