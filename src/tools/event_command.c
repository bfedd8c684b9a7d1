/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sms.command: the owner texted a command for an agent (text/command_text.h). */
#include "config/config.h"
#include "store/store_message.h"
#include "tools/argument.h"
#include "tools/event_view.h"
#include "tools/message_view.h"
#include "tools/services.h"
#include "tools/tool_table.h"

static const struct schema_field event_command_arguments[] = {
	EVENT_VIEW_FROM_FIELD,
	EVENT_VIEW_SIM_FIELD,
	{ "include_text", SCHEMA_BOOLEAN, false,
	  "false: without the command's text; by webhook true needs the owner's consent" },
	{ 0 },
};

static const struct schema_field event_command_payload[] = {
	{ "message_id", SCHEMA_INTEGER, true, "For list_sms" },
	{ "subscription_id", SCHEMA_INTEGER, true, "The SIM that received it" },
	{ "received_at", SCHEMA_STRING, true, "RFC 3339" },
	{ "from", SCHEMA_STRING, true, "The owner's number; answer it with send_sms" },
	{ "verified", SCHEMA_BOOLEAN, true,
	  "true: a rolling code proved it; false: the sender's number alone, which can be forged" },
	{ "command", SCHEMA_STRING, false,
	  "What the owner wants: the text without its word and code" },
	{ 0 },
};

/* Without numbers of the owner there are no commands. */
static bool event_command_is_usable(const struct services *services)
{
	return services->config->agent.owner_numbers.count > 0;
}

static bool event_command_matches(struct event_query *query,
				  const struct feed_entry *entry)
{
	struct message *message = arena_alloc(query->arena, sizeof(*message));

	if (!message || store_message_get(query->services->store, entry->subject_id,
					  query->arena, message))
		return false;
	query->found = message;
	return event_view_is_of_sim(query, message->sim_id) &&
	       event_view_is_from(query, message->sim_id, message->number);
}

static bool event_command_shows_text(const struct event_query *query)
{
	const struct json *wanted =
		query->arguments ? json_member(query->arguments, "include_text") : NULL;

	return query->may_show_text && (!wanted || wanted->boolean);
}

static void event_command_write(const struct event_query *query,
				const struct feed_entry *entry,
				struct json_writer *writer)
{
	const struct message *message = query->found;
	const struct view view = event_view(query, writer);

	json_put_integer(writer, "message_id", message->id);
	json_put_integer(writer, "subscription_id", message->sim_id);
	view_put_time(writer, "received_at", message->created_ms);
	view_put_line(writer, "from", message->number);
	json_put_boolean(writer, "verified", message->flags & MESSAGE_CODE_PROVED);
	if (event_command_shows_text(query))
		message_view_put_command(&view, message);
}

const struct event_type event_sms_command = {
	.name = "sms.command",
	.description =
		"The owner texted a command for an agent, as the gateway recognised it. "
		"Answer with send_sms to `from`.",
	.arguments = event_command_arguments,
	.find_problem = event_view_find_problem,
	.payload = event_command_payload,
	.scopes = CLIENT_READ,
	.deliveries = EVENT_POLL | EVENT_PUSH | EVENT_WEBHOOK,
	.feed = FEED_SMS_COMMAND,
	.usable = event_command_is_usable,
	.matches = event_command_matches,
	.write_data = event_command_write,
};
