/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resources/message_page.h"

#include <errno.h>

#include "tools/cursor.h"
#include "tools/message_view.h"
#include "tools/services.h"

enum { PAGE_BYTES = 256 * 1024 };

struct collecting {
	const struct message_page *page;
	struct buffer messages; /* the array, for it may turn out that there is none */
	struct json_writer *writer;
	unsigned count;
	bool more;
};

static bool add(void *data, const struct message *message)
{
	struct collecting *collecting = data;

	if (collecting->count == collecting->page->limit ||
	    collecting->messages.length > PAGE_BYTES) {
		collecting->more = true;
		return false;
	}
	message_view_write(collecting->writer, message);
	collecting->count++;
	return true;
}

static int collect(struct collecting *collecting, struct store *store)
{
	struct message_look look = {
		.filter = collecting->page->filter,
		.visit = add,
		.data = collecting,
	};
	int error;

	collecting->writer = json_writer_new(&collecting->messages);
	if (!collecting->writer)
		return -ENOMEM;
	json_open_array(collecting->writer);
	/* each row fits; one more tells whether there are more */
	error = store_messages_look(store, &look, collecting->page->limit + 1);
	json_close_array(collecting->writer);
	json_writer_free(collecting->writer);
	if (error < 0)
		return error;
	return collecting->messages.failed ? -ENOMEM : 0;
}

static void write_page(const struct collecting *collecting, struct json_writer *writer,
		       int64_t newest_id)
{
	json_open_object(writer);
	message_view_put_notice(writer);
	json_key(writer, "messages");
	json_write_raw(writer, collecting->messages.data, collecting->messages.length);
	json_put_integer(writer, "count", collecting->count);
	json_put_boolean(writer, "more", collecting->more);
	cursor_put(writer, "wait_cursor", CURSOR_ARRIVALS, newest_id);
	json_close_object(writer);
}

int message_page_write(const struct resource_call *call, const struct message_page *page,
		       struct json_writer *writer)
{
	const struct services *services = call->services;
	struct collecting collecting = { .page = page };
	int64_t newest_id = 0;
	/* before the messages: what comes after is told, or waited for */
	int error = store_message_newest(services->store, &newest_id);

	if (!error)
		error = collect(&collecting, services->store);
	if (!error && page->needed && !collecting.count)
		error = RESOURCE_E_NOT_FOUND;
	if (!error)
		write_page(&collecting, writer, newest_id);
	buffer_deinit(&collecting.messages);
	return error;
}
