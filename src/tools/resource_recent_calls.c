/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls://recent: the calls that came in, or were placed, last.
 */
#include "tools/resource_event_page.h"
#include "tools/resource_table.h"
#include "tools/call_view.h"

static const struct event_page page = {
	.kind = EVENT_CALL,
	.key = "calls",
	.write_row = call_view_write,
};

static int write_content(const struct resource_call *call, struct json_writer *writer)
{
	return event_page_write(call, &page, writer);
}

const struct resource resource_recent_calls = {
	.uri = "calls://recent",
	.name = "recent_calls",
	.title = "Recent calls",
	.description = "The last 20 calls that came in or that agents placed, newest "
		       "first; get_recent_calls gives the older ones. Subscribe to it to "
		       "hear when one rings and what became of it.",
	.scopes = CLIENT_READ,
	.write = write_content,
};
