/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_for_sms: returns the first matching message that is newer than a position.
 *
 *   search what is newer than the position -> found: answer
 *                  ^                        -> none: move the position on, wait
 *                  +---- the inbox stored a message
 *
 * There is only this one search, so it makes no difference whether a message came before the
 * call, between two calls or during the wait (tests/integration/test_wait_for_sms.py). A long
 * search takes several turns of the event loop and finds messages that arrive meanwhile too.
 * If the time is over during a search, the search is finished first.
 */
#include <string.h>

#include "text/extract.h"
#include "sms/sender.h"
#include "tools/argument.h"
#include "tools/message_view.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/tool_failure.h"
#include "tools/tool_table.h"
#include "tools/tool_wait.h"

enum {
	WAIT_FOR_SMS_DEFAULT_SECONDS = 30,
	WAIT_FOR_SMS_MAX_SECONDS = 120,
};

/* in the order of enum store_message_kind */
static const char *const wait_for_sms_kind_words[] = { "any", "code", "link", "command",
						       NULL };

static const struct schema_field wait_for_sms_input[] = {
	{ "from", SCHEMA_STRING, false,
	  "Only from this number in any spelling, or this sender's exact name; "
	  "blocked senders must be named",
	  1, 64,
	  .other_names =
		  "phone_number sender number from_phone_number contact contact_name" },
	{ "contains", SCHEMA_STRING, false,
	  "Only texts with this exact phrase, case-insensitive", 1, 160,
	  .other_names = "search query text" },
	{ "kind", SCHEMA_STRING, false,
	  "code: only with a one-time code; link: only with a link; command: only the owner's commands",
	  .words = wait_for_sms_kind_words },
	{ "after", SCHEMA_STRING, false,
	  "wait_cursor, or cursor from the previous answer: messages received since then match too",
	  .other_names = "wait_cursor cursor since" },
	{ "timeout_seconds", SCHEMA_INTEGER, false, "Maximum wait (default 30)", 1,
	  WAIT_FOR_SMS_MAX_SECONDS, .other_names = "wait_seconds timeout" },
	{ 0 },
};

static const struct schema_field wait_for_sms_output[] = {
	VIEW_NOTICE_FIELD,
	{ "found", SCHEMA_BOOLEAN, true, "Whether there is a matching message" },
	{ "message", SCHEMA_OBJECT, false, "The first match",
	  .members = message_view_fields },
	{ "code", SCHEMA_STRING, false,
	  "The one-time code in its text; left out when masked" },
	{ "domain", SCHEMA_STRING, false,
	  "The only site that the code is for: give it to no other" },
	{ "link", SCHEMA_STRING, false, "The first http or https link in its text" },
	{ "command", SCHEMA_STRING, false,
	  "The owner's command: the text without its word and code" },
	{ "cursor", SCHEMA_STRING, true,
	  "Pass it as after to continue behind this message or to go on waiting; nothing "
	  "in between is missed" },
	VIEW_RECORDS_FIELD,
	{ "hint", SCHEMA_STRING, false,
	  "If none was found, or its code is masked: what to do" },
	{ 0 },
};

/* One call; lives in its arena. */
struct wait_for_sms {
	struct tool_call *call;
	const char *from;
	const char *contains;
	enum store_message_kind kind;
	int64_t seconds;
	int64_t place_id; /* the position at the start: what is newer may match */
	int64_t after_id; /* everything up to here was searched */
	struct scan scan;
	bool searching; /* the scan is under way */
	bool late;	/* the time is over */
	struct observer arrivals;
	sd_event_source *timer;
	bool found;
	struct buffer structured; /* the answer, if found */
};

static bool wait_for_sms_is_command(const struct message *message)
{
	return message->flags & MESSAGE_COMMAND &&
	       !(message->flags & MESSAGE_COMMAND_REFUSED);
}

static bool wait_for_sms_matches_kind(const struct wait_for_sms *wait,
				      const struct message *message,
				      const struct extract *extract)
{
	switch (wait->kind) {
	case MESSAGE_KIND_ANY:
		return true;
	case MESSAGE_KIND_CODE:
		return *extract->code;
	case MESSAGE_KIND_LINK:
		return *extract->link;
	case MESSAGE_KIND_COMMAND:
		return wait_for_sms_is_command(message);
	}
	return false;
}

static void wait_for_sms_put_word(struct json_writer *writer, const char *key,
				  const char *text)
{
	if (*text)
		view_put_line(writer, key, text);
}

/* A link may contain the code, so it is taken from the masked text. */
static void wait_for_sms_put_masked_extract(struct json_writer *writer,
					    const struct extract *extract,
					    struct buffer *masked)
{
	struct extract from_masked = { "", "", "" };

	buffer_append(masked, "", 1);
	if (!masked->failed)
		extract_from(masked->data, &from_masked);
	wait_for_sms_put_word(writer, "domain", extract->domain);
	wait_for_sms_put_word(writer, "link", from_masked.link);
	json_put_string(writer, "hint",
			"A one-time code came, and this client may not read codes: ask "
			"your user to read it on the phone, or the owner to give this "
			"client the scope \"codes\".");
}

