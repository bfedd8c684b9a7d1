/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sms://alerts: cell broadcasts that came in last. Anybody with a transmitter can send one.
 */
#include "tools/resource_event_page.h"
#include "tools/resource_table.h"

static void write_alert(const struct message_view *view, const struct event *alert)
{
	struct json_writer *writer = view->writer;

	json_open_object(writer);
	json_put_integer(writer, "alert_id", alert->id);
	message_view_put_time(writer, "time", alert->at_ms);
	json_put_boolean(writer, "emergency", alert->state);
	if (alert->number[0])
		message_view_put_line(writer, "emergency_type", alert->number);
	if (alert->topic >= 0)
		json_put_integer(writer, "topic", alert->topic);
	if (alert->sim_id)
		json_put_integer(writer, "subscription_id", alert->sim_id);
	message_view_put_shown(writer, "text", alert->text);
	json_close_object(writer);
}

static const struct event_page page = {
	.kind = EVENT_ALERT,
	.key = "alerts",
	.write_row = write_alert,
};

static int write_content(const struct resource_call *call, struct json_writer *writer)
{
	return event_page_write(call, &page, writer);
}

const struct resource resource_alerts = {
	.uri = "sms://alerts",
	.name = "alerts",
	.title = "Alerts of the network",
	.description = "The 20 cell broadcasts that came in last, newest first: warnings "
		       "of authorities and other notices to everybody in a place, as far "
		       "as the modem listens to them. They prove nothing about who sent "
		       "them. Subscribe to it to hear of new ones.",
	.scopes = CLIENT_READ,
	.write = write_content,
};
