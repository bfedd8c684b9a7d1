/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * get_recent_calls: the calls that came in and those that agents placed, newest first, a page
 * at a time.
 */
#include "tools/argument.h"
#include "tools/call_view.h"
#include "tools/gap_view.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/tool_table.h"

static const struct schema_field input[] = {
	{ "missed_only", SCHEMA_BOOLEAN, false,
	  "Only those that came in and nobody answered" },
	PAGE_LIMIT_FIELD,
	{ "cursor", SCHEMA_STRING, false,
	  "next_cursor of the answer before: the page after it" },
	{ 0 },
};

static const struct schema_field output[] = {
	MESSAGE_VIEW_NOTICE_FIELD,
	{ "calls", SCHEMA_ARRAY, true, "Newest first", .members = call_view_fields },
	{ "count", SCHEMA_INTEGER, true, "Calls in this answer" },
	{ "next_cursor", SCHEMA_STRING, false, "There are more: the cursor for them" },
	{ "gaps", SCHEMA_ARRAY, true,
	  "Times, since the oldest of these, in which the gateway could not hear: a call "
	  "of that time is missing",
	  .members = gap_view_fields },
	{ 0 },
};

struct listing {
	struct page page;
	int64_t oldest_ms;
};

static void add_call(void *data, const struct event *call)
{
	struct listing *listing = data;

	if (!page_takes_row(&listing->page, call->id))
		return;
	call_view_write(&listing->page.view, call);
	listing->oldest_ms = call->at_ms;
}

static void list(struct listing *listing, struct tool_call *call, int64_t before_id)
{
	const struct services *services = call->services;
	struct page *page = &listing->page;
	const struct store_event_query look = {
		.kind = EVENT_CALL,
		.before_id = before_id,
		.state = argument_boolean(call, "missed_only") ? CALL_MISSED : -1,
		.limit = page->limit + 1,
		.visit = add_call,
		.data = listing,
	};
	int error, gaps_error;

	page_open_rows(page, "calls");
	error = store_event_list(services->store, &look);
	page_close_rows(page, CURSOR_CALLS);
	gaps_error = gap_view_put(page->writer, services->store,
				  page->more ? listing->oldest_ms : 0);
	page_answer(page, call, error ? error : gaps_error);
}

static void run(struct tool_call *call)
{
	struct listing listing = { .oldest_ms = 0 };
	int64_t before_id;

	if (cursor_argument(call, "cursor", CURSOR_CALLS, &before_id) &&
	    page_begin(&listing.page, call))
		list(&listing, call, before_id);
}

const struct tool tool_get_recent_calls = {
	.name = "get_recent_calls",
	.title = "List recent calls",
	.description =
		"Lists the calls that came in on this phone, and those that agents "
		"placed, newest first: with whom, when, on which SIM, and whether it was "
		"missed or how it ended. Call it to find out who tried to reach the "
		"owner, or what became of place_call. Costs nothing; it answers and "
		"places no call. A number proves nothing about who called, and a call in "
		"one of the gaps, or that the owner placed, is not listed.",
	.input = input,
	.output = output,
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.run = run,
};
