/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mark_sms_read: marks received messages as read, for all clients.
 *
 *   message_ids                 these, in one commit
 *   up_to_message_id, all       the unread ones up to a message, newest first: each turn of
 *                               the loop reads a piece of the store and marks what it found
 *
 * What arrives after the call came stays unread. A crash between two turns leaves some
 * messages unread; the call can be repeated.
 */
#include "store/store_listing.h"
#include "tools/argument.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/tool_failure.h"
#include "tools/tool_table.h"
#include "tools/tool_wait.h"

enum { MARK_SMS_READ_ROWS = 256, MARK_SMS_READ_ACCURACY_USEC = 1 };

static const struct schema_field mark_sms_read_input[] = {
	{ "message_ids", SCHEMA_ARRAY, false, "These messages", .items = SCHEMA_INTEGER },
	{ "up_to_message_id", SCHEMA_INTEGER, false,
	  "This one and all received before it" },
	{ "all", SCHEMA_BOOLEAN, false, "true: all received so far" },
	{ "phone_number", SCHEMA_STRING, false,
	  "With the last two: only those of this number or sender's name", 0, 64 },
	{ 0 },
};

static const struct schema_field mark_sms_read_output[] = {
	{ "count", SCHEMA_INTEGER, true, "How many of them were unread until now" },
	{ 0 },
};

/* One call; lives in its arena. */
struct mark_sms_read {
	struct tool_call *call;
	struct store_listing_query query;
	int64_t ids[MARK_SMS_READ_ROWS]; /* of the present piece */
	size_t count;
	bool is_full; /* more belong to the piece */
	unsigned marked;
	sd_event_source *turn; /* NULL if not waiting for the next one */
};

/* Finishes the call. `error` is the store's, or 0. */
static void mark_sms_read_finish(struct tool_call *call, int error, unsigned count)
{
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer;

	if (error) {
		tool_failure_answer(
			call,
			error == STORE_E_FULL ? FAILURE_STORAGE_FULL : FAILURE_INTERNAL,
			error == STORE_E_FULL
				? "The phone's storage is full."
				: "The messages could not be marked as read.");
		return;
	}
	writer = page_open(call, &structured);
	if (!writer)
		return;
	json_put_integer(writer, "count", count);
	page_close(call, writer, &structured, NULL);
}

static void mark_sms_read_listed(struct tool_call *call, const struct json *array)
{
	/* one more than needed, so that NULL always means no memory */
	int64_t *ids = tool_wait_alloc(call, (array->count + 1) * sizeof(*ids));
	unsigned marked = 0;
	size_t count = 0;
	int error;

	if (!ids)
		return;
	json_foreach (item, array) {
		if (json_integer(item, &ids[count]))
			count++;
	}
	error = store_incoming_mark_read(call->services->store, ids, count, &marked);
	mark_sms_read_finish(call, error, marked);
}

/* ---- up to a message ----------------------------------------------------------------- */

static bool mark_sms_read_collect(void *data, const struct message *message)
{
	struct mark_sms_read *mark = data;

	mark->is_full = mark->count == MARK_SMS_READ_ROWS;
	if (!mark->is_full)
		mark->ids[mark->count++] = message->id;
	return !mark->is_full;
}

/* Returns STORE_E_MORE if there may be more. */
static int mark_sms_read_piece(struct mark_sms_read *mark)
{
	struct store *store = mark->call->services->store;
	unsigned newly = 0;
	int more, error = 0;

	mark->count = 0;
	mark->is_full = false;
	more = store_listing_messages(store, &mark->query, MARK_SMS_READ_ROWS);
	/* a piece has so many rows of each spelling of the number */
	if (mark->is_full) {
		mark->query.before_id = mark->ids[MARK_SMS_READ_ROWS - 1];
		more = STORE_E_MORE;
	}
	if (mark->count)
		error = store_incoming_mark_read(store, mark->ids, mark->count, &newly);
	if (error)
		return error;
	mark->marked += newly;
	return more;
}

