/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pause, resume: whether agents may send anything at all; kept over a restart.
 */
#include "base/log.h"
#include "gateway/control_command.h"
#include "store/store_audit.h"
#include "store/store_setting.h"

/* As the next start will find it. */
static bool is_kept(struct store *store, int *error_out)
{
	char value[STORE_SETTING_BYTES];
	int error = store_setting_get(store, STORE_SETTING_PAUSED, value);

	*error_out = error == STORE_E_NOT_FOUND ? 0 : error;
	return error == 0;
}

static int set_paused(const struct control *control, bool paused)
{
	if (control->gateway)
		return control->gateway->set_paused(control->gateway_data, paused);
	return store_setting_set(control->store, STORE_SETTING_PAUSED,
				 paused ? "yes" : NULL);
}

static int note(struct store *store, bool paused)
{
	static const struct audit_event_fact facts[] = { { "by", "owner" }, { NULL } };

	return store_audit_record(store, paused ? AUDIT_PAUSED : AUDIT_RESUMED, facts);
}

/* A pause that cannot be noted is one all the same; a resume that cannot is none. */
static int set_and_note(const struct control *control, bool paused)
{
	int error = paused ? set_paused(control, true) : note(control->store, false);

	if (error)
		return error;
	if (!paused)
		return set_paused(control, false);
	if (note(control->store, true))
		log_warning("control: the audit does not have the pause");
	return 0;
}

static bool is_paused(const struct control *control, bool kept)
{
	return control->gateway ? control->gateway->is_paused(control->gateway_data)
				: kept;
}

static void set(struct control_call *call, bool paused)
{
	const struct control *control = call->control;
	struct json_writer *writer;
	int error;
	bool kept = is_kept(control->store, &error);
	bool before = is_paused(control, kept);

	if (paused ? error || !before || !kept : !error && (before || kept))
		error = set_and_note(control, paused);
	if (error && !(paused && is_paused(control, false))) {
		control_fail_store(call, error);
		return;
	}
	if (!(writer = control_result_open(call)))
		return;
	json_put_boolean(writer, "paused", paused);
	json_put_boolean(writer, "changed", before != paused);
	if (error)
		json_put_boolean(writer, "kept", false);
	control_close(call);
}

static void run_pause(struct control_call *call)
{
	set(call, true);
}

static void run_resume(struct control_call *call)
{
	set(call, false);
}

const struct control_command control_pause = {
	.name = "pause",
	.may_be_first = true,
	.run = run_pause,
};

const struct control_command control_resume = {
	.name = "resume",
	.run = run_resume,
};
