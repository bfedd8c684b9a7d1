/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_for_sms: the first message that fits and is newer than a place among the messages.
 *
 *   look at what is newer than the place -> found: answer
 *                  ^                     -> none: the place moves on, wait
 *                  +---- the inbox stored a message
 *
 * Whether a message came before the call, between two calls or while it waits makes no
 * difference: there is one way to look (tests/integration/test_wait_for_sms.py). When much
 * is newer, looking takes several turns of the loop; what comes meanwhile is newer, too, and
 * is come to in the end. Time that is over before that does not end the looking.
 */
#include <string.h>

#include "sms/code_mask.h"
#include "sms/extract.h"
#include "sms/sender.h"
#include "tools/argument.h"
#include "tools/cursor.h"
#include "tools/failure.h"
#include "tools/message_view.h"
#include "tools/services.h"
#include "tools/tool_table.h"

enum {
	TIMEOUT_USUAL_SECONDS = 30,
	TIMEOUT_MAX_SECONDS = 120,
};

static const char *const kind_words[] = { "any", "code", "link", NULL };

static const struct schema_field input[] = {
	{ "from", SCHEMA_STRING, false,
	  "Only from this number, however it is spelt, or this sender's name as it is "
	  "written; what blocked "
	  "senders write is told only so",
	  1, 64 },
	{ "contains", SCHEMA_STRING, false,
	  "Only a text with these words in it, just so; A and a are the same", 1, 160 },
	{ "kind", SCHEMA_STRING, false,
	  "code: only with a one-time code in it; link: only with a link; "
	  "any, the usual: every message",
	  .words = kind_words },
	{ "after", SCHEMA_STRING, false,
	  "cursor of the answer before, or wait_cursor of list_sms: "
	  "messages that came since then count, too. "
	  "Without it only those that come from now on" },
	{ "timeout_seconds", SCHEMA_INTEGER, false,
	  "How long to wait at most; 30 when left out", 1, TIMEOUT_MAX_SECONDS },
	{ 0 },
};

static const struct schema_field output[] = {
	MESSAGE_VIEW_NOTICE_FIELD,
	{ "found", SCHEMA_BOOLEAN, true, "Whether a message that fits is there" },
	{ "message", SCHEMA_OBJECT, false, "The first that fits",
	  .members = message_view_fields },
	{ "code", SCHEMA_STRING, false,
	  "The one-time code in its text; left out when it is masked" },
	{ "domain", SCHEMA_STRING, false,
	  "The only site that the code is for: give it to no other" },
	{ "link", SCHEMA_STRING, false, "The first http or https link in its text" },
	{ "cursor", SCHEMA_STRING, true,
	  "Give it as after to go on behind this message, or to go on waiting; "
	  "nothing that comes in between is missed" },
	{ "hint", SCHEMA_STRING, false,
	  "When none was found, or its code is masked: what to do" },
	{ 0 },
};

enum kind {
	KIND_ANY,
	KIND_CODE,
	KIND_LINK,
};

/* one call; lives in the call's arena */
struct waiter {
	struct tool_call *call;
	const char *from;
	const char *contains;
	enum kind kind;
	int64_t seconds;
	int64_t place_id; /* the wait began behind this message */
	int64_t after_id; /* looked at up to here */
	struct scan scan;
	bool looking; /* the scan is under way */
	bool late;    /* the time is over */
	struct observer watch;
	sd_event_source *timer;
	const struct extract *extract; /* of the message that is looked at */
	/* when one is found */
	bool found;
	struct buffer structured;
	struct json_writer *writer;
};

static bool fits_kind(const struct waiter *waiter)
{
	switch (waiter->kind) {
	case KIND_ANY:
		return true;
	case KIND_CODE:
		return *waiter->extract->code;
	case KIND_LINK:
		return *waiter->extract->link;
	}
	return false;
}

static void put_word(const struct waiter *waiter, const char *key, const char *text)
{
	if (*text)
		message_view_put_line(waiter->writer, key, text);
}

/* The link may hold the code, too. */
static void put_masked_extract(const struct waiter *waiter, struct buffer *masked)
{
	struct extract extract = { "", "", "" };

	buffer_append(masked, "", 1);
	if (!masked->failed)
		extract_from(masked->data, &extract);
	put_word(waiter, "domain", waiter->extract->domain);
	put_word(waiter, "link", extract.link);
	json_put_string(waiter->writer, "hint",
			"A one-time code came, and this client may not read codes: ask "
			"your person to read it on the phone, or the owner to allow this "
			"client the scope \"codes\".");
}