static int mark_sms_read_on_turn(sd_event_source *source, uint64_t usec, void *data)
{
	struct mark_sms_read *mark = data;
	int error = mark_sms_read_piece(mark);

	if (error == STORE_E_MORE) {
		error = sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
		if (error >= 0)
			return 0;
	}
	mark->turn = sd_event_source_disable_unref(mark->turn);
	mark_sms_read_finish(mark->call, error, mark->marked);
	return 0;
}

static void mark_sms_read_on_abandoned(void *data)
{
	struct mark_sms_read *mark = data;

	mark->turn = sd_event_source_disable_unref(mark->turn);
}

static void mark_sms_read_on_stopping(void *data)
{
	struct mark_sms_read *mark = data;

	mark_sms_read_on_abandoned(mark);
	tool_failure_answer(mark->call, FAILURE_INTERNAL,
			    arena_printf(mark->call->arena,
					 "The gateway is stopping: %u messages were "
					 "marked, older ones were not.",
					 mark->marked));
}

static const struct request_waiting mark_sms_read_waiting = {
	.abandoned = mark_sms_read_on_abandoned,
	.stopping = mark_sms_read_on_stopping,
};

static void mark_sms_read_up_to(struct tool_call *call)
{
	struct mark_sms_read *mark = tool_wait_alloc(call, sizeof(*mark));
	const char *party = argument_party(call, "phone_number");
	int64_t newest_id = 0, up_to_id;
	int error;

	if (!mark)
		return;
	if (!argument_check_party(call, "phone_number", party))
		return;
	mark->call = call;
	error = store_message_newest(call->services->store, &newest_id);
	up_to_id = argument_integer(call, "up_to_message_id", newest_id);
	if (error || up_to_id < 1 || newest_id < 1) {
		mark_sms_read_finish(call, error, 0);
		return;
	}
	mark->query = (struct store_listing_query){
		.filter = { .incoming_only = true,
			    .unread_only = true,
			    .number = party,
			    .before_id =
				    (up_to_id < newest_id ? up_to_id : newest_id) + 1 },
		.visit = mark_sms_read_collect,
		.data = mark,
	};
	error = mark_sms_read_piece(mark);
	/* A timer that is due at once, for the reason in doc/libraries.md, sd-event 1. */
	if (error == STORE_E_MORE)
		error = sd_event_add_time(call->services->loop, &mark->turn,
					  CLOCK_MONOTONIC, 0, MARK_SMS_READ_ACCURACY_USEC,
					  mark_sms_read_on_turn, mark);
	if (mark->turn)
		tool_call_wait(call, &mark_sms_read_waiting, mark);
	else
		mark_sms_read_finish(call, error, mark->marked);
}

static void mark_sms_read_run(struct tool_call *call)
{
	const struct json *array = json_member(call->arguments, "message_ids");
	bool is_bounded = json_member(call->arguments, "up_to_message_id");
	bool is_all = argument_boolean(call, "all");

	if (!!array + is_bounded + is_all != 1)
		tool_failure_answer(call, FAILURE_INVALID_ARGUMENTS,
				    "Pass one of message_ids, up_to_message_id and all.");
	else if (array && json_member(call->arguments, "phone_number"))
		tool_failure_answer(call, FAILURE_INVALID_ARGUMENTS,
				    "phone_number goes with up_to_message_id or all, not "
				    "with message_ids.");
	else if (array)
		mark_sms_read_listed(call, array);
	else
		mark_sms_read_up_to(call);
}

const struct tool tool_mark_sms_read = {
	.name = "mark_sms_read",
	.title = "Mark messages as read",
	.description =
		"Mark received messages as read, for all agents; nothing else does "
		"that. Call it when your user knows of them.",
	.input = mark_sms_read_input,
	.output = mark_sms_read_output,
	.listed = (const char *const[]){ "count", NULL },
	.flags = TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.run = mark_sms_read_run,
};
