/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_changes: what happened on this phone, in the order of the feed, for the hub of many
 * phones. doc/protocol.md#the-feed-of-a-phone has the answer.
 *
 *   no cursor, or one that the feed does not reach -> snapshot: the phone, incoming messages and
 *              the client's unsettled ones, a page at a time -> entries from the oldest one on
 *   a cursor -> entries after it -> some, or the phone differs -> answer
 *                  ^                            -> none: wait
 *                  +---- something changed
 *
 * A cursor has all that the next call needs: the place in the feed, the digest of the phone as
 * it was shown, and the place in the snapshot. So a call may be repeated, and the gateway keeps
 * nothing about its readers (tests/integration/test_list_changes.py).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "store/store_feed.h"
#include "store/store_listing.h"
#include "tools/argument.h"
#include "tools/change_source.h"
#include "tools/change_view.h"
#include "tools/page.h"
#include "tools/tool_failure.h"
#include "tools/tool_table.h"
#include "tools/tool_wait.h"

enum {
	LIST_CHANGES_LIMIT = 100,
	LIST_CHANGES_LIMIT_MAX = 500,
	LIST_CHANGES_WAIT_MAX_SECONDS = 600,
	LIST_CHANGES_READ_MAX = 1000, /* entries that one answer passes */
	LIST_CHANGES_CURSOR_BYTES = 96,
};

static const struct schema_field list_changes_input[] = {
	{ "after", SCHEMA_STRING, false,
	  "cursor of the previous answer; left out: begin with a snapshot" },
	{ "wait_seconds", SCHEMA_INTEGER, false, "Maximum wait for a change (default 0)",
	  0, LIST_CHANGES_WAIT_MAX_SECONDS },
	{ "limit", SCHEMA_INTEGER, false, "Maximum rows (default 100)", 1,
	  LIST_CHANGES_LIMIT_MAX },
	{ 0 },
};

static const struct schema_field list_changes_output[] = {
	{ "epoch", SCHEMA_STRING, true,
	  "Of the message store; another one after a restore or repair" },
	{ "cursor", SCHEMA_STRING, true, "Pass it as after" },
	{ "truncated", SCHEMA_BOOLEAN, true,
	  "The feed does not reach back to after, or the epoch is another one: this is a "
	  "snapshot, and entries follow from the oldest one on" },
	{ "more", SCHEMA_BOOLEAN, true, "Call again at once" },
	{ "now_ms", SCHEMA_INTEGER, true, "The phone's clock" },
	{ "phone", SCHEMA_OBJECT, false,
	  "SIMs and limits: in a snapshot, and when they changed",
	  .members = change_view_phone_fields },
	{ "snapshot", SCHEMA_BOOLEAN, true,
	  "changes begin with rows of a snapshot, which have no id" },
	{ "changes", SCHEMA_ARRAY, true, "What happened, in order",
	  .members = change_view_fields },
	{ 0 },
};

enum { LIST_CHANGES_NO_SNAPSHOT = -1 };

/* What a cursor says. */
struct list_changes_place {
	int64_t epoch;
	int64_t entry_id;    /* everything up to here was shown */
	uint64_t digest;     /* of the phone, as it was shown */
	int64_t snapshot_id; /* the snapshot goes on after this message */
};

/* One call; lives in its arena. */
struct list_changes {
	struct tool_call *call;
	struct list_changes_place
		place; /* where this answer begins, later: where it ends */
	bool truncated;
	unsigned limit, looked_at;
	int error;
	uint64_t steady_digest; /* of the phone when the wait began */
	struct page page;
	struct tool_wait wait;
};

static void list_changes_write_cursor(const struct list_changes_place *place,
				      char text[LIST_CHANGES_CURSOR_BYTES])
{
	snprintf(text, LIST_CHANGES_CURSOR_BYTES,
		 "%016" PRIx64 ".%" PRId64 ".%016" PRIx64 ".%" PRId64,
		 (uint64_t)place->epoch, place->entry_id, place->digest,
		 place->snapshot_id);
}

/* Valid is only what list_changes_write_cursor() writes. */
static bool list_changes_read_cursor(const char *text,
				     struct list_changes_place *place_out)
{
	char expected[LIST_CHANGES_CURSOR_BYTES];
	struct list_changes_place place;
	uint64_t epoch;

