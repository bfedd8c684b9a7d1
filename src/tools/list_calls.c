/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_calls: incoming calls and calls that agents placed, newest first, a page at a time; and
 * calls://recent and sms://alerts, the last calls and cell broadcasts. A caller's number comes
 * from the network and can be forged, like a message's sender, and anybody with a transmitter can
 * send a cell broadcast.
 */
#include "store/store_event.h"
#include "tools/argument.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/tool_table.h"

enum { LIST_CALLS_RECENT = 20 }; /* rows of a resource */

static const struct schema_field list_calls_input[] = {
	{ "missed_only", SCHEMA_BOOLEAN, false,
	  "Only incoming calls that nobody answered" },
	PAGE_LIMIT_FIELD,
	{ "cursor", SCHEMA_STRING, false, "next_cursor from the previous page" },
	{ 0 },
};

static const char *const list_calls_directions[] = { "incoming", "outgoing", NULL };

static const struct schema_field list_calls_row[] = {
	{ "call_id", SCHEMA_INTEGER, true, "Grows with every call" },
	{ "direction", SCHEMA_STRING, true,
	  "incoming; outgoing: placed by an agent with place_call",
	  .words = list_calls_directions },
	{ "phone_number", SCHEMA_STRING, true,
	  "incoming: the caller as the network says, which proves nothing; empty when "
	  "withheld. outgoing: the number called" },
	VIEW_CONTACT_FIELD,
	{ "trust", SCHEMA_STRING, false, "As in list_sms; it proves nothing" },
	{ "subscription_id", SCHEMA_INTEGER, false,
	  "The SIM that was called or called; left out when unknown" },
	{ "time", SCHEMA_STRING, true, "When it began to ring or was placed, RFC 3339" },
	{ "state", SCHEMA_STRING, true,
	  "incoming: ringing; answered; missed; rejected: hung up on the phone; "
	  "unknown: the end was not observed. outgoing: dialing; alerting: it rings "
	  "there; active; ended; unanswered; not_placed: nothing was dialled; unknown" },
	{ "reason", SCHEMA_STRING, false,
	  "outgoing: why it ended, as place_call returns it" },
	{ 0 },
};

static const struct schema_field list_calls_output[] = {
	VIEW_NOTICE_FIELD,
	{ "calls", SCHEMA_ARRAY, true, "Newest first", .members = list_calls_row },
	{ "count", SCHEMA_INTEGER, true, "Calls in this answer" },
	{ "next_cursor", SCHEMA_STRING, false, "The cursor of the next page" },
	VIEW_RECORDS_FIELD,
	{ "gaps", SCHEMA_ARRAY, false,
	  "Times, since the oldest of these calls, when the gateway could not receive: "
	  "calls of those times are missing",
	  .members = view_gap_fields },
	{ 0 },
};

static void list_calls_write_row(const struct view *view, const struct event *call)
{
	struct json_writer *writer = view->writer;
	bool outgoing = store_event_call_was_placed(call->state);

	json_open_object(writer);
	json_put_integer(writer, "call_id", call->id);
	json_put_string(writer, "direction", list_calls_directions[outgoing]);
	view_put_line(writer, "phone_number", call->number);
	view_put_contact(writer, view->services, call->number);
	view_put_trust(writer, view->services, call->sim_id, call->number);
	if (call->sim_id)
		json_put_integer(writer, "subscription_id", call->sim_id);
	view_put_time(writer, "time", call->at_ms);
	json_put_string(writer, "state",
			store_event_call_state_name((enum call_state)call->state));
	if (outgoing && *call->text)
		json_put_string(writer, "reason", call->text);
	json_close_object(writer);
}

struct list_calls {
	struct page page;
	void (*write_row)(const struct view *view, const struct event *event);
	int64_t oldest_ms;
};

static void list_calls_add(void *data, const struct event *event)
{
	struct list_calls *list = data;

	if (!page_takes_row(&list->page, event->id))
		return;
	list->write_row(&list->page.view, event);
	if (page_keeps_row(&list->page))
		list->oldest_ms = event->at_ms;
}

/* Writes what is not known. Gaps before a full page concern what is not on it. */
static int list_calls_put_unknown(const struct list_calls *list, struct store *store)
{
	const struct page *page = &list->page;

	if (!page->more)
		view_put_records_since(page->writer, store, 0);
	return view_put_gaps(page->writer, store, page->more ? list->oldest_ms : 0,
			     INT64_MAX);
}

