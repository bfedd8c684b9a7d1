/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show: one message, as an item, then what get_sms_status tells of it.
 */
#include "gateway/owner_table.h"
#include "gateway/tool_command.h"
#include "store/store.h"
#include "tools/message_view.h"
#include "tools/services.h"
#include "tools/tool_table.h"

/* One that is not there the tool tells of, and so of arguments that do not fit. */
static void tell_message(struct control_call *call, int64_t message_id)
{
	const struct services *services = call->control->services;
	struct view view = { .services = services, .client = &owner_client };
	struct message message;

	if (store_message_get(services->store, message_id, call->arena, &message))
		return;
	view.writer = control_item_open(call);
	if (!view.writer)
		return;
	message.reason = message_view_reason(services, &message);
	json_key(view.writer, "message");
	message_view_write(&view, &message);
	control_close(call);
}

static void run(struct control_call *call)
{
	const struct json *number = json_member(call->arguments, "message_id");
	int64_t message_id;

	if (number && json_integer(number, &message_id))
		tell_message(call, message_id);
	if (!call->is_over)
		tool_command_run(call, &tool_get_sms_status);
}

const struct control_command owner_show = {
	.name = "show",
	.needs_gateway = true,
	.run = run,
};