	if (sscanf(text, "%16" SCNx64 ".%20" SCNd64 ".%16" SCNx64 ".%20" SCNd64, &epoch,
		   &place.entry_id, &place.digest, &place.snapshot_id) != 4)
		return false;
	place.epoch = (int64_t)epoch;
	list_changes_write_cursor(&place, expected);
	if (strcmp(text, expected) != 0)
		return false;
	*place_out = place;
	return true;
}

/* Returns 0 or -errno. */
static int list_changes_find_place(struct list_changes *list)
{
	struct store *store = list->call->services->store;
	const char *after = argument_text(list->call, "after");
	struct list_changes_place place = { 0 };
	int64_t epoch, first, head;
	int error = store_feed_epoch(store, &epoch);

	if (!error)
		error = store_feed_bounds(store, &first, &head);
	if (error)
		return error;
	if (after && list_changes_read_cursor(after, &place) && place.epoch == epoch &&
	    place.entry_id >= first - 1 && place.entry_id <= head &&
	    place.snapshot_id >= LIST_CHANGES_NO_SNAPSHOT) {
		list->place = place;
		return 0;
	}
	list->truncated = after && *after;
	list->place =
		(struct list_changes_place){ .epoch = epoch, .entry_id = first - 1 };
	return 0;
}

/* ---- snapshot */

/* Returns false to end the reading. */
static bool list_changes_add_message(void *data, const struct message *message)
{
	struct list_changes *list = data;

	if (change_view_is_in_snapshot(list->call->client, message)) {
		if (!page_takes_row(&list->page, message->id))
			return false;
		change_view_write_message(&list->page.view, message);
		if (!page_keeps_row(&list->page))
			return false;
	}
	list->place.snapshot_id = message->id;
	return true;
}

static void list_changes_put_messages(struct list_changes *list)
{
	struct store *store = list->call->services->store;
	struct store_listing_query query = {
		.filter.after_id = list->place.snapshot_id ? list->place.snapshot_id : -1,
		.visit = list_changes_add_message,
		.data = list,
	};
	int error = store_listing_messages(store, &query, LIST_CHANGES_READ_MAX);

	if (error == STORE_E_MORE)
		list->page.more = true;
	else
		list->error = error;
	if (!list->page.more)
		list->place.snapshot_id = LIST_CHANGES_NO_SNAPSHOT;
}

/* ---- changes */

/* Returns false to end the reading. */
static bool list_changes_add_entry(void *data, const struct feed_entry *entry)
{
	struct list_changes *list = data;
	int error;

	if (change_view_is_for(list->call->client, entry)) {
		if (!page_takes_row(&list->page, entry->id))
			return false;
		error = change_view_write(&list->page.view, entry);
		if (error < 0)
			list->error = error;
		if (error < 0 || (error == 0 && !page_keeps_row(&list->page)))
			return false;
	}
	list->place.entry_id = entry->id;
	list->page.more |= ++list->looked_at == LIST_CHANGES_READ_MAX;
	return true;
}

/* ---- the answer */

static void list_changes_put_phone(struct list_changes *list)
{
	const struct services *services = list->call->services;
	const struct client *client = list->call->client;
	uint64_t digest =
		change_view_phone_digest(services, client, CHANGE_VIEW_PHONE_LEFT);

	if (digest == list->place.digest)
		return;
	json_key(list->page.writer, "phone");
	change_view_phone_write(list->page.writer, services, client,
				CHANGE_VIEW_PHONE_FULL);
	list->place.digest = digest;
}

static void list_changes_put_members(struct list_changes *list)
{
	struct json_writer *writer = list->page.writer;
	char text[LIST_CHANGES_CURSOR_BYTES];
	int error;

	snprintf(text, sizeof(text), "%016" PRIx64, (uint64_t)list->place.epoch);
	json_put_string(writer, "epoch", text);
	json_put_boolean(writer, "truncated", list->truncated);
	json_put_integer(writer, "now_ms", clock_wall_ms());
	list_changes_put_phone(list);
	json_put_boolean(writer, "snapshot",
			 list->place.snapshot_id != LIST_CHANGES_NO_SNAPSHOT);
	json_open_array_at(writer, "changes");
	if (list->place.snapshot_id != LIST_CHANGES_NO_SNAPSHOT)
		list_changes_put_messages(list);
	if (!list->page.more && !list->error) {
		error = store_feed_read(list->call->services->store, list->place.entry_id,
					LIST_CHANGES_READ_MAX, list_changes_add_entry,
					list);
		if (error)
			list->error = error;
	}
	json_close_array(writer);
	list_changes_write_cursor(&list->place, text);
	json_put_string(writer, "cursor", text);
	json_put_boolean(writer, "more", list->page.more);
}