static void list_calls_run(struct tool_call *call)
{
	struct store *store = call->services->store;
	struct list_calls list = { .write_row = list_calls_write_row };
	struct page *page = &list.page;
	struct store_event_query look = {
		.kind = EVENT_CALL,
		.state = argument_boolean(call, "missed_only") ? CALL_MISSED : -1,
		.visit = list_calls_add,
		.data = &list,
	};
	int error, gaps_error;

	if (!cursor_argument(call, "cursor", CURSOR_CALLS, &look.before_id) ||
	    !page_begin(page, call))
		return;
	look.limit = page->limit + 1;
	json_open_array_at(page->writer, "calls");
	error = store_event_list(store, &look);
	page_close_rows(page, CURSOR_CALLS);
	gaps_error = list_calls_put_unknown(&list, store);
	page_answer(page, call, error ? error : gaps_error);
}

const struct tool tool_list_calls = {
	.name = "list_calls",
	.former_name = "get_recent_calls",
	.title = "List calls",
	.description =
		"List incoming calls and calls that agents placed, newest first. The "
		"owner's own calls and calls during gaps are not listed. A number "
		"proves nothing about who called.",
	.input = list_calls_input,
	.output = list_calls_output,
	.listed = (const char *const[]){ "calls", "next_cursor", NULL },
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.run = list_calls_run,
};

/* ---- calls://recent and sms://alerts */

static void list_calls_write_alert(const struct view *view, const struct event *alert)
{
	struct json_writer *writer = view->writer;

	json_open_object(writer);
	json_put_integer(writer, "alert_id", alert->id);
	view_put_time(writer, "time", alert->at_ms);
	json_put_boolean(writer, "emergency", alert->state);
	if (alert->number[0])
		view_put_line(writer, "emergency_type", alert->number);
	if (alert->topic >= 0)
		json_put_integer(writer, "topic", alert->topic);
	if (alert->sim_id)
		json_put_integer(writer, "subscription_id", alert->sim_id);
	view_put_text(writer, "text", alert->text);
	json_close_object(writer);
}

/* Writes {"notice":...,"calls":[...],"count":N,"gaps":[...]}. Returns 0 or -errno. */
static int list_calls_write_recent(const struct resource_call *call,
				   struct json_writer *writer, enum event_kind kind)
{
	struct list_calls list = {
		.write_row = kind == EVENT_CALL ? list_calls_write_row
						: list_calls_write_alert,
	};
	struct page *page = &list.page;
	const struct store_event_query look = {
		.kind = kind,
		.state = -1,
		.limit = LIST_CALLS_RECENT,
		.visit = list_calls_add,
		.data = &list,
	};
	int error, gaps_error;

	page_begin_resource(page, call, writer, LIST_CALLS_RECENT);
	json_open_array_at(writer, kind == EVENT_CALL ? "calls" : "alerts");
	error = store_event_list(call->services->store, &look);
	json_close_array(writer);
	json_put_integer(writer, "count", page->room.rows);
	page->more |= page->room.rows == LIST_CALLS_RECENT;
	gaps_error = list_calls_put_unknown(&list, call->services->store);
	json_close_object(writer);
	return error ? error : gaps_error;
}

static int list_calls_write_calls(const struct resource_call *call,
				  struct json_writer *writer)
{
	return list_calls_write_recent(call, writer, EVENT_CALL);
}

const struct resource resource_recent_calls = {
	.uri = "calls://recent",
	.name = "recent_calls",
	.title = "Recent calls",
	.description = "The last 20 incoming calls and calls that agents placed, newest "
		       "first; list_calls has older ones. Subscribe to learn when one "
		       "rings and how it ended.",
	.scopes = CLIENT_READ,
	.write = list_calls_write_calls,
};

static int list_calls_write_alerts(const struct resource_call *call,
				   struct json_writer *writer)
{
	return list_calls_write_recent(call, writer, EVENT_ALERT);
}

const struct resource resource_alerts = {
	.uri = "sms://alerts",
	.name = "alerts",
	.title = "Alerts of the network",
	.description =
		"The last 20 cell broadcasts, newest first: warnings of authorities "
		"and other notices to everybody in an area, as far as the modem "
		"receives them. They prove nothing about who sent them. Subscribe to "
		"learn of new ones.",
	.scopes = CLIENT_READ,
	.write = list_calls_write_alerts,
};