static void wait_for_sms_put_extract(const struct view *view,
				     const struct message *message,
				     const struct extract *extract)
{
	struct json_writer *writer = view->writer;
	struct buffer masked = BUFFER_INIT;

	if (message_view_masks(view, message) &&
	    message_view_mask(view->services, message, &masked)) {
		wait_for_sms_put_masked_extract(writer, extract, &masked);
	} else {
		wait_for_sms_put_word(writer, "code", extract->code);
		wait_for_sms_put_word(writer, "domain", extract->domain);
		wait_for_sms_put_word(writer, "link", extract->link);
	}
	buffer_deinit(&masked);
}

static void wait_for_sms_write_found(struct wait_for_sms *wait,
				     const struct message *message,
				     const struct extract *extract)
{
	struct json_writer *writer = json_writer_new(&wait->structured);
	struct view view = view_of_call(wait->call, writer);

	if (!writer)
		return;
	json_open_object(writer);
	view_put_notice(writer);
	json_put_boolean(writer, "found", true);
	json_key(writer, "message");
	message_view_write(&view, message);
	wait_for_sms_put_extract(&view, message, extract);
	if (wait_for_sms_is_command(message))
		message_view_put_command(&view, message);
	cursor_put(writer, "cursor", CURSOR_ARRIVALS, message->id);
	json_close_object(writer);
	json_writer_free(writer);
}

/* Blocked senders match only if the caller names them. */
static bool wait_for_sms_ignores(const struct wait_for_sms *wait, int64_t sim_id,
				 const char *number)
{
	const struct store_party_address end = { sim_id, number };
	const struct services *services = wait->call->services;

	return !wait->from && sender_is_blocked(services->config, services->store, &end);
}

/* Returns false to end the scan, when it has found the message. */
static bool wait_for_sms_check_message(void *data, const struct message *message)
{
	struct wait_for_sms *wait = data;
	struct view view = view_of_call(wait->call, NULL);
	struct extract extract;

	if (wait_for_sms_ignores(wait, message->sim_id, message->number) ||
	    !message_view_contains(&view, message, wait->contains))
		return true;
	extract_from(message->text, &extract);
	wait->found = wait_for_sms_matches_kind(wait, message, &extract);
	if (wait->found)
		wait_for_sms_write_found(wait, message, &extract);
	return !wait->found;
}

static void wait_for_sms_stop(void *data)
{
	struct wait_for_sms *wait = data;

	scan_stop(&wait->scan);
	observer_remove(&wait->arrivals);
	wait->timer = sd_event_source_disable_unref(wait->timer);
}

/* `hint` is NULL if there was no memory for a better one. */
static void wait_for_sms_answer_none(struct wait_for_sms *wait, const char *hint)
{
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer;

	wait_for_sms_stop(wait);
	writer = page_open(wait->call, &structured);
	if (!writer)
		return;
	json_put_boolean(writer, "found", false);
	/* not after_id: the next call may have other filters */
	cursor_put(writer, "cursor", CURSOR_ARRIVALS, wait->place_id);
	view_put_records_since(writer, wait->call->services->store, 0);
	json_put_string(writer, "hint", hint ? hint : "Call again with after = cursor.");
	page_close(wait->call, writer, &structured, NULL);
}

static void wait_for_sms_answer_late(struct wait_for_sms *wait)
{
	const char *more = argument_party_hint(wait->call, wait->from);

	wait_for_sms_answer_none(
		wait,
		arena_printf(wait->call->arena,
			     "No matching message came within %lld second%s. To go "
			     "on waiting, call again with after = cursor; the gaps of "
			     "list_sms show whether the gateway could receive.%s%s",
			     (long long)wait->seconds, wait->seconds == 1 ? "" : "s",
			     more ? " " : "", more ? more : ""));
}

static void wait_for_sms_answer_failure(struct wait_for_sms *wait)
{
	wait_for_sms_stop(wait);
	buffer_deinit(&wait->structured);
	tool_failure_answer(wait->call, FAILURE_INTERNAL,
			    "The stored messages could not be read.");
}

/* Returns whether the call has been finished. */
static bool wait_for_sms_finish_search(struct wait_for_sms *wait, int error)
{
	/* messages that did not match need not be searched again */
	if (!error && !wait->found)
		error = store_message_newest(wait->call->services->store,
					     &wait->after_id);
	if (error) {
		wait_for_sms_answer_failure(wait);
	} else if (wait->found) {
		wait_for_sms_stop(wait);
		tool_call_succeed_with_json(wait->call, &wait->structured);
	} else if (wait->late) {
		wait_for_sms_answer_late(wait);
	} else {
		return false;
	}
	return true;
}

static void wait_for_sms_on_scanned(void *data, int error)
{
	struct wait_for_sms *wait = data;

	wait->searching = false;
	wait_for_sms_finish_search(wait, error);
}

