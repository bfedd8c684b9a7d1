/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * revoke: an agent's token is worth nothing any more, and what it has under way ends. What
 * was accepted from it stays accepted; the owner is told how much of that still waits here.
 */
#include "control/client_name.h"
#include "control/control_command.h"

struct waiting {
	int64_t client_id;
	int64_t count;
};

static void count_message(void *data, const struct message *message)
{
	struct waiting *waiting = data;

	waiting->count +=
		message->client_id == waiting->client_id &&
		(message->state == STATE_QUEUED || message->state == STATE_SCHEDULED ||
		 message->state == STATE_WAITING_APPROVAL);
}

static void answer(struct control_call *call, const struct client *client)
{
	struct waiting waiting = { .client_id = client->id };
	struct json_writer *writer;

	/* That it cannot be counted is no reason not to say that it was done. */
	store_messages_unfinished(call->control->store, count_message, &waiting);
	if (!(writer = control_result_open(call)))
		return;
	json_put_string(writer, "revoked", client->name);
	json_put_integer(writer, "waiting_messages", waiting.count);
	control_close(call);
}

static void run(struct control_call *call)
{
	const struct control *control = call->control;
	struct client_row row;
	int error;

	if (!client_name_find(call, &row))
		return;
	error = store_client_revoke(control->store, &row.client);
	if (error) {
		control_fail_store(call, error);
		return;
	}
	control_tell_client(control, row.client.id, CONTROL_CLIENT_REVOKED);
	answer(call, &row.client);
}

const struct control_command control_revoke = {
	.name = "revoke",
	.run = run,
};