static void put_extract(const struct waiter *waiter, const struct message_view *view,
			const struct message *message)
{
	struct buffer masked = BUFFER_INIT;

	if (message_view_masks(view, message) && code_mask(message->text, &masked)) {
		put_masked_extract(waiter, &masked);
	} else {
		put_word(waiter, "code", waiter->extract->code);
		put_word(waiter, "domain", waiter->extract->domain);
		put_word(waiter, "link", waiter->extract->link);
	}
	buffer_deinit(&masked);
}

static void write_found(struct waiter *waiter, const struct message *message)
{
	struct json_writer *writer = json_writer_new(&waiter->structured);
	struct message_view view = message_view_of_call(waiter->call, writer);

	if (!writer) {
		waiter->structured.failed = true;
		return;
	}
	waiter->writer = writer;
	json_open_object(writer);
	message_view_put_notice(writer);
	json_put_boolean(writer, "found", true);
	json_key(writer, "message");
	message_view_write(&view, message);
	put_extract(waiter, &view, message);
	cursor_put(writer, "cursor", CURSOR_ARRIVALS, message->id);
	json_close_object(writer);
	json_writer_free(writer);
}

/* Whoever asks for this very sender is told. */
static bool is_passed_over(const struct waiter *waiter, int64_t sim_id,
			   const char *number)
{
	const struct store_party_address end = { sim_id, number };
	const struct services *services = waiter->call->services;

	return !waiter->from &&
	       sender_is_blocked(services->config, services->store, &end);
}

static bool visit(void *data, const struct message *message)
{
	struct waiter *waiter = data;
	struct message_view view = message_view_of_call(waiter->call, NULL);
	struct extract extract;

	if (is_passed_over(waiter, message->sim_id, message->number) ||
	    !message_view_has(&view, message, waiter->contains))
		return true;
	extract_from(message->text, &extract);
	waiter->extract = &extract;
	waiter->found = fits_kind(waiter);
	if (waiter->found)
		write_found(waiter, message);
	waiter->extract = NULL;
	return !waiter->found;
}

static void stop_waiting(struct waiter *waiter)
{
	scan_stop(&waiter->scan);
	observer_remove(&waiter->watch);
	waiter->timer = sd_event_source_disable_unref(waiter->timer);
}

static void write_none(struct waiter *waiter, struct buffer *structured, const char *hint)
{
	struct json_writer *writer = json_writer_new(structured);

	if (!writer) {
		structured->failed = true;
		return;
	}
	json_open_object(writer);
	message_view_put_notice(writer);
	json_put_boolean(writer, "found", false);
	/* not after_id: the next call may have other filters */
	cursor_put(writer, "cursor", CURSOR_ARRIVALS, waiter->place_id);
	json_put_string(writer, "hint", hint ? hint : "Call again with after = cursor.");
	json_close_object(writer);
	json_writer_free(writer);
}

static void answer_none(struct waiter *waiter, const char *hint)
{
	struct buffer structured = BUFFER_INIT;

	stop_waiting(waiter);
	write_none(waiter, &structured, hint);
	tool_call_succeed_with_json(waiter->call, &structured);
}

static void answer_late(struct waiter *waiter)
{
	answer_none(waiter,
		    arena_printf(
			    waiter->call->arena,
			    "No message that fits came within %lld second%s. To go on "
			    "waiting call again with after = cursor; list_sms tells "
			    "in its gaps whether the gateway could hear.",
			    (long long)waiter->seconds, waiter->seconds == 1 ? "" : "s"));
}

static void answer_broken(struct waiter *waiter)
{
	stop_waiting(waiter);
	buffer_deinit(&waiter->structured);
	failure_answer(waiter->call, FAILURE_INTERNAL,
		       "The stored messages could not be read.");
}

static void answer_found(struct waiter *waiter)
{
	stop_waiting(waiter);
	tool_call_succeed_with_json(waiter->call, &waiter->structured);
}

/* True: the call has been finished. */
static bool look_ended(struct waiter *waiter, int error)
{
	const struct services *services = waiter->call->services;

	if (!error && !waiter->found) /* what does not fit need not be looked at again */
		error = store_message_newest(services->store, &waiter->after_id);
	if (error)
		answer_broken(waiter);
	else if (waiter->found)
		answer_found(waiter);
	else if (waiter->late)
		answer_late(waiter);
	else
		return false;
	return true;
}

static void on_looked(void *data, int error)
{
	struct waiter *waiter = data;

	waiter->looking = false;
	look_ended(waiter, error);
}

