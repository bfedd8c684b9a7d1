/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls://recent: the calls that came in last.
 */
#include "resources/resource_table.h"
#include "tools/call_view.h"
#include "tools/services.h"

enum { CALLS = 20 };

struct writing {
	struct message_view view;
	unsigned count;
	int64_t oldest_ms;
};

static void add(void *data, const struct event *call)
{
	struct writing *writing = data;

	call_view_write(&writing->view, call);
	writing->count++;
	writing->oldest_ms = call->at_ms;
}

static int write_content(const struct resource_call *call, struct json_writer *writer)
{
	const struct services *services = call->services;
	struct writing writing = { .view = message_view_of_resource(call, writer) };
	const struct event_look look = {
		.kind = EVENT_CALL,
		.state = -1,
		.limit = CALLS,
		.visit = add,
		.data = &writing,
	};
	int error, gaps_error;

	json_open_object(writer);
	message_view_put_notice(writer);
	json_key(writer, "calls");
	json_open_array(writer);
	error = store_events_list(services->store, &look);
	json_close_array(writer);
	json_put_integer(writer, "count", writing.count);
	gaps_error = call_view_put_gaps(&writing.view,
					writing.count == CALLS ? writing.oldest_ms : 0);
	json_close_object(writer);
	return error ? error : gaps_error;
}

const struct resource resource_recent_calls = {
	.uri = "calls://recent",
	.name = "recent_calls",
	.title = "Calls that came in",
	.description = "The 20 calls that came in last, newest first; get_recent_calls "
		       "gives the older ones. Subscribe to it to hear when one rings and "
		       "what became of it.",
	.scopes = CLIENT_READ,
	.write = write_content,
};
