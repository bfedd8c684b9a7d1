/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sms://message/{id}: one message, in or out. It changes with its state.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/resource_table.h"
#include "tools/message_view.h"
#include "tools/wait_reason.h"

enum { DIGITS_MAX = 18 };

/* One spelling only: no sign, no zero in front. 0: it is no number of a message. */
static int64_t read_id(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	if (text[digits] || !digits || digits > DIGITS_MAX || text[0] == '0')
		return 0;
	return strtoll(text, NULL, 10);
}

static int get(const struct resource_call *call, struct message *message_out)
{
	const struct services *services = call->services;
	int error = store_message_get(services->store, read_id(call->value), call->arena,
				      message_out);

	return error == STORE_E_NOT_FOUND ? RESOURCE_E_NOT_FOUND : error;
}

static const char *spell(const struct resource_call *call)
{
	struct message message;

	return read_id(call->value) && get(call, &message) == 0 ? call->value : NULL;
}

static int write_content(const struct resource_call *call, struct json_writer *writer)
{
	const struct message_view view = message_view_of_resource(call, writer);
	struct message message;
	int error = get(call, &message);

	if (error)
		return error;
	message.reason = wait_reason(call->services, &message);
	json_open_object(writer);
	message_view_put_notice(writer);
	json_key(writer, "message");
	message_view_write(&view, &message);
	json_close_object(writer);
	return 0;
}

const struct resource resource_message = {
	.uri = "sms://message/",
	.variable = "id",
	.name = "message",
	.title = "One message",
	.description =
		"A message by its message_id, received or sent. Subscribe to it to "
		"hear when its state changes; get_sms_status tells its history.",
	.scopes = CLIENT_READ,
	.spell = spell,
	.write = write_content,
};
