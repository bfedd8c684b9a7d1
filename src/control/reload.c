/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reload: the gateway reads its configuration again, as on SIGHUP.
 */
#include <stdio.h>

#include "control/control_command.h"

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
		   struct config_error *error)
{
	const struct control *control = call->control;
	struct json_writer *list = json_writer_new(changes);
	struct control_reload order = { .changed = on_changed, .data = list };
	bool done;

	snprintf(error->text, sizeof(error->text), "out of memory");
	if (!list)
		return false;
	json_open_array(list);
	done = control->gateway->reload(control->gateway_data, &order);
	json_close_array(list);
	json_writer_free(list);
	if (!done)
		*error = order.error;
	return done;
}

static void run(struct control_call *call)
{
	struct buffer changes = BUFFER_INIT;
	struct json_writer *writer;
	struct config_error error;

	if (!reload(call, &changes, &error)) {
		control_fail(call, "invalid_configuration",
			     "Mend it, then try again; everything stays as it was", "%s",
			     error.text);
	} else if ((writer = control_result_open(call))) {
		json_key(writer, "changed");
		if (changes.failed)
			json_write_raw(writer, "[]", 2);
		else
			json_write_raw(writer, changes.data, changes.length);
		control_close(call);
	}
	buffer_deinit(&changes);
}

const struct control_command control_reload = {
	.name = "reload",
	.needs_gateway = true,
	.run = run,
};
