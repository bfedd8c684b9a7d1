/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * enrol, phones, expel: the phones of a hub.
 *
 *   enrol  {"name","password"}  ->  "name", "code", "user", "password"
 *   phones {}                   ->  items: "name", "state", "since", "subscription_ids", ...
 *   expel  {"name"}             ->  "name"
 */
#include <errno.h>
#include <string.h>

#include "base/crypto.h"
#include "gateway/control.h"
#include "hub/hub_phone.h"
#include "remote/remote.h"
#include "tools/services.h"
#include "tools/view.h"

enum { COMMAND_PHONES_PASSWORD_BYTES = 44 };

static struct hub_phones *command_phones_of(const struct control_call *call)
{
	return remote_phones(call->control->services->ofono);
}

static void command_phones_answer_code(struct control_call *call,
				       const struct join_code *code)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer;

	text.secret = true;
	if (join_code_write(code, &text) != 0 || text.failed) {
		control_call_fail(call, "internal", "Try again",
				  "the code cannot be written");
		buffer_wipe(&text);
		return;
	}
	writer = control_call_open_result(call);
	if (writer) {
		json_put_string(writer, "name", code->phone);
		json_key(writer, "code");
		json_write_text(writer, text.data, text.length);
		json_put_string(writer, "password", code->password);
		control_call_close(call);
	}
	buffer_wipe(&text);
}

static void command_phones_run_enrol(struct control_call *call)
{
	const char *name = control_call_argument(call, "name");
	char password[COMMAND_PHONES_PASSWORD_BYTES] = "";
	struct explanation problem = { "" };
	struct join_code code;
	int error;

	if (!control_call_flag(call, "no_password") &&
	    !crypto_make_random(password, sizeof(password))) {
		control_call_fail(call, "internal", "Try again",
				  "no random numbers are available");
		return;
	}
	error = hub_phones_enrol(command_phones_of(call), name ? name : "", password,
				 &code, &problem);
	if (!error)
		command_phones_answer_code(call, &code);
	else if (error == -EINVAL)
		control_call_fail(call, CONTROL_INVALID_ARGUMENT, "Choose another name",
				  "%s", problem.text);
	else if (error == -EEXIST)
		control_call_fail(call, "exists",
				  "For a new code, expel it first: " PROGRAM_NAME
				  " expel NAME",
				  "%s", problem.text);
	else if (*problem.text)
		control_call_fail(call, "not_configured",
				  "Correct the configuration, then restart the hub", "%s",
				  problem.text);
	else
		control_call_fail_store(call, error);
	explicit_bzero(&code, sizeof(code));
	explicit_bzero(password, sizeof(password));
}

static const char *command_phones_state(const struct hub_phone *phone)
{
	if (!phone->row.joined_ms)
		return "enrolled";
	if (phone->is_stale)
		return "stale";
	return phone->is_present ? "present" : "absent";
}

static void command_phones_put_time(struct json_writer *writer, const char *key,
				    int64_t wall_ms)
{
	if (wall_ms)
		view_put_time(writer, key, wall_ms);
}

static void command_phones_put(struct control_call *call, const struct hub_phone *phone)
{
	struct json_writer *writer = control_call_open_item(call);
	int64_t sim_id = 0;

	if (!writer)
		return;
	json_put_string(writer, "name", phone->row.name);
	json_put_string(writer, "state", command_phones_state(phone));
	command_phones_put_time(writer, "since", phone->present_ms);
	command_phones_put_time(writer, "enrolled", phone->row.enrolled_ms);
	command_phones_put_time(writer, "joined", phone->row.joined_ms);
	command_phones_put_time(writer, "seen", phone->row.seen_ms);
	json_open_array_at(writer, "subscription_ids");
	while (!store_phone_next_sim(call->control->store, &phone->row, &sim_id) &&
	       sim_id)
		json_write_integer(writer, sim_id);
	json_close_array(writer);
	control_call_close(call);
}

static void command_phones_run(struct control_call *call)
{
	struct hub_phones *phones = command_phones_of(call);
	struct json_writer *writer;
	struct hub_phone *phone;
	int64_t count = 0, present = 0;
	bool is_replaced = false;

	TAILQ_FOREACH (phone, hub_phones_list(phones), link) {
		command_phones_put(call, phone);
		count++;
		present += phone->is_present;
		is_replaced |= phone->is_stale;
	}
	writer = control_call_open_result(call);
	if (!writer)
		return;
	json_put_string(writer, "broker", hub_phones_condition(phones));
	json_put_boolean(writer, "connected", hub_phones_is_connected(phones));
	json_put_boolean(writer, "replaced", is_replaced);
	json_put_integer(writer, "phones", count);
	json_put_integer(writer, "present", present);
	control_call_close(call);
}

static void command_phones_run_expel(struct control_call *call)
{
	const char *name = control_call_argument(call, "name");
	struct hub_phones *phones = command_phones_of(call);
	struct hub_phone *phone = name ? hub_phones_find(phones, name) : NULL;
	struct json_writer *writer;
	int error;

	if (!phone) {
		control_call_fail(call, "not_found",
				  "To list them: " PROGRAM_NAME " phones",
				  "there is no phone with this name");
		return;
	}
	error = hub_phones_revoke(phones, phone);
	if (error) {
		control_call_fail_store(call, error);
		return;
	}
	writer = control_call_open_result(call);
	if (!writer)
		return;
	json_put_string(writer, "name", name);
	control_call_close(call);
}

const struct control_command command_enrol = {
	.name = "enrol",
	.needs_gateway = true,
	.run = command_phones_run_enrol,
};

const struct control_command command_phones = {
	.name = "phones",
	.needs_gateway = true,
	.run = command_phones_run,
};

const struct control_command command_expel = {
	.name = "expel",
	.needs_gateway = true,
	.run = command_phones_run_expel,
};
