/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * No index has the order of send_at: all unfinished messages are visited, of which there are
 * at most sms.queue_limit and a few in oFono, and the earliest ones that fit on the page are
 * kept. They are read and written afterwards, one by one, so that only their IDs and times are
 * in memory together.
 */
#include "tools/scheduled_list.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "store/store_party.h"
#include "tools/message_view.h"
#include "tools/services.h"

enum { SCHEDULED_LIST_ARENA_BYTES = 1024 * 1024 }; /* for one stored message */

struct scheduled_list_place {
	int64_t send_at_ms;
	int64_t message_id;
};

struct scheduled_list {
	const struct page *page;
	const struct store_listing_filter *filter;
	struct store_party party;	   /* of filter->number */
	struct scheduled_list_place after; /* where the previous page ended */
	int64_t now_ms;
	size_t count, room;
	struct scheduled_list_place earliest[PAGE_LIMIT_MAX + 1];
};

static bool scheduled_list_is_before(const struct scheduled_list_place *one,
				     const struct scheduled_list_place *other)
{
	return one->send_at_ms < other->send_at_ms ||
	       (one->send_at_ms == other->send_at_ms &&
		one->message_id < other->message_id);
}

static bool scheduled_list_is_to(const struct scheduled_list *list, const char *number)
{
	if (!list->filter->number || strcmp(number, list->filter->number) == 0)
		return true;
	for (size_t i = 0; i < list->party.count; i++) {
		if (strcmp(number, list->party.spellings[i]) == 0)
			return true;
	}
	return false;
}

static bool scheduled_list_wants(const struct scheduled_list *list,
				 const struct message *message)
{
	const struct store_listing_filter *filter = list->filter;
	bool waits = message->state == STATE_SCHEDULED ||
		     (message->state == STATE_WAITING_APPROVAL &&
		      message->send_at_ms > list->now_ms);

	return waits && !filter->incoming_only && !filter->unread_only &&
	       (!filter->sim_id || filter->sim_id == message->sim_id) &&
	       (!filter->since_ms || message->send_at_ms >= filter->since_ms) &&
	       (!filter->until_ms || message->send_at_ms < filter->until_ms) &&
	       scheduled_list_is_to(list, message->number) &&
	       (!filter->search || strcasestr(message->text, filter->search)) &&
	       message_view_contains(&list->page->view, message, filter->search);
}

static void scheduled_list_visit(void *data, const struct message *message)
{
	const struct scheduled_list_place place = { message->send_at_ms, message->id };
	struct scheduled_list *list = data;
	size_t at;

	if (!scheduled_list_wants(list, message) ||
	    !scheduled_list_is_before(&list->after, &place))
		return;
	for (at = list->count; at > 0; at--) {
		if (scheduled_list_is_before(&list->earliest[at - 1], &place))
			break;
		if (at < list->room)
			list->earliest[at] = list->earliest[at - 1];
	}
	if (at < list->room)
		list->earliest[at] = place;
	if (list->count < list->room)
		list->count++;
}

/* Returns 0 or the store's error. */
static int scheduled_list_read_message(struct store *store, int64_t message_id,
				       struct arena **arena_out,
				       struct message *message_out)
{
	struct arena *arena = arena_new(SCHEDULED_LIST_ARENA_BYTES);
	int error = arena ? store_message_get(store, message_id, arena, message_out)
			  : -ENOMEM;

	*arena_out = arena;
	return error;
}

static int scheduled_list_write_rows(const struct scheduled_list *list, struct page *page,
				     const struct services *services)
{
	struct message message;
	struct arena *arena;
	int error = 0;

	for (size_t i = 0; i < list->count && !error && !page->more; i++) {
		int64_t message_id = list->earliest[i].message_id;

		if (!page_takes_row(page, message_id))
			break;
		error = scheduled_list_read_message(services->store, message_id, &arena,
						    &message);
		if (!error) {
			message.reason = message_view_reason(services, &message);
			message_view_write(&page->view, &message);
			page_keeps_row(page);
		}
		arena_free(arena);
	}
	return error;
}

/* A message of the previous page that has been sent since keeps its place. */
static int scheduled_list_find_after(struct scheduled_list *list, struct store *store)
{
	int64_t message_id = list->filter->before_id;
	struct message message;
	struct arena *arena;
	int error;

	if (!message_id)
		return 0;
	error = scheduled_list_read_message(store, message_id, &arena, &message);
	if (!error)
		list->after =
			(struct scheduled_list_place){ message.send_at_ms, message_id };
	arena_free(arena);
	return error == STORE_E_NOT_FOUND ? 0 : error;
}

int scheduled_list_write(struct page *page, const struct services *services,
			 const struct store_listing_filter *filter)
{
	struct scheduled_list list = {
		.page = page,
		.filter = filter,
		.now_ms = clock_wall_ms(),
		.room = page->limit + 1,
	};
	int error = scheduled_list_find_after(&list, services->store);

	if (filter->number)
		store_party_spell(services->store, filter->sim_id, filter->number,
				  &list.party);
	if (!error)
		error = store_message_list_unfinished(services->store,
						      scheduled_list_visit, &list);
	return error ? error : scheduled_list_write_rows(&list, page, services);
}
