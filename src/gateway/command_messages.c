/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send, list, show, contacts, wait, tail: the owner's commands on messages.
 *
 * Most of them run a tool.  `show` answers with the message as an item, then with what
 * get_sms_status gives agents.  `tail` answers with an item for each incoming message and each
 * change of an outgoing one, until the owner's program ends.
 */
#include "base/observer.h"
#include "gateway/control.h"
#include "gateway/running.h"
#include "gateway/command.h"
#include "tools/message_view.h"
#include "tools/services.h"
#include "tools/tool_table.h"

enum { MESSAGE_ARENA_BYTES = 1024 * 1024 };

/* Items */

static void command_messages_send_item(struct control_call *call, struct message *message)
{
	const struct services *services = call->control->services;
	struct view view = {
		.services = services,
		.client = &tool_command_owner,
		.writer = control_call_open_item(call),
	};

	if (!view.writer)
		return;
	message->reason = message_view_reason(services, message);
	json_key(view.writer, "message");
	message_view_write(&view, message);
	control_call_close(call);
}

/* The tool reports a missing message, and wrong arguments. */
static void command_messages_run_show(struct control_call *call)
{
	const struct services *services = call->control->services;
	const struct json *number = json_member(call->arguments, "message_id");
	struct message message;
	int64_t message_id;

	if (number && json_integer(number, &message_id) &&
	    store_message_get(services->store, message_id, call->arena, &message) == 0)
		command_messages_send_item(call, &message);
	if (!call->is_over)
		tool_command_run(call, &tool_get_sms_status);
}

/* tail */

/* In the arena of its call. */
struct command_messages_tail {
	struct control_call *call;
	struct observer inbox;
	struct observer outbox;
};

static void command_messages_forget(void *data)
{
	struct command_messages_tail *tail = data;

	observer_remove(&tail->inbox);
	observer_remove(&tail->outbox);
}

static void command_messages_send_change(struct command_messages_tail *tail,
					 int64_t message_id)
{
	struct control_call *call = tail->call;
	struct arena *arena = arena_new(MESSAGE_ARENA_BYTES);
	struct message message;

	if (arena &&
	    store_message_get(call->control->store, message_id, arena, &message) == 0)
		command_messages_send_item(call, &message);
	else
		control_call_fail(
			call, "internal", "Check the log of the gateway, then try again",
			"message %lld could not be read", (long long)message_id);
	arena_free(arena);
	command_tail_end_if_over(call);
}

static void command_messages_on_inbox(void *data, const void *event_data)
{
	const struct inbox_event *event = event_data;

	command_messages_send_change(data, event->message_id);
}

static void command_messages_on_outbox(void *data, const void *event_data)
{
	const struct outbox_event *event = event_data;

	command_messages_send_change(data, event->message_id);
}

static void command_messages_run_tail(struct control_call *call)
{
	const struct services *services = call->control->services;
	struct command_messages_tail *tail =
		command_tail_begin(call, sizeof(*tail), command_messages_forget);

	if (!tail)
		return;
	*tail = (struct command_messages_tail){ .call = call };
	observer_add(inbox_observers(services->inbox), &tail->inbox,
		     command_messages_on_inbox, tail);
	observer_add(outbox_observers(services->outbox), &tail->outbox,
		     command_messages_on_outbox, tail);
	control_call_progress(call, "following the messages; Ctrl-C ends it");
}

const struct control_command command_send = {
	.name = "send",
	.needs_gateway = true,
	.needs_ofono = true,
	.tool = &tool_send_sms,
};

const struct control_command command_list = {
	.name = "list",
	.needs_gateway = true,
	.tool = &tool_list_sms,
};

const struct control_command command_show = {
	.name = "show",
	.needs_gateway = true,
	.run = command_messages_run_show,
};

const struct control_command command_contacts = {
	.name = "contacts",
	.needs_gateway = true,
	.tool = &tool_find_contact,
};

const struct control_command command_wait = {
	.name = "wait",
	.needs_gateway = true,
	.tool = &tool_wait_for_sms,
};

const struct control_command command_tail = {
	.name = "tail",
	.needs_gateway = true,
	.run = command_messages_run_tail,
};