static void list_changes_answer(void *data)
{
	struct list_changes *list = data;
	struct page *page = &list->page;

	*page = (struct page){ .limit = list->limit };
	page->writer = page_open(list->call, &page->structured);
	if (!page->writer)
		return;
	page->view = view_of_call(list->call, page->writer);
	page->room =
		(struct request_room){ .writer = page->writer, .form = ANSWER_PLAIN };
	list_changes_put_members(list);
	json_close_object(page->writer);
	json_writer_free(page->writer);
	if (!list->error) { /* the reader is a program: nothing is said twice */
		tool_call_succeed(list->call, "See structuredContent.", &page->structured,
				  false);
		return;
	}
	buffer_deinit(&page->structured);
	tool_failure_answer(list->call, FAILURE_INTERNAL,
			    "The feed of the message store could not be read.");
}

/* ---- waiting */

struct list_changes_search {
	struct list_changes *list;
	unsigned count;
	bool keeps, ends_wait;
};

/* The place moves on over what is not for this client. */
static bool list_changes_see_entry(void *data, const struct feed_entry *entry)
{
	struct list_changes_search *search = data;
	struct list_changes *list = search->list;

	search->keeps |= change_view_is_for(list->call->client, entry);
	if (!search->keeps)
		list->place.entry_id = entry->id;
	search->ends_wait = ++search->count == LIST_CHANGES_READ_MAX ||
			    (change_view_is_for(list->call->client, entry) &&
			     change_view_ends_wait(entry));
	return !search->ends_wait;
}

/* Are there entries that end a wait, or is there an error to report? */
static bool list_changes_has_entries(struct list_changes *list)
{
	struct list_changes_search search = { .list = list };

	return store_feed_read(list->call->services->store, list->place.entry_id,
			       LIST_CHANGES_READ_MAX, list_changes_see_entry, &search) ||
	       search.ends_wait;
}

static uint64_t list_changes_digest(const struct list_changes *list,
				    enum change_view_phone_detail detail)
{
	return change_view_phone_digest(list->call->services, list->call->client, detail);
}

static void list_changes_on_change(void *data, const void *event)
{
	struct list_changes *list = data;

	if (list_changes_has_entries(list) ||
	    list_changes_digest(list, CHANGE_VIEW_PHONE_STEADY) != list->steady_digest)
		tool_wait_finish(&list->wait);
}

/* Returns false if the call is to be answered now, true if it waits or has been refused. */
static bool list_changes_wait(struct list_changes *list)
{
	struct change_source *changes = list->call->services->changes;
	int64_t seconds = argument_integer(list->call, "wait_seconds", 0);

	if (!seconds || !changes || list->truncated ||
	    list->place.snapshot_id != LIST_CHANGES_NO_SNAPSHOT ||
	    list_changes_has_entries(list) ||
	    list_changes_digest(list, CHANGE_VIEW_PHONE_LEFT) != list->place.digest)
		return false;
	if (tool_wait_is_refused(list->call))
		return true;
	list->steady_digest = list_changes_digest(list, CHANGE_VIEW_PHONE_STEADY);
	list->wait = (struct tool_wait){ .answer = list_changes_answer, .data = list };
	observer_add(&changes->observers, &list->wait.observer, list_changes_on_change,
		     list);
	return tool_wait_start(&list->wait, list->call, (uint64_t)seconds);
}

static void list_changes_run(struct tool_call *call)
{
	struct list_changes *list = tool_wait_alloc(call, sizeof(*list));

	if (!list)
		return;
	*list = (struct list_changes){
		.call = call,
		.limit = (unsigned)argument_integer(call, "limit", LIST_CHANGES_LIMIT),
	};
	list->error = list_changes_find_place(list);
	if (list->error || !list_changes_wait(list))
		list_changes_answer(list);
}

const struct tool tool_list_changes = {
	.name = "list_changes",
	.title = "Follow this phone",
	.description =
		"For a hub of many phones: what happened on this phone, in order, from a "
		"cursor that survives restarts.",
	.input = list_changes_input,
	.output = list_changes_output,
	.listed = (const char *const[]){ "epoch", "cursor", "truncated", "more",
					 "changes", NULL },
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ | CLIENT_HUB,
	.run = list_changes_run,
};
