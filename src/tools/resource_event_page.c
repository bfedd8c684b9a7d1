/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/resource_event_page.h"

#include "tools/gap_view.h"
#include "tools/services.h"

enum { EVENTS = 20 };

struct writing {
	const struct event_page *page;
	struct message_view view;
	unsigned count;
	int64_t oldest_ms;
};

static void add(void *data, const struct event *event)
{
	struct writing *writing = data;

	writing->page->write_row(&writing->view, event);
	writing->count++;
	writing->oldest_ms = event->at_ms;
}

int event_page_write(const struct resource_call *call, const struct event_page *page,
		     struct json_writer *writer)
{
	const struct services *services = call->services;
	struct writing writing = {
		.page = page,
		.view = message_view_of_resource(call, writer),
	};
	const struct store_event_query look = {
		.kind = page->kind,
		.state = -1,
		.limit = EVENTS,
		.visit = add,
		.data = &writing,
	};
	int error, gaps_error;

	json_open_object(writer);
	message_view_put_notice(writer);
	json_key(writer, page->key);
	json_open_array(writer);
	error = store_event_list(services->store, &look);
	json_close_array(writer);
	json_put_integer(writer, "count", writing.count);
	/* there may be older ones, which this is not about */
	gaps_error = gap_view_put(writer, services->store,
				  writing.count == EVENTS ? writing.oldest_ms : 0);
	json_close_object(writer);
	return error ? error : gaps_error;
}
