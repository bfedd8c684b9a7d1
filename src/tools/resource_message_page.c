/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/resource_message_page.h"

#include "tools/message_view.h"
#include "tools/page.h"
#include "tools/services.h"

struct writing {
	struct json_writer *writer;
	struct message_view view;
	unsigned limit;
	unsigned count;
	bool more;
};

static bool add(void *data, const struct message *message)
{
	struct writing *writing = data;

	if (writing->count == writing->limit ||
	    json_writer_length(writing->writer) > PAGE_LARGE_BYTES) {
		writing->more = true;
		return false;
	}
	message_view_write(&writing->view, message);
	writing->count++;
	return true;
}

static int write_messages(struct writing *writing, struct store *store,
			  const struct store_listing_filter *filter)
{
	struct store_listing_query look = { .filter = *filter,
					    .visit = add,
					    .data = writing };
	int error;

	json_key(writing->writer, "messages");
	json_open_array(writing->writer);
	/* each row fits; one more tells whether there are more */
	error = store_listing_messages(store, &look, writing->limit + 1);
	json_close_array(writing->writer);
	return error < 0 ? error : 0;
}

int message_page_write(const struct resource_call *call, const struct message_page *page,
		       struct json_writer *writer)
{
	const struct services *services = call->services;
	struct writing writing = {
		.writer = writer,
		.view = message_view_of_resource(call, writer),
		.limit = page->limit,
	};
	int64_t newest_id;
	/* before the messages: what comes after is told, or waited for */
	int error = store_message_newest(services->store, &newest_id);

	if (error)
		return error;
	json_open_object(writer);
	message_view_put_notice(writer);
	error = write_messages(&writing, services->store, &page->filter);
	json_put_integer(writer, "count", writing.count);
	json_put_boolean(writer, "more", writing.more);
	cursor_put(writer, "wait_cursor", CURSOR_ARRIVALS, newest_id);
	json_close_object(writer);
	if (!error && page->needed && !writing.count)
		return RESOURCE_E_NOT_FOUND;
	return error;
}
