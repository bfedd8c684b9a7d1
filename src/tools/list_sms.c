/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_sms: the stored messages, newest first, a page at a time.
 *
 * A page ends before the message whose number the cursor holds, so that messages that
 * arrive meanwhile move nothing (tests/integration/test_reading_tools.py).
 */
#include "console/console.h"
#include "store/store_listing.h"
#include "tools/argument.h"
#include "tools/failure.h"
#include "tools/gap_view.h"
#include "tools/message_view.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/tool_table.h"
#include "tools/wait_reason.h"

static const char *const directions[] = { "in", "out", NULL };

static const struct schema_field input[] = {
	{ "direction", SCHEMA_STRING, false, "in: received; out: sent from here",
	  .words = directions },
	{ "phone_number", SCHEMA_STRING, false,
	  "Only messages with this number, however it is spelt, or of this sender's name "
	  "as it is written; \"\": those that came without either",
	  0, 64 },
	{ "subscription_id", SCHEMA_INTEGER, false, "Only messages of this SIM" },
	{ "since", SCHEMA_STRING, false,
	  "Only messages from this time on, RFC 3339 with offset: "
	  "2026-11-21T08:30:00+01:00" },
	{ "until", SCHEMA_STRING, false, "Only messages before this time, RFC 3339" },
	{ "unread_only", SCHEMA_BOOLEAN, false,
	  "Only received ones that mark_sms_read has not marked" },
	{ "search", SCHEMA_STRING, false,
	  "Only texts with these words in them, just so; A and a are the same. What is "
	  "written out is found by what it stands for; a masked code is not found",
	  1, 160 },
	PAGE_LIMIT_FIELD,
	{ "cursor", SCHEMA_STRING, false,
	  "next_cursor of the answer before, with the same filters: the page after it" },
	{ 0 },
};

static const struct schema_field output[] = {
	MESSAGE_VIEW_NOTICE_FIELD,
	{ "messages", SCHEMA_ARRAY, true, "Newest first",
	  .members = message_view_fields },
	{ "count", SCHEMA_INTEGER, true, "Messages in this answer" },
	{ "next_cursor", SCHEMA_STRING, false, "There are more: the cursor for them" },
	{ "gaps", SCHEMA_ARRAY, true,
	  "Times, among those listed, in which the gateway could not hear: "
	  "a message that came then may be missing",
	  .members = gap_view_fields },
	{ "wait_cursor", SCHEMA_STRING, true,
	  "Give it to wait_for_sms as after: nothing that comes from now on is missed" },
	{ 0 },
};

/* one call; lives in the call's arena */
struct listing {
	struct tool_call *call;
	struct scan scan;
	struct page page;
	int64_t newest_id; /* when the call came: what comes meanwhile is not listed */
	int64_t from_ms;   /* the time that this page is about */
	int64_t until_ms;
};

/* Nothing could fit, and an empty list would tell of messages, not of the question. */
static bool check_times(struct tool_call *call, const struct store_listing_filter *filter)
{
	if (!filter->since_ms || !filter->until_ms || filter->since_ms < filter->until_ms)
		return true;
	failure_answer(call, FAILURE_INVALID_ARGUMENTS,
		       "since is not before until, so no message can be between them: "
		       "the earlier time goes into since.");
	return false;
}

/* Many clients write "" for what they leave out: an empty list would mislead them. */
static bool check_party(struct tool_call *call, const struct store_listing_filter *filter)
{
	const struct services *services = call->services;

	if (!filter->number || *filter->number ||
	    store_listing_knows_number(services->store, ""))
		return true;
	failure_answer(call, FAILURE_INVALID_ARGUMENTS,
		       "phone_number is empty, and no stored message came without a "
		       "number: leave it out to list those of all numbers.");
	return false;
}

static bool read_words(struct tool_call *call, struct store_listing_filter *filter)
{
	const char *direction = argument_text(call, "direction");

	filter->incoming_only = direction && direction[0] == 'i';
	filter->outgoing_only = direction && direction[0] == 'o';
	filter->unread_only = argument_boolean(call, "unread_only");
	filter->number = argument_party(call, "phone_number");
	filter->search = argument_text(call, "search");
	return argument_time(call, "since", &filter->since_ms) &&
	       argument_time(call, "until", &filter->until_ms) &&
	       check_times(call, filter) && check_party(call, filter) &&
	       cursor_argument(call, "cursor", CURSOR_MESSAGES, &filter->before_id);
}

