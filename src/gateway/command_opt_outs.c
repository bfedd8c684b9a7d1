/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opt-outs: the recipients that no agent may text, because they texted STOP; or changes that list.
 *   {}                          -> an item for each; {"opt_outs": 2, "asking": 1}
 *   {"add": "+36201234567"}     -> {"added": "+36201234567"}
 *   {"remove": "+36201234567"}  -> {"removed": "+36201234567"}
 * An item that is "asking" came from a number of the owner, and is not in force.
 */
#include <errno.h>

#include "base/arena.h"
#include "gateway/command.h"
#include "numbers/phone_number.h"
#include "sms/opt_out.h"
#include "store/store_party.h"
#include "tools/services.h"
#include "tools/view.h"

struct command_opt_outs_list {
	struct control_call *call;
	unsigned in_force, asking;
};

static void command_opt_outs_send_item(void *data,
				       const struct store_party_opt_out *found)
{
	struct command_opt_outs_list *list = data;
	struct json_writer *writer;

	if (list->call->is_over || !(writer = control_call_open_item(list->call)))
		return;
	view_put_line(writer, "phone_number", found->number);
	view_put_time(writer, "at", found->at_ms);
	json_put_string(writer, "word", found->word);
	json_put_boolean(writer, "asking", found->asks);
	control_call_close(list->call);
	*(found->asks ? &list->asking : &list->in_force) += 1;
}

static void command_opt_outs_list(struct control_call *call)
{
	struct command_opt_outs_list list = { .call = call };
	int error = store_party_list_opt_outs(call->control->store,
					      command_opt_outs_send_item, &list);
	struct json_writer *writer;

	if (error) {
		control_call_fail_store(call, error);
		return;
	}
	if (call->is_over || !(writer = control_call_open_result(call)))
		return;
	json_put_integer(writer, "opt_outs", list.in_force);
	json_put_integer(writer, "asking", list.asking);
	control_call_close(call);
}

static void command_opt_outs_fail(struct control_call *call, const char *number,
				  int error)
{
	if (error == -EINVAL)
		control_call_fail(call, CONTROL_INVALID_ARGUMENT,
				  "Give it with its country code, such as +36201234567",
				  "%s is not a phone number", number);
	else if (error == STORE_E_NOT_FOUND)
		control_call_fail(call, "not_found",
				  "To list them: " PROGRAM_NAME " opt-outs",
				  "nothing was changed for %s", number);
	else
		control_call_fail_store(call, error);
}

static void command_opt_outs_change(struct control_call *call, const char *written,
				    bool out)
{
	const char *who = control_call_who(call);
	struct store *store = call->control->store;
	struct json_writer *writer;
	char number[PHONE_NUMBER_BYTES];
	int error;

	if (phone_number_parse(written, number) != PHONE_NUMBER_OK)
		error = -EINVAL;
	else if (!who)
		error = -ENOMEM;
	else
		error = out ? store_party_add_opt_out(store, number, who)
			    : store_party_remove_opt_out(store, number, who);
	if (error) {
		command_opt_outs_fail(call, written, error);
		return;
	}
	if (out && call->control->services)
		opt_out_cancel_waiting(call->control->services->opt_out);
	writer = control_call_open_result(call);
	if (!writer)
		return;
	view_put_line(writer, out ? "added" : "removed", number);
	control_call_close(call);
}

static void command_opt_outs_run(struct control_call *call)
{
	const char *added = control_call_argument(call, "add");
	const char *removed = control_call_argument(call, "remove");

	if (added)
		command_opt_outs_change(call, added, true);
	else if (removed)
		command_opt_outs_change(call, removed, false);
	else
		command_opt_outs_list(call);
}

const struct control_command command_opt_outs = {
	.name = "opt-outs",
	.run = command_opt_outs_run,
};
