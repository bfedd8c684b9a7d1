/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resources/message_page.h"

#include <errno.h>

#include "tools/cursor.h"
#include "tools/message_view.h"
#include "tools/services.h"

enum { PAGE_BYTES = 256 * 1024 };

struct page {
	struct buffer messages; /* the array, for it may turn out that there is none */
	struct json_writer *writer;
	unsigned limit;
	unsigned count;
	bool more;
};

static void add(void *data, const struct message *message)
{
	struct page *page = data;

	if (page->count == page->limit || page->messages.length > PAGE_BYTES) {
		page->more = true;
		return;
	}
	message_view_write(page->writer, message);
	page->count++;
}

static int collect(struct page *page, struct store *store, struct message_filter *filter)
{
	int error;

	page->writer = json_writer_new(&page->messages);
	if (!page->writer)
		return -ENOMEM;
	page->limit = filter->limit;
	filter->limit++; /* to know whether there are more */
	json_open_array(page->writer);
	error = store_messages_list(store, filter, add, page);
	json_close_array(page->writer);
	json_writer_free(page->writer);
	return !error && page->messages.failed ? -ENOMEM : error;
}

int message_page_write(const struct resource_call *call, struct message_filter *filter,
		       bool needed, struct json_writer *writer)
{
	const struct services *services = call->services;
	struct page page = { .count = 0 };
	int64_t newest_id = 0;
	/* before the messages: what comes after is told, or waited for */
	int error = cursor_newest(services->store, &newest_id);

	if (!error)
		error = collect(&page, services->store, filter);
	if (!error && needed && !page.count)
		error = RESOURCE_E_NOT_FOUND;
	if (!error) {
		json_open_object(writer);
		message_view_put_notice(writer);
		json_key(writer, "messages");
		json_write_raw(writer, page.messages.data, page.messages.length);
		json_put_integer(writer, "count", page.count);
		json_put_boolean(writer, "more", page.more);
		cursor_put(writer, "wait_cursor", CURSOR_ARRIVALS, newest_id);
		json_close_object(writer);
	}
	buffer_deinit(&page.messages);
	return error;
}