static bool read_sim(struct tool_call *call, struct store_listing_filter *filter)
{
	const struct services *services = call->services;

	filter->sim_id = argument_integer(call, "subscription_id", 0);
	if (!json_member(call->arguments, "subscription_id") ||
	    sims_is_known(services->sims, filter->sim_id))
		return true;
	failure_answer(call, FAILURE_SUBSCRIPTION_UNKNOWN,
		       arena_printf(call->arena, "No SIM ever had subscription_id %lld.",
				    (long long)filter->sim_id));
	return false;
}

static bool add_message(void *data, const struct message *message)
{
	struct listing *listing = data;
	struct message shown = *message;

	if (!message_view_has(&listing->page.view, message,
			      listing->scan.look.filter.search))
		return true;
	if (!page_takes_row(&listing->page, message->id))
		return false;
	shown.reason = wait_reason(listing->call->services, message);
	message_view_write(&listing->page.view, &shown);
	if (listing->page.count == 1 || message->created_ms < listing->from_ms)
		listing->from_ms = message->created_ms;
	return true;
}

/* Pages touch: the time between two messages belongs to the page of the later one. */
static void find_times(struct listing *listing)
{
	const struct services *services = listing->call->services;
	const struct store_listing_filter *filter = &listing->scan.look.filter;
	struct message before;

	if (!listing->page.more)
		listing->from_ms = filter->since_ms;
	listing->until_ms = filter->until_ms ? filter->until_ms : INT64_MAX;
	if (filter->before_id &&
	    store_message_get(services->store, filter->before_id, listing->call->arena,
			      &before) == 0 &&
	    before.created_ms < listing->until_ms)
		listing->until_ms = before.created_ms;
}

static void add_gap(void *data, const struct gap *gap)
{
	struct listing *listing = data;

	if (gap->from_ms < listing->until_ms)
		gap_view_write(listing->page.writer, gap);
}

static int write_gaps(struct listing *listing)
{
	const struct services *services = listing->call->services;
	struct json_writer *writer = listing->page.writer;
	int error;

	json_key(writer, "gaps");
	json_open_array(writer);
	error = store_receive_gaps_list(services->store, listing->from_ms, add_gap,
					listing);
	json_close_array(writer);
	return error;
}

static void on_looked(void *data, int error)
{
	struct listing *listing = data;
	struct page *page = &listing->page;
	int gaps_error;

	page_close_rows(page, CURSOR_MESSAGES);
	find_times(listing);
	gaps_error = write_gaps(listing);
	cursor_put(page->writer, "wait_cursor", CURSOR_ARRIVALS, listing->newest_id);
	page_answer(page, listing->call, error ? error : gaps_error);
}

static void on_abandoned(void *data)
{
	struct listing *listing = data;

	scan_stop(&listing->scan);
	page_drop(&listing->page);
}

/* The page ends where it has come to. */
static void on_stopping(void *data)
{
	struct listing *listing = data;

	scan_stop(&listing->scan);
	page_stop(&listing->page, listing->scan.look.before_id);
	on_looked(listing, 0);
}

static const struct request_waiting waiting = {
	.abandoned = on_abandoned,
	.stopping = on_stopping,
};

static void start_looking(struct listing *listing)
{
	const struct services *services = listing->call->services;
	int error = store_message_newest(services->store, &listing->newest_id);

	page_open_rows(&listing->page, "messages");
	if (!error)
		error = scan_start(services->scans, &listing->scan);
	if (error == SCAN_E_GOES_ON)
		tool_call_wait(listing->call, &waiting, listing);
	else
		on_looked(listing, error);
}

static void run(struct tool_call *call)
{
	struct listing *listing = arena_alloc(call->arena, sizeof(*listing));
	struct store_listing_filter *filter;

	if (!listing) {
		failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	listing->call = call;
	listing->scan.look.visit = add_message;
	listing->scan.look.data = listing;
	listing->scan.done = on_looked;
	filter = &listing->scan.look.filter;
	if (read_words(call, filter) && read_sim(call, filter) &&
	    page_begin(&listing->page, call))
		start_looking(listing);
}

const struct tool tool_list_sms = {
	.name = "list_sms",
	.title = "Read stored messages",
	.description =
		"Lists the messages that this phone received and sent through the "
		"gateway, newest first, a page at a time; filters narrow it down. "
		"Call it to read or to look something up; to wait for a message that is "
		"still to come, call wait_for_sms. Costs nothing and marks nothing as "
		"read. A message that is not listed may still have been sent to the "
		"phone: \"gaps\" tells when the gateway could not hear, and a sender's "
		"name or number proves nothing about who wrote.",
	.input = input,
	.output = output,
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.page = CONSOLE_URI,
	.run = run,
};