/* All that is newer, oldest first, until one is found. True: the call has been finished. */
static bool look(struct waiter *waiter)
{
	const struct services *services = waiter->call->services;
	int error;

	waiter->scan = (struct scan){
		.look.filter.incoming_only = true,
		.look.filter.number = waiter->from,
		.look.filter.search = waiter->contains,
		/* 0 would not filter, and turn the order round */
		.look.filter.after_id = waiter->after_id ? waiter->after_id : -1,
		.look.visit = visit,
		.look.data = waiter,
		.done = on_looked,
	};
	error = scan_start(services->scans, &waiter->scan);
	waiter->looking = error == SCAN_E_GOES_ON;
	return !waiter->looking && look_ended(waiter, error);
}

static void on_arrival(void *data, const void *event)
{
	const struct inbox_event *arrival = event;
	struct waiter *waiter = data;

	if (is_passed_over(waiter, arrival->sim_id, arrival->number))
		return;
	if (!waiter->looking && !look(waiter))
		tool_call_progress(waiter->call,
				   "a message came that does not fit; still waiting");
}

static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct waiter *waiter = data;

	(void)source;
	(void)usec;
	waiter->late = true;
	if (!waiter->looking)
		answer_late(waiter);
	return 0;
}

static void on_stopping(void *data)
{
	answer_none(data, "The gateway stops before a message that fits came. "
			  "Call again with after = cursor when it is back.");
}

static void on_abandoned(void *data)
{
	stop_waiting(data);
}

static const struct request_waiting waiting = {
	.abandoned = on_abandoned,
	.stopping = on_stopping,
};

static void start_waiting(struct waiter *waiter)
{
	const struct services *services = waiter->call->services;

	if (sd_event_add_time_relative(services->loop, &waiter->timer, CLOCK_MONOTONIC,
				       (uint64_t)waiter->seconds * 1000000, 0, on_timer,
				       waiter) < 0) {
		scan_stop(&waiter->scan);
		failure_answer(waiter->call, FAILURE_INTERNAL, NULL);
		return;
	}
	observer_add(inbox_observers(services->inbox), &waiter->watch, on_arrival,
		     waiter);
	tool_call_wait(waiter->call, &waiting, waiter);
	tool_call_progress(waiter->call, "waiting for a message that fits");
	if (waiter->call->request && request_forget(waiter->call->request))
		waiter->call->arguments = NULL;
}

static enum kind read_kind(const struct tool_call *call)
{
	const char *word = argument_text(call, "kind");

	if (!word || word[0] == 'a')
		return KIND_ANY;
	return word[0] == 'c' ? KIND_CODE : KIND_LINK;
}

/* False: the call has been finished with a failure. */
static bool read_place(struct waiter *waiter)
{
	const struct services *services = waiter->call->services;

	if (!cursor_argument(waiter->call, "after", CURSOR_ARRIVALS, &waiter->place_id))
		return false;
	if (argument_text(waiter->call, "after") ||
	    store_message_newest(services->store, &waiter->place_id) == 0)
		return true;
	answer_broken(waiter);
	return false;
}

static void run(struct tool_call *call)
{
	struct waiter *waiter = arena_alloc(call->arena, sizeof(*waiter));
	const char *contains = argument_text(call, "contains");

	if (!waiter) {
		failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	waiter->call = call;
	waiter->from = argument_party(call, "from");
	waiter->contains =
		contains ? arena_copy(call->arena, contains, strlen(contains)) : NULL;
	waiter->kind = read_kind(call);
	waiter->seconds =
		argument_integer(call, "timeout_seconds", TIMEOUT_USUAL_SECONDS);
	if (arena_failed(call->arena)) {
		failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	if (!read_place(waiter))
		return;
	waiter->after_id = waiter->place_id;
	if (!look(waiter))
		start_waiting(waiter);
}

const struct tool tool_wait_for_sms = {
	.name = "wait_for_sms",
	.title = "Wait for a message",
	.description =
		"Waits until a message that fits comes in, and answers with it, its link "
		"and its one-time code (masked, unless the owner lets this client see "
		"codes) at once. To miss nothing call list_sms (limit 1) first, do what "
		"makes the message come, then call this with after = wait_cursor. Costs "
		"nothing and marks nothing as read; when the time is over, the answer "
		"says so and has a cursor to go on from. A message proves nothing about "
		"who sent it: use a code only for what your person just asked for, and "
		"give it to nobody.",
	.input = input,
	.output = output,
	.flags = TOOL_READ_ONLY,
	.scopes = CLIENT_READ,
	.run = run,
};
