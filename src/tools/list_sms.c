/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_sms: the stored messages, newest first, a page at a time.
 *
 * The cursor holds the ID of the last message on a page, and the next page has older ones, so
 * messages that arrive meanwhile move nothing (tests/integration/test_reading_tools.py). A
 * search may take several turns of the event loop; if the gateway stops meanwhile, the page
 * ends where the search is.
 *
 * With state "scheduled" the order is that of send_at, which may change. So the cursor then also
 * holds the send_at that the last message had (tests/integration/test_scheduled_list.py).
 *
 * A page also lists the offline gaps in its time. Pages touch: the time between two messages
 * belongs to the page with the later one.
 */
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "console/console.h"
#include "store/store_listing.h"
#include "store/store_party.h"
#include "tools/argument.h"
#include "tools/message_view.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/sim_choice.h"
#include "tools/tool_failure.h"
#include "tools/tool_table.h"
#include "tools/tool_wait.h"

static const char *const list_sms_directions[] = { "in", "out", NULL };

static const char *const list_sms_states[] = { "scheduled", NULL };

static const struct schema_field list_sms_input[] = {
	{ "direction", SCHEMA_STRING, false, "in: received; out: sent from here",
	  .words = list_sms_directions },
	{ "phone_number", SCHEMA_STRING, false,
	  "Only this number in any spelling, or this sender's exact name; \"\": "
	  "messages that came with neither",
	  0, 64, .other_names = "from to sender contact contact_name number" },
	{ "subscription_id", SCHEMA_INTEGER, false, "Only of this SIM",
	  .fix = sim_choice_fix },
	{ "since", SCHEMA_STRING, false,
	  "Only from this time on, for example 2026-11-21T08:30:00+01:00",
	  .other_names = "after start_time date day" },
	{ "until", SCHEMA_STRING, false, "Only before this time",
	  .other_names = "before end_time" },
	{ "unread_only", SCHEMA_BOOLEAN, false, "Only received ones not marked as read",
	  .other_names = "unread" },
	{ "state", SCHEMA_STRING, false,
	  "scheduled: only those that wait for send_at, by which since and until then filter",
	  .words = list_sms_states },
	{ "search", SCHEMA_STRING, false,
	  "Only texts with this exact phrase, case-insensitive", 1, 160,
	  .other_names = "contains query text" },
	VIEW_SERVICE_FIELD,
	PAGE_LIMIT_FIELD,
	{ "cursor", SCHEMA_STRING, false,
	  "next_cursor from the previous page, with the same filters" },
	{ 0 },
};

static const struct schema_field list_sms_output[] = {
	VIEW_NOTICE_FIELD,
	{ "subscription_id", SCHEMA_INTEGER, false,
	  "SIM of the messages that name none" },
	{ "messages", SCHEMA_ARRAY, true, "Newest first",
	  .members = message_view_fields },
	VIEW_CONTACTS_FIELD,
	{ "count", SCHEMA_INTEGER, true, "Messages in this answer" },
	{ "next_cursor", SCHEMA_STRING, false, "The cursor of the next page" },
	VIEW_RECORDS_FIELD,
	{ "hint", SCHEMA_STRING, false, "Why nothing was found" },
	{ "gaps", SCHEMA_ARRAY, false,
	  "Times, among those listed, when the gateway could not receive: messages may be missing",
	  .members = view_gap_fields },
	{ "wait_cursor", SCHEMA_STRING, true,
	  "Pass it to wait_for_sms as after: nothing that comes from now on is missed" },
	{ 0 },
};

/* Of a message that waits. */
struct list_sms_scheduled_place {
	int64_t send_at_ms;
	int64_t message_id;
};

/* One call; lives in its arena. */
struct list_sms {
	struct tool_call *call;
	struct scan scan;
	struct page page;
	struct view_contacts contacts;	       /* of the rows */
	struct list_sms_scheduled_place after; /* where the previous page ended */
	int64_t newest_id; /* when the call came; later messages are not listed */
	int64_t from_ms;   /* the time that this page covers */
	int64_t until_ms;
};

/* An empty list would say something about messages, although the question is wrong. */
static bool list_sms_check_times(struct tool_call *call,
				 const struct store_listing_filter *filter)
{
	if (!filter->since_ms || !filter->until_ms || filter->since_ms < filter->until_ms)
		return true;
	tool_failure_answer(call, FAILURE_INVALID_ARGUMENTS,
			    "since is not before until, so no message can be between "
			    "them: pass the earlier time as since.");
	return false;
}

