/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/call_view.h"

#include "tools/services.h"

static const char *const directions[] = { "incoming", "outgoing", NULL };

const struct schema_field call_view_fields[] = {
	{ "call_id", SCHEMA_INTEGER, true, "Grows with every call" },
	{ "direction", SCHEMA_STRING, true,
	  "incoming; outgoing: an agent placed it, with place_call",
	  .words = directions },
	{ "phone_number", SCHEMA_STRING, true,
	  "Who called, as the network says, which proves nothing; empty when withheld. "
	  "Of an outgoing one: who was called" },
	MESSAGE_VIEW_CONTACT_FIELD,
	{ "trust", SCHEMA_STRING, true, "As that of messages; it proves nothing" },
	{ "subscription_id", SCHEMA_INTEGER, false,
	  "The SIM that was called, or called; left out when it was not known" },
	{ "time", SCHEMA_STRING, true, "When it began to ring, or was placed, RFC 3339" },
	{ "state", SCHEMA_STRING, true,
	  "ringing; answered; missed; rejected: hung up on the phone; unknown: nobody "
	  "could hear how it ended. Of an outgoing one: dialing; alerting: it rings "
	  "there; active; ended; unanswered; not_placed: nothing was dialled; unknown" },
	{ "reason", SCHEMA_STRING, false,
	  "Of an outgoing one that is over: why, as place_call tells it" },
	{ 0 },
};

void call_view_write(const struct message_view *view, const struct event *call)
{
	struct json_writer *writer = view->writer;

	json_open_object(writer);
	json_put_integer(writer, "call_id", call->id);
	json_put_string(writer, "direction",
			directions[store_event_call_was_placed(call->state)]);
	message_view_put_line(writer, "phone_number", call->number);
	message_view_put_contact(writer, view->services, call->number);
	message_view_put_trust(writer, view->services, call->sim_id, call->number);
	if (call->sim_id)
		json_put_integer(writer, "subscription_id", call->sim_id);
	message_view_put_time(writer, "time", call->at_ms);
	json_put_string(writer, "state",
			store_event_call_state_name((enum call_state)call->state));
	if (store_event_call_was_placed(call->state) && *call->text)
		json_put_string(writer, "reason", call->text);
	json_close_object(writer);
}
