/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events: the newest events, as agents get them by events/poll, without message texts.  So the
 * owner sees whether there was something to wake an agent, and which type to subscribe to.  With
 * "follow" the call goes on, and an item follows for each new one.  With "after", the ID of an
 * event of this message store, all since then are listed.
 *
 * The feed is read forwards, and which entries count is known only when they are judged: one
 * pass over the newest SCAN_MAX of them counts, and a second one sends the last of those.
 */
#include "base/feed.h"
#include "gateway/command.h"
#include "gateway/control.h"
#include "mcp/event.h"
#include "store/store_feed.h"
#include "tools/services.h"
#include "tools/tool_table.h"

enum {
	COMMAND_EVENTS_SCAN_MAX = 1000,
	COMMAND_EVENTS_USUAL = 20,
	COMMAND_EVENTS_ARENA_BYTES = 256 * 1024,
};

struct command_events {
	struct control_call *call;
	const struct event_type *only; /* NULL for any */
	int64_t epoch;
	int64_t head;	      /* the newest entry when the list was made */
	unsigned passed_over; /* matches before those that are sent */
	unsigned matches;
	bool is_sending;
};

static void command_events_send(struct command_events *events,
				const struct event_query *query,
				const struct feed_entry *entry)
{
	struct json_writer *writer;

	if (events->call->is_over || !(writer = control_call_open_item(events->call)))
		return;
	event_write_members(query, entry, events->epoch, false, writer);
	control_call_close(events->call);
}

static void command_events_judge(struct command_events *events,
				 const struct event_type *type,
				 const struct feed_entry *entry)
{
	struct event_query query = {
		.type = type,
		.client = &tool_command_owner,
		.services = events->call->control->services,
		.arena = arena_new(COMMAND_EVENTS_ARENA_BYTES),
	};

	if (query.arena && event_judge(&query, entry) == EVENT_MATCHES) {
		if (events->is_sending && events->matches >= events->passed_over)
			command_events_send(events, &query, entry);
		events->matches++;
	}
	arena_free(query.arena);
}

static bool command_events_visit(void *data, const struct feed_entry *entry)
{
	struct command_events *events = data;

	for (const struct event_type *const *type = event_table; *type; type++) {
		if ((!events->only || *type == events->only) &&
		    (*type)->feed == entry->type)
			command_events_judge(events, *type, entry);
	}
	return !events->call->is_over;
}

/* Returns 0 or -errno. */
static int command_events_list(struct command_events *events, unsigned limit)
{
	struct store *store = events->call->control->store;
	const char *known = control_call_argument(events->call, "after");
	int64_t first, after, known_epoch, known_id;
	int error = store_feed_epoch(store, &events->epoch);

	if (!error)
		error = store_feed_bounds(store, &first, &events->head);
	if (error)
		return error;
	after = events->head - first < COMMAND_EVENTS_SCAN_MAX
			? first - 1
			: events->head - COMMAND_EVENTS_SCAN_MAX;
	if (known && event_read_cursor(known, &known_epoch, &known_id) &&
	    known_epoch == events->epoch) {
		after = known_id > after ? known_id : after;
		limit = COMMAND_EVENTS_SCAN_MAX;
	}
	error = store_feed_read(store, after, COMMAND_EVENTS_SCAN_MAX,
				command_events_visit, events);
	if (error)
		return error;
	events->passed_over = events->matches > limit ? events->matches - limit : 0;
	events->matches = 0;
	events->is_sending = true;
	return store_feed_read(store, after, COMMAND_EVENTS_SCAN_MAX,
			       command_events_visit, events);
}

/* Items for what comes later; in the arena of the call. */
struct command_events_tail {
	struct command_events events;
	struct observer feed;
	int64_t after_id; /* of the last entry that was looked at */
};

static void command_events_forget(void *data)
{
	struct command_events_tail *tail = data;

	observer_remove(&tail->feed);
}

static bool command_events_visit_new(void *data, const struct feed_entry *entry)
{
	struct command_events_tail *tail = data;

	tail->after_id = entry->id;
	return command_events_visit(&tail->events, entry);
}

static void command_events_on_feed(void *data, const void *event)
{
	struct command_events_tail *tail = data;
	struct control_call *call = tail->events.call;
	int64_t head = *(const int64_t *)event, before_id = -1;
	int error = 0;

	while (!error && !call->is_over && tail->after_id < head &&
	       tail->after_id != before_id) {
		before_id = tail->after_id;
		error = store_feed_read(call->control->store, tail->after_id,
					COMMAND_EVENTS_SCAN_MAX, command_events_visit_new,
					tail);
	}
	if (error)
		control_call_fail_store(call, error);
	command_tail_end_if_over(call);
}

static void command_events_follow(const struct command_events *events)
{
	struct command_events_tail *tail =
		command_tail_begin(events->call, sizeof(*tail), command_events_forget);

	if (!tail)
		return;
	tail->events = *events;
	tail->events.passed_over = 0;
	tail->after_id = events->head;
	observer_add(&events->call->control->services->feed->observers, &tail->feed,
		     command_events_on_feed, tail);
	control_call_progress(events->call, "following the events; Ctrl-C ends it");
}

static void command_events_run(struct control_call *call)
{
	const char *type = control_call_argument(call, "type");
	int64_t limit = COMMAND_EVENTS_USUAL;
	struct command_events events = { .call = call };
	struct json_writer *writer;
	int error;

	json_integer(json_member(call->arguments, "limit"), &limit);
	if (type)
		events.only = event_find(event_table, type, call->control->services);
	if ((type && !events.only) || limit < 1) {
		control_call_fail(
			call, CONTROL_INVALID_ARGUMENT,
			"The types are in doc/events.md, for instance sms.received",
			"there is no such type of event");
		return;
	}
	error = command_events_list(&events, (unsigned)limit);
	if (error)
		control_call_fail_store(call, error);
	else if (!call->is_over && control_call_flag(call, "follow"))
		command_events_follow(&events);
	else if (!call->is_over && (writer = control_call_open_result(call))) {
		json_put_integer(writer, "listed", events.matches - events.passed_over);
		control_call_close(call);
	}
}

const struct control_command command_events = {
	.name = "events",
	.needs_gateway = true,
	.run = command_events_run,
};
