/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * revoke: an agent's token is worth nothing any more, and what it has under way ends. What
 * was accepted from it stays accepted, and the owner is told how much of that still waits
 * here, unless they want it taken back: the token may have been stolen.
 */
#include <string.h>

#include "base/buffer.h"
#include "gateway/client_name.h"
#include "gateway/control_command.h"
#include "store/store_message.h"

static const char reason[] = "client_revoked";

struct waiting {
	int64_t client_id;
	struct buffer ids; /* int64_t each */
};

static void find(void *data, const struct message *message)
{
	struct waiting *waiting = data;

	if (message->client_id == waiting->client_id &&
	    message_state_is_waiting(message->state))
		buffer_append(&waiting->ids, (const char *)&message->id,
			      sizeof(message->id));
}

static bool take_back(const struct control *control, int64_t message_id)
{
	const struct store_message_transition move = { .to = STATE_CANCELLED,
						       .reason = reason };

	if (control->outbox)
		return outbox_cancel_waiting(control->outbox, message_id, reason) == 0;
	return store_message_change_state(control->store, message_id, &move) == 0;
}

/* How many were; what the disk refuses still waits. */
static int64_t take_all_back(const struct control *control, const struct waiting *waiting)
{
	int64_t message_id, count = 0;

	for (size_t at = 0; at < waiting->ids.length; at += sizeof(message_id)) {
		memcpy(&message_id, waiting->ids.data + at, sizeof(message_id));
		count += take_back(control, message_id);
	}
	return count;
}

static void answer(struct control_call *call, const struct client *client, bool is_kept)
{
	const struct json *cancel = json_member(call->arguments, "cancel");
	struct waiting waiting = { client->id, BUFFER_INIT };
	struct json_writer *writer;
	int64_t count, cancelled = 0;

	/* That it cannot be counted is no reason not to say that it was done. */
	store_message_list_unfinished(call->control->store, find, &waiting);
	count = (int64_t)(waiting.ids.length / sizeof(int64_t));
	if (cancel && cancel->type == JSON_BOOLEAN && cancel->boolean)
		cancelled = take_all_back(call->control, &waiting);
	buffer_deinit(&waiting.ids);
	if (!(writer = control_result_open(call)))
		return;
	json_put_string(writer, "revoked", client->name);
	json_put_integer(writer, "waiting_messages", count - cancelled);
	json_put_integer(writer, "cancelled_messages", cancelled);
	if (!is_kept)
		json_put_boolean(writer, "kept", false);
	control_close(call);
}

static void run(struct control_call *call)
{
	const struct control *control = call->control;
	struct store_client_row row;
	int error;

	if (!client_name_find(call, &row))
		return;
	error = store_client_revoke(control->store, &row.client);
	/* What the disk refuses holds for the gateway that runs all the same. */
	if (error && !(control->gateway && error != STORE_E_NOT_FOUND &&
		       store_client_bar(control->store, row.client.id))) {
		control_fail_store(call, error);
		return;
	}
	control_tell_client(control, row.client.id, CONTROL_CLIENT_REVOKED);
	answer(call, &row.client, !error);
}

const struct control_command control_revoke = {
	.name = "revoke",
	.run = run,
};
