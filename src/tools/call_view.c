/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/call_view.h"

#include "sms/call_log.h"
#include "tools/services.h"

const struct schema_field call_view_fields[] = {
	{ "call_id", SCHEMA_INTEGER, true, "Grows with every call" },
	{ "phone_number", SCHEMA_STRING, true,
	  "Who called, as the network says, which proves nothing; empty when withheld" },
	MESSAGE_VIEW_CONTACT_FIELD,
	{ "trust", SCHEMA_STRING, true, "As that of messages; it proves nothing" },
	{ "subscription_id", SCHEMA_INTEGER, false,
	  "The SIM that was called; left out when it was not known" },
	{ "time", SCHEMA_STRING, true, "When it began to ring, RFC 3339" },
	{ "state", SCHEMA_STRING, true,
	  "ringing; answered; missed; rejected: hung up on the phone; unknown: nobody "
	  "could hear how it ended" },
	{ 0 },
};

void call_view_write(const struct message_view *view, const struct event *call)
{
	struct json_writer *writer = view->writer;

	json_open_object(writer);
	json_put_integer(writer, "call_id", call->id);
	message_view_put_shown(writer, "phone_number", call->number);
	message_view_put_contact(writer, view->services, call->number);
	message_view_put_trust(writer, view->services, call->number);
	if (call->sim_id)
		json_put_integer(writer, "subscription_id", call->sim_id);
	message_view_put_time(writer, "time", call->at_ms);
	json_put_string(writer, "state", call_state_name((enum call_state)call->state));
	json_close_object(writer);
}
