/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls://recent and sms://alerts: the last calls and cell broadcasts, newest first. Anybody
 * with a transmitter can send a cell broadcast.
 */
#include "mcp/answer_room.h"
#include "tools/list_calls.h"
#include "tools/services.h"
#include "tools/tool_table.h"
#include "tools/view.h"

enum { RESOURCE_EVENT_LIMIT = 20 };

struct resource_event {
	void (*write_row)(const struct view *view, const struct event *event);
	struct view view;
	struct answer_room room;
	bool full;
	int64_t oldest_ms;
};

static void resource_event_add(void *data, const struct event *event)
{
	struct resource_event *page = data;

	if (page->full)
		return;
	answer_room_open_row(&page->room);
	page->write_row(&page->view, event);
	page->full = !answer_room_close_row(&page->room, 0);
	if (!page->full)
		page->oldest_ms = event->at_ms;
}

/* Writes {"notice":...,KEY:[...],"count":N,"gaps":[...]}. Returns 0 or -errno. */
static int resource_event_write_page(const struct resource_call *call,
				     struct json_writer *writer, enum event_kind kind,
				     const char *key,
				     void (*write_row)(const struct view *view,
						       const struct event *event))
{
	struct resource_event page = {
		.write_row = write_row,
		.view = view_of_resource(call, writer),
		.room = { .writer = writer, .form = ANSWER_QUOTED },
	};
	const struct store_event_query look = {
		.kind = kind,
		.state = -1,
		.limit = RESOURCE_EVENT_LIMIT,
		.visit = resource_event_add,
		.data = &page,
	};
	int error, gaps_error;

	json_open_object(writer);
	view_put_notice(writer);
	json_key(writer, key);
	json_open_array(writer);
	error = store_event_list(call->services->store, &look);
	json_close_array(writer);
	json_put_integer(writer, "count", page.room.rows);
	page.full |= page.room.rows == RESOURCE_EVENT_LIMIT;
	if (!page.full)
		view_put_records_since(writer, call->services->store, 0);
	/* gaps older than a full page concern calls that are not on it */
	gaps_error = view_put_gaps(writer, call->services->store,
				   page.full ? page.oldest_ms : 0, INT64_MAX);
	json_close_object(writer);
	return error ? error : gaps_error;
}

static int resource_event_write_calls(const struct resource_call *call,
				      struct json_writer *writer)
{
	return resource_event_write_page(call, writer, EVENT_CALL, "calls",
					 list_calls_write_row);
}

const struct resource resource_recent_calls = {
	.uri = "calls://recent",
	.name = "recent_calls",
	.title = "Recent calls",
	.description = "The last 20 incoming calls and calls that agents placed, newest "
		       "first; list_calls has older ones. Subscribe to learn when one "
		       "rings and how it ended.",
	.scopes = CLIENT_READ,
	.write = resource_event_write_calls,
};

static void resource_event_write_alert(const struct view *view, const struct event *alert)
{
	struct json_writer *writer = view->writer;

	json_open_object(writer);
	json_put_integer(writer, "alert_id", alert->id);
	view_put_time(writer, "time", alert->at_ms);
	json_put_boolean(writer, "emergency", alert->state);
	if (alert->number[0])
		view_put_line(writer, "emergency_type", alert->number);
	if (alert->topic >= 0)
		json_put_integer(writer, "topic", alert->topic);
	if (alert->sim_id)
		json_put_integer(writer, "subscription_id", alert->sim_id);
	view_put_text(writer, "text", alert->text);
	json_close_object(writer);
}

static int resource_event_write_alerts(const struct resource_call *call,
				       struct json_writer *writer)
{
	return resource_event_write_page(call, writer, EVENT_ALERT, "alerts",
					 resource_event_write_alert);
}

const struct resource resource_alerts = {
	.uri = "sms://alerts",
	.name = "alerts",
	.title = "Alerts of the network",
	.description =
		"The last 20 cell broadcasts, newest first: warnings of authorities "
		"and other notices to everybody in an area, as far as the modem "
		"receives them. They prove nothing about who sent them. Subscribe to "
		"learn of new ones.",
	.scopes = CLIENT_READ,
	.write = resource_event_write_alerts,
};
