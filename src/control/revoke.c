/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * revoke: an agent's token is worth nothing any more, and what it has under way ends.
 */
#include "control/client_name.h"
#include "control/control_command.h"

static void run(struct control_call *call)
{
	const struct control *control = call->control;
	struct json_writer *writer;
	struct client_row row;
	int error;

	if (!client_name_find(call, &row))
		return;
	error = store_client_revoke(control->store, row.client.id);
	if (error) {
		control_fail_store(call, error);
		return;
	}
	control_tell_client(control, row.client.id, CONTROL_CLIENT_REVOKED);
	if (!(writer = control_result_open(call)))
		return;
	json_put_string(writer, "revoked", row.client.name);
	control_close(call);
}

const struct control_command control_revoke = {
	.name = "revoke",
	.run = run,
};
