/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event page: the newest calls or alerts, as the content of a resource.
 */
#ifndef TOOLS_RESOURCE_EVENT_PAGE_H
#define TOOLS_RESOURCE_EVENT_PAGE_H

#include "mcp/resource.h"
#include "store/store_event.h"
#include "tools/message_view.h"

struct event_page {
	enum event_kind kind;
	const char *key; /* of the rows */
	void (*write_row)(const struct message_view *view, const struct event *event);
};

/* {"notice":...,KEY:[...],"count":N,"gaps":[...]}, of the last 20. 0 or -errno. */
int event_page_write(const struct resource_call *call, const struct event_page *page,
		     struct json_writer *writer);

#endif