/* Many clients pass "" for what they leave out; an empty list would mislead them. */
static bool list_sms_check_party(struct tool_call *call,
				 const struct store_listing_filter *filter)
{
	if (!filter->number || *filter->number)
		return argument_check_party(call, "phone_number", filter->number);
	if (store_listing_knows_number(call->services->store, ""))
		return true;
	tool_failure_answer(call, FAILURE_INVALID_ARGUMENTS,
			    "phone_number is empty, and no stored message came without a "
			    "number: leave it out to list those of all numbers.");
	return false;
}

static bool list_sms_check_sim(struct tool_call *call,
			       const struct store_listing_filter *filter)
{
	if (!json_member(call->arguments, "subscription_id") ||
	    sims_knows(call->services->sims, filter->sim_id))
		return true;
	tool_failure_answer(call, FAILURE_SUBSCRIPTION_UNKNOWN,
			    arena_printf(call->arena,
					 "No SIM ever had subscription_id %lld.",
					 (long long)filter->sim_id));
	return false;
}

/* Returns false if the call has been finished with a failure. */
static bool list_sms_read_cursor(struct list_sms *list)
{
	struct tool_call *call = list->call;

	if (argument_text(call, "state"))
		return cursor_argument_scheduled(call, "cursor", &list->after.send_at_ms,
						 &list->after.message_id);
	return cursor_argument(call, "cursor", CURSOR_MESSAGES,
			       &list->scan.look.filter.before_id);
}

/* Returns false if the call has been finished with a failure. */
static bool list_sms_read_filter(struct tool_call *call,
				 struct store_listing_filter *filter)
{
	const char *direction = argument_text(call, "direction");

	filter->incoming_only = direction && direction[0] == 'i';
	filter->outgoing_only = direction && direction[0] == 'o';
	filter->unread_only = argument_boolean(call, "unread_only");
	filter->without_service = view_leaves_out_service(call);
	filter->number = argument_party(call, "phone_number");
	filter->search = argument_text(call, "search");
	filter->sim_id = argument_integer(call, "subscription_id", 0);
	return argument_time(call, "since", &filter->since_ms) &&
	       argument_time(call, "until", &filter->until_ms) &&
	       list_sms_check_times(call, filter) && list_sms_check_party(call, filter) &&
	       list_sms_check_sim(call, filter);
}

static bool list_sms_add(void *data, const struct message *message)
{
	struct list_sms *list = data;
	struct message copy = *message;

	if (!message_view_contains(&list->page.view, message,
				   list->scan.look.filter.search))
		return true;
	if (!page_takes_row(&list->page, message->id))
		return false;
	copy.reason = message_view_reason(list->call->services, message);
	message_view_write(&list->page.view, &copy);
	if (!page_keeps_row(&list->page))
		return false;
	if (list->page.room.rows == 1 || message->created_ms < list->from_ms)
		list->from_ms = message->created_ms;
	return true;
}

static void list_sms_find_times(struct list_sms *list)
{
	const struct store_listing_filter *filter = &list->scan.look.filter;
	struct message before;

	if (!list->page.more)
		list->from_ms = filter->since_ms;
	list->until_ms = filter->until_ms ? filter->until_ms : INT64_MAX;
	if (filter->before_id &&
	    store_message_get(list->call->services->store, filter->before_id,
			      list->call->arena, &before) == 0 &&
	    before.created_ms < list->until_ms)
		list->until_ms = before.created_ms;
}

/* Returns the SIM that messages do not repeat: the wanted one, or else the first in the phone. */
static int64_t list_sms_usual_sim(const struct list_sms *list)
{
	const struct sim *first = TAILQ_FIRST(sims_list(list->call->services->sims));

	if (list->scan.look.filter.sim_id)
		return list->scan.look.filter.sim_id;
	return first ? first->id : 0;
}

static void list_sms_close_rows(struct list_sms *list)
{
	const char *hint = NULL;

	page_close_rows(&list->page, CURSOR_MESSAGES);
	view_put_contacts(&list->page.view);
	if (!list->page.room.rows)
		hint = argument_party_hint(list->call, list->scan.look.filter.number);
	if (hint)
		json_put_string(list->page.writer, "hint", hint);
}

