/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reload: the gateway reads its configuration again, as on SIGHUP.
 */
#include <stdio.h>

#include "gateway/control_command.h"

static void on_changed(void *data, const char *section, const char *name, bool adopted)
{
	struct json_writer *list = data;
	char key[64];

	snprintf(key, sizeof(key), "%s.%s", section, name);
	json_open_object(list);
	json_put_string(list, "key", key);
	json_put_boolean(list, "needs_restart", !adopted);
	json_close_object(list);
}

static bool reload(struct control_call *call, struct buffer *changes,
		   struct control_reload *order)
{
	const struct control *control = call->control;
	struct json_writer *list = json_writer_new(changes);
	bool done;

	*order = (struct control_reload){ .changed = on_changed, .data = list };
	snprintf(order->error.text, sizeof(order->error.text), "out of memory");
	if (!list)
		return false;
	json_open_array(list);
	done = control->gateway->reload(control->gateway_data, order);
	json_close_array(list);
	json_writer_free(list);
	return done;
}

static void run(struct control_call *call)
{
	struct buffer changes = BUFFER_INIT;
	struct json_writer *writer;
	struct control_reload order;

	if (!reload(call, &changes, &order)) {
		control_fail(call, "invalid_configuration",
			     "Mend it, then try again; everything stays as it was", "%s",
			     order.error.text);
	} else if ((writer = control_result_open(call))) {
		json_key(writer, "changed");
		if (changes.failed)
			json_write_raw(writer, "[]", 2);
		else
			json_write_raw(writer, changes.data, changes.length);
		if (order.contacts_problem && *order.contacts_problem)
			json_put_string(writer, "contacts_problem",
					order.contacts_problem);
		control_close(call);
	}
	buffer_deinit(&changes);
}

const struct control_command control_reload = {
	.name = "reload",
	.needs_gateway = true,
	.run = run,
};
