/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * balance: what is known of the SIMs' balances; and one of them forgotten, so that it stops
 * nothing any more.
 *
 *   {"forget": 1}   ->   "balances": [...], as get_gateway_status tells, and "forgotten": 1
 */
#include "gateway/control_call.h"
#include "gateway/owner_table.h"
#include "gateway/tool_command.h"
#include "tools/sim_view.h"

/* False: it has been answered. */
static bool forget(struct control_call *call, const struct services *services,
		   int64_t sim_id)
{
	int error = policy_forget_balance(services->policy, sim_id);

	if (error == STORE_E_NOT_FOUND)
		control_fail(call, "not_found",
			     "ofono-mcp balance lists those that are known",
			     "no balance is known of a SIM %lld", (long long)sim_id);
	else if (error)
		control_fail_store(call, error);
	return !error;
}

static void run(struct control_call *call)
{
	const struct services *services = call->control->services;
	const struct json *wanted = json_member(call->arguments, "forget");
	int64_t sim_id = 0;
	struct json_writer *writer;

	if (wanted && !json_integer(wanted, &sim_id)) {
		control_fail(call, CONTROL_INVALID_ARGUMENT,
			     "give the subscription_id of a SIM",
			     "that is no number of a SIM");
		return;
	}
	if (wanted && !forget(call, services, sim_id))
		return;
	if (!(writer = control_result_open(call)))
		return;
	if (wanted)
		json_put_integer(writer, "forgotten", sim_id);
	json_key(writer, "balances");
	sim_view_write_balances(writer, services, &owner_client);
	control_close(call);
}

const struct control_command owner_balance = {
	.name = "balance",
	.needs_gateway = true,
	.run = run,
};