/* Searches what is newer, oldest first. Returns whether the call has been finished. */
static bool wait_for_sms_search(struct wait_for_sms *wait)
{
	int error;

	wait->scan = (struct scan){
		.look.filter.incoming_only = true,
		.look.filter.without_service = true,
		.look.filter.number = wait->from,
		.look.filter.search = wait->contains,
		.look.filter.kind = wait->kind,
		/* 0 would mean no filter, and newest first */
		.look.filter.after_id = wait->after_id ? wait->after_id : -1,
		.look.visit = wait_for_sms_check_message,
		.look.data = wait,
		.done = wait_for_sms_on_scanned,
	};
	error = scan_start(wait->call->services->scans, &wait->scan);
	wait->searching = error == SCAN_E_CONTINUES;
	return !wait->searching && wait_for_sms_finish_search(wait, error);
}

static void wait_for_sms_on_arrival(void *data, const void *event_data)
{
	const struct inbox_event *event = event_data;
	struct wait_for_sms *wait = data;

	if (event->flags & MESSAGE_SERVICE ||
	    wait_for_sms_ignores(wait, event->sim_id, event->number))
		return;
	if (!wait->searching && !wait_for_sms_search(wait))
		tool_call_progress(wait->call,
				   "a message came that does not match; still waiting");
}

static int wait_for_sms_on_timer(sd_event_source *source, uint64_t now_us, void *data)
{
	struct wait_for_sms *wait = data;

	wait->late = true;
	if (!wait->searching)
		wait_for_sms_answer_late(wait);
	return 0;
}

static void wait_for_sms_on_stopping(void *data)
{
	wait_for_sms_answer_none(
		data,
		"No matching message came, and the gateway stops or needs "
		"the connection for another client. Call again with after = cursor in a moment.");
}

static const struct request_waiting wait_for_sms_waiting = {
	.abandoned = wait_for_sms_stop,
	.stopping = wait_for_sms_on_stopping,
};

static void wait_for_sms_start(struct wait_for_sms *wait)
{
	struct tool_call *call = wait->call;

	if (call->request && !request_take_wait(call->request)) {
		scan_stop(&wait->scan);
		tool_wait_is_refused(call);
		return;
	}
	if (sd_event_add_time_relative(call->services->loop, &wait->timer,
				       CLOCK_MONOTONIC, (uint64_t)wait->seconds * 1000000,
				       0, wait_for_sms_on_timer, wait) < 0) {
		scan_stop(&wait->scan);
		tool_failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	observer_add(inbox_observers(call->services->inbox), &wait->arrivals,
		     wait_for_sms_on_arrival, wait);
	tool_call_wait(call, &wait_for_sms_waiting, wait);
	tool_call_progress(call, "waiting for a matching message");
	if (call->request && request_forget(call->request))
		call->arguments = NULL;
}

static enum store_message_kind wait_for_sms_read_kind(const struct tool_call *call)
{
	const char *word = argument_text(call, "kind");

	for (size_t kind = 0; word && wait_for_sms_kind_words[kind]; kind++) {
		if (strcmp(wait_for_sms_kind_words[kind], word) == 0)
			return (enum store_message_kind)kind;
	}
	return MESSAGE_KIND_ANY;
}

/*
 * A cursor of another message store may be ahead of this one, and what comes next would be behind
 * it. Returns false if the call has been finished with a failure.
 */
static bool wait_for_sms_read_place(struct wait_for_sms *wait)
{
	int64_t newest_id;

	if (!cursor_argument(wait->call, "after", CURSOR_ARRIVALS, &wait->place_id))
		return false;
	if (store_message_newest(wait->call->services->store, &newest_id)) {
		wait_for_sms_answer_failure(wait);
		return false;
	}
	if (!argument_filled_text(wait->call, "after") || wait->place_id > newest_id)
		wait->place_id = newest_id;
	return true;
}

static void wait_for_sms_run(struct tool_call *call)
{
	struct wait_for_sms *wait = tool_wait_alloc(call, sizeof(*wait));
	const char *contains = argument_text(call, "contains");

	if (!wait)
		return;
	wait->call = call;
	wait->from = argument_party(call, "from");
	if (!argument_check_party(call, "from", wait->from))
		return;
	wait->contains =
		contains ? arena_copy(call->arena, contains, strlen(contains)) : NULL;
	wait->kind = wait_for_sms_read_kind(call);
	wait->seconds =
		argument_integer(call, "timeout_seconds", WAIT_FOR_SMS_DEFAULT_SECONDS);
	if (arena_failed(call->arena)) {
		tool_failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	if (!wait_for_sms_read_place(wait))
		return;
	wait->after_id = wait->place_id;
	if (!wait_for_sms_search(wait))
		wait_for_sms_start(wait);
}

const struct tool tool_wait_for_sms = {
	.name = "wait_for_sms",
	.title = "Wait for a message",
	.description =
		"Wait for a matching message, and return it with its link and one-time "
		"code. To miss nothing, call list_sms (limit 1) before you have the "
		"message sent, and pass its wait_cursor as after. Use a code only for "
		"what your user just asked for, and give it to nobody.",
	.input = wait_for_sms_input,
	.output = wait_for_sms_output,
	.listed = (const char *const[]){ "found", "message", "code", "link", "cursor",
					 NULL },
	.flags = TOOL_READ_ONLY,
	.scopes = CLIENT_READ,
	.run = wait_for_sms_run,
};