static void list_sms_open_rows(struct list_sms *list)
{
	struct view *view = &list->page.view;

	view->contacts = &list->contacts;
	view->usual_sim_id = list_sms_usual_sim(list);
	if (view->usual_sim_id)
		json_put_integer(view->writer, "subscription_id", view->usual_sim_id);
	json_open_array_at(view->writer, "messages");
}

/* Says what an answer without messages, or without more of them, does not know. */
static void list_sms_put_records_since(struct list_sms *list)
{
	const struct store_listing_filter *filter = &list->scan.look.filter;
	struct store *store = list->call->services->store;

	if (!list->page.room.rows)
		view_put_records_since(list->page.writer, store, 0);
	else if (!list->page.more && (filter->number || filter->search ||
				      filter->since_ms || filter->until_ms))
		view_put_records_since(list->page.writer, store, filter->since_ms);
}

/* The search is over. `error` is the store's, or 0. */
static void list_sms_finish(void *data, int error)
{
	struct list_sms *list = data;
	struct page *page = &list->page;
	int gaps_error;

	list_sms_close_rows(list);
	list_sms_put_records_since(list);
	list_sms_find_times(list);
	gaps_error = view_put_gaps(page->writer, list->call->services->store,
				   list->from_ms, list->until_ms);
	cursor_put(page->writer, "wait_cursor", CURSOR_ARRIVALS, list->newest_id);
	page_answer(page, list->call, error ? error : gaps_error);
}

static void list_sms_on_abandoned(void *data)
{
	struct list_sms *list = data;

	scan_stop(&list->scan);
	page_drop(&list->page);
}

static void list_sms_on_stopping(void *data)
{
	struct list_sms *list = data;

	scan_stop(&list->scan);
	page_stop(&list->page, list->scan.look.before_id);
	list_sms_finish(list, 0);
}

static const struct request_waiting list_sms_waiting = {
	.abandoned = list_sms_on_abandoned,
	.stopping = list_sms_on_stopping,
};

/*
 * ---- messages that wait for their time
 *
 * No index has the order of send_at: all unfinished messages are visited, of which there are
 * at most sms.queue_limit and a few in oFono, and the earliest ones that fit on the page are
 * kept. They are read and written afterwards, one by one, so that only their IDs and times are
 * in memory together.
 */

struct list_sms_scheduled {
	struct list_sms *list;
	struct store_party party;	       /* of the filter's number */
	struct list_sms_scheduled_place after; /* where the previous page ended */
	int64_t now_ms;
	size_t count, room;
	struct list_sms_scheduled_place earliest[PAGE_LIMIT_MAX + 1];
};

static bool list_sms_scheduled_is_before(const struct list_sms_scheduled_place *one,
					 const struct list_sms_scheduled_place *other)
{
	return one->send_at_ms < other->send_at_ms ||
	       (one->send_at_ms == other->send_at_ms &&
		one->message_id < other->message_id);
}

static bool list_sms_scheduled_is_to(const struct list_sms_scheduled *scheduled,
				     const char *number)
{
	const char *wanted = scheduled->list->scan.look.filter.number;

	if (!wanted || strcmp(number, wanted) == 0)
		return true;
	for (size_t i = 0; i < scheduled->party.count; i++) {
		if (strcmp(number, scheduled->party.spellings[i]) == 0)
			return true;
	}
	return false;
}

static bool list_sms_scheduled_wants(const struct list_sms_scheduled *scheduled,
				     const struct message *message)
{
	const struct list_sms *list = scheduled->list;
	const struct store_listing_filter *filter = &list->scan.look.filter;
	bool waits = message->state == STATE_SCHEDULED ||
		     (message->state == STATE_WAITING_APPROVAL &&
		      message->send_at_ms > scheduled->now_ms);

	return waits && !filter->incoming_only && !filter->unread_only &&
	       (!filter->sim_id || filter->sim_id == message->sim_id) &&
	       (!filter->since_ms || message->send_at_ms >= filter->since_ms) &&
	       (!filter->until_ms || message->send_at_ms < filter->until_ms) &&
	       list_sms_scheduled_is_to(scheduled, message->number) &&
	       (!filter->search || utf8_contains(message->text, filter->search)) &&
	       message_view_contains(&list->page.view, message, filter->search);
}

