/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * change: what an agent may do, at once. What it has under way ends when that may be more
 * than it may do now; it comes again with the same token.
 */
#include "gateway/client_name.h"
#include "gateway/client_view.h"
#include "gateway/control_command.h"
#include "gateway/permission_order.h"

static void answer(struct control_call *call, const struct store_client_row *row)
{
	struct json_writer *writer = control_result_open(call);

	if (!writer)
		return;
	client_view_put_whole(writer, row);
	control_close(call);
}

static void change(struct control_call *call, struct store_client_row *row)
{
	const struct control *control = call->control;
	struct client before = row->client;
	int error;

	if (!permission_order_apply(call, &row->client))
		return;
	error = store_client_change(control->store, &row->client);
	if (error) {
		control_fail_store(call, error);
		return;
	}
	control_tell_client(control, before.id,
			    permission_order_narrows(&before, &row->client)
				    ? CONTROL_CLIENT_CUT
				    : CONTROL_CLIENT_CHANGED);
	answer(call, row);
}

static void run(struct control_call *call)
{
	struct store_client_row row;

	if (!permission_order_is_given(call))
		control_fail(call, CONTROL_INVALID_ARGUMENT,
			     "Give at least one of --scope, --sim, --allow, --ask, "
			     "--per-minute, --per-hour, --per-day, --segments-per-month",
			     "nothing is to be changed");
	else if (client_name_find(call, &row))
		change(call, &row);
}

const struct control_command control_change = {
	.name = "change",
	.run = run,
};
