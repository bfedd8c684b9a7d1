/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pause, resume, reload: commands that change the whole gateway.
 *
 * A pause is kept in the store, and so survives a restart.  In a running gateway, a pause
 * holds even if it cannot be stored or audited: the answer then has "kept": false.  A resume
 * that cannot be audited does not happen.
 */
#include <stdio.h>

#include "base/log.h"
#include "gateway/control.h"
#include "gateway/running.h"
#include "store/store_audit.h"
#include "store/store_setting.h"

/* Returns true if the next start will be paused. */
static bool command_pause_is_stored(struct store *store, int *error_out)
{
	char value[STORE_SETTING_BYTES];
	int error = store_setting_get(store, STORE_SETTING_PAUSED, value);

	*error_out = error == STORE_E_NOT_FOUND ? 0 : error;
	return error == 0;
}

static int command_pause_set(const struct control *control, bool paused)
{
	if (control->running)
		return running_set_paused(control->running, paused);
	return store_setting_set(control->store, STORE_SETTING_PAUSED,
				 paused ? "yes" : NULL);
}

static int command_pause_audit(struct store *store, bool paused)
{
	static const struct audit_event_fact facts[] = { { "by", "owner" }, { NULL } };

	return store_audit_record(store, paused ? AUDIT_PAUSED : AUDIT_RESUMED, facts);
}

static int command_pause_set_and_audit(const struct control *control, bool paused)
{
	int error = paused ? command_pause_set(control, true)
			   : command_pause_audit(control->store, false);

	if (error)
		return error;
	if (!paused)
		return command_pause_set(control, false);
	if (command_pause_audit(control->store, true))
		log_warning("control: the pause is not in the audit log");
	return 0;
}

static bool command_pause_is_on(const struct control *control, bool is_stored)
{
	return control->running ? running_is_paused(control->running) : is_stored;
}

static void command_pause_run(struct control_call *call)
{
	const struct control *control = call->control;
	bool paused = call->command == &command_pause;
	struct json_writer *writer;
	int error;
	bool is_stored = command_pause_is_stored(control->store, &error);
	bool before = command_pause_is_on(control, is_stored);
	bool is_change =
		paused ? error || !before || !is_stored : !error && (before || is_stored);

	if (is_change)
		error = command_pause_set_and_audit(control, paused);
	if (error && !(paused && command_pause_is_on(control, false))) {
		control_call_fail_store(call, error);
		return;
	}
	if (!(writer = control_call_open_result(call)))
		return;
	json_put_boolean(writer, "paused", paused);
	json_put_boolean(writer, "changed", before != paused);
	if (error)
		json_put_boolean(writer, "kept", false);
	control_call_close(call);
}

/* reload */

static void command_pause_on_key_changed(void *data, const char *section,
					 const char *name, bool adopted)
{
	struct json_writer *list = data;
	char key[64];

	snprintf(key, sizeof(key), "%s.%s", section, name);
	json_open_object(list);
	json_put_string(list, "key", key);
	json_put_boolean(list, "needs_restart", !adopted);
	json_close_object(list);
}

static bool command_pause_reload(struct control_call *call, struct buffer *changes,
				 struct running_reload *reload)
{
	struct json_writer *list = json_writer_new(changes);
	bool done;

	*reload = (struct running_reload){
		.changed = command_pause_on_key_changed,
		.data = list,
	};
	snprintf(reload->error.text, sizeof(reload->error.text), "out of memory");
	if (!list)
		return false;
	json_open_array(list);
	done = running_reload_config(call->control->running, reload);
	json_close_array(list);
	json_writer_free(list);
	return done;
}

static void command_pause_run_reload(struct control_call *call)
{
	struct buffer changes = BUFFER_INIT;
	struct json_writer *writer;
	struct running_reload reload;

	if (!command_pause_reload(call, &changes, &reload)) {
		control_call_fail(call, "invalid_configuration",
				  "Correct it, then try again; nothing was changed", "%s",
				  reload.error.text);
	} else if ((writer = control_call_open_result(call))) {
		json_key(writer, "changed");
		if (changes.failed)
			json_write_raw(writer, "[]", 2);
		else
			json_write_raw(writer, changes.data, changes.length);
		if (reload.contacts_problem && *reload.contacts_problem)
			json_put_string(writer, "contacts_problem",
					reload.contacts_problem);
		control_call_close(call);
	}
	buffer_deinit(&changes);
}

const struct control_command command_pause = {
	.name = "pause",
	.may_be_first = true,
	.run = command_pause_run,
};

const struct control_command command_resume = {
	.name = "resume",
	.run = command_pause_run,
};

const struct control_command command_reload = {
	.name = "reload",
	.needs_gateway = true,
	.run = command_pause_run_reload,
};