static void list_sms_scheduled_visit(void *data, const struct message *message)
{
	const struct list_sms_scheduled_place place = { message->send_at_ms,
							message->id };
	struct list_sms_scheduled *scheduled = data;
	size_t at;

	if (!list_sms_scheduled_wants(scheduled, message) ||
	    !list_sms_scheduled_is_before(&scheduled->after, &place))
		return;
	for (at = scheduled->count; at > 0; at--) {
		if (list_sms_scheduled_is_before(&scheduled->earliest[at - 1], &place))
			break;
		if (at < scheduled->room)
			scheduled->earliest[at] = scheduled->earliest[at - 1];
	}
	if (at < scheduled->room)
		scheduled->earliest[at] = place;
	if (scheduled->count < scheduled->room)
		scheduled->count++;
}

static int list_sms_scheduled_write_rows(struct list_sms_scheduled *scheduled)
{
	const struct services *services = scheduled->list->call->services;
	struct page *page = &scheduled->list->page;
	struct message message;
	struct arena *arena;
	int error = 0;

	for (size_t i = 0; i < scheduled->count && !error && !page->more; i++) {
		int64_t message_id = scheduled->earliest[i].message_id;

		if (!page_takes_row(page, message_id))
			break;
		error = message_view_read(services->store, message_id, &arena, &message);
		if (!error) {
			message.reason = message_view_reason(services, &message);
			message_view_write(&page->view, &message);
			if (page_keeps_row(page))
				scheduled->after = scheduled->earliest[i];
		}
		arena_free(arena);
	}
	return error;
}

/*
 * Writes the messages that wait for their send_at, also those that wait for approval until then,
 * the next one first. The filter's times are bounds for send_at. Returns 0 or the store's error.
 */
static int list_sms_scheduled_write(struct list_sms_scheduled *scheduled)
{
	const struct store_listing_filter *filter = &scheduled->list->scan.look.filter;
	struct store *store = scheduled->list->call->services->store;
	int error;

	if (filter->number)
		store_party_spell(store, filter->sim_id, filter->number,
				  &scheduled->party);
	error = store_message_list_unfinished(store, list_sms_scheduled_visit, scheduled);
	return error ? error : list_sms_scheduled_write_rows(scheduled);
}

static void list_sms_answer_scheduled(struct list_sms *list)
{
	struct store *store = list->call->services->store;
	struct page *page = &list->page;
	struct list_sms_scheduled scheduled = {
		.list = list,
		.after = list->after,
		.now_ms = clock_wall_ms(),
		.room = page->limit + 1,
	};
	int error = store_message_newest(store, &list->newest_id);

	list_sms_open_rows(list);
	if (!error)
		error = list_sms_scheduled_write(&scheduled);
	json_close_array(page->writer);
	json_put_integer(page->writer, "count", page->room.rows);
	if (page->more)
		cursor_put_scheduled(page->writer, "next_cursor",
				     scheduled.after.send_at_ms,
				     scheduled.after.message_id);
	view_put_contacts(&page->view);
	cursor_put(page->writer, "wait_cursor", CURSOR_ARRIVALS, list->newest_id);
	page_answer(page, list->call, error);
}

static void list_sms_run(struct tool_call *call)
{
	const struct services *services = call->services;
	struct list_sms *list = tool_wait_alloc(call, sizeof(*list));
	int error;

	if (!list)
		return;
	list->call = call;
	list->scan.look.visit = list_sms_add;
	list->scan.look.data = list;
	list->scan.done = list_sms_finish;
	if (!list_sms_read_filter(call, &list->scan.look.filter) ||
	    !list_sms_read_cursor(list) || !page_begin(&list->page, call))
		return;
	if (argument_text(call, "state")) {
		list_sms_answer_scheduled(list);
		return;
	}
	error = store_message_newest(services->store, &list->newest_id);
	list_sms_open_rows(list);
	if (!error)
		error = scan_start(services->scans, &list->scan);
	if (error == SCAN_E_CONTINUES)
		tool_call_wait(call, &list_sms_waiting, list);
	else
		list_sms_finish(list, error);
}

const struct tool tool_list_sms = {
	.name = "list_sms",
	.title = "Read stored messages",
	.description =
		"List stored messages, received and sent, newest first; marks nothing "
		"as read. To wait for a new one, call wait_for_sms. During gaps the "
		"gateway could not receive, so messages may be missing. A sender's "
		"name or number proves nothing about who wrote.",
	.input = list_sms_input,
	.output = list_sms_output,
	.listed = (const char *const[]){ "subscription_id", "messages", "next_cursor",
					 "wait_cursor", NULL },
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.page = CONSOLE_URI,
	.run = list_sms_run,
};
