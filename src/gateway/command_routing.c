/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drain, sims, resend: what the owner of a hub decides and sees of the routing of messages.
 *
 *   drain {"target": "shop-1" or "3", "undo": true}  ->  "subscription_ids", "drained"
 *   sims  {"to", "pool", "client"}  ->  an item for each SIM, in the order of preference:
 *         "subscription_id", "state", "phone", "own_number", "refused", "until"
 *         ->  "subscription_id" that is chosen now, and "route" says why
 *   resend {"message_id"}  ->  "message_id"
 */
#include <errno.h>
#include <string.h>

#include "gateway/command.h"
#include "hub/hub_phone.h"
#include "numbers/phone_number.h"
#include "phone/sim.h"
#include "policy/routing.h"
#include "remote/remote.h"
#include "sms/outbox.h"
#include "store/store_client.h"
#include "tools/services.h"
#include "tools/view.h"

/* ---- drain */

static const char *command_routing_phone_of(const struct sim *sim)
{
	const struct hub_phone *phone = sim ? remote_phone_of(sim->modem) : NULL;

	return phone ? phone->row.name : NULL;
}

static int command_routing_drain_one(struct control_call *call, int64_t sim_id,
				     const char *phone, const char *who)
{
	return routing_drain(call->control->services->routing, sim_id,
			     !control_call_flag(call, "undo"), phone, who);
}

/* Also the SIMs of a phone that was absent since the hub's start. */
static int command_routing_drain_phone(struct control_call *call,
				       const struct hub_phone *phone, const char *who,
				       struct json_writer *list)
{
	int64_t sim_id = 0;
	bool has_sim = false;
	int error;

	while (!(error = store_phone_next_sim(call->control->store, &phone->row,
					      &sim_id)) &&
	       sim_id) {
		has_sim = true;
		error = command_routing_drain_one(call, sim_id, phone->row.name, who);
		if (error)
			break;
		json_write_integer(list, sim_id);
	}
	return error || has_sim ? error : STORE_E_NOT_FOUND;
}

/* Returns 0, STORE_E_NOT_FOUND if there is no such SIM, or the error of the store. */
static int command_routing_drain_all(struct control_call *call, const char *target,
				     const char *who, struct json_writer *list)
{
	const struct services *services = call->control->services;
	/* That of a SIM, which may be away; anything else is the name of a phone. */
	int64_t sim_id = command_pools_read_id(target);
	const struct hub_phone *phone =
		sim_id ? NULL : hub_phones_find(remote_phones(services->ofono), target);

	if (sim_id && sims_knows(services->sims, sim_id)) {
		const struct sim *sim = sims_find(services->sims, sim_id);

		json_write_integer(list, sim_id);
		return command_routing_drain_one(call, sim_id,
						 command_routing_phone_of(sim), who);
	}
	return phone ? command_routing_drain_phone(call, phone, who, list)
		     : STORE_E_NOT_FOUND;
}

static void command_routing_answer_drain(struct control_call *call,
					 const struct buffer *list)
{
	struct json_writer *writer = control_call_open_result(call);

	if (!writer)
		return;
	json_key(writer, "subscription_ids");
	json_write_raw(writer, list->data, list->length);
	json_put_boolean(writer, "drained", !control_call_flag(call, "undo"));
	control_call_close(call);
}

static void command_routing_run_drain(struct control_call *call)
{
	const char *target = control_call_argument(call, "target");
	const char *who = control_call_who(call);
	struct buffer text = BUFFER_INIT;
	struct json_writer *list = json_writer_new(&text);
	int error = -ENOMEM;

	if (list) {
		json_open_array(list);
		if (who)
			error = command_routing_drain_all(call, target ? target : "", who,
							  list);
		json_close_array(list);
	}
	json_writer_free(list);
	/* also after an error, which some SIMs may have escaped */
	outbox_failover_review(call->control->services->outbox);
	if (!error && text.failed)
		error = -ENOMEM;
	if (!error)
		command_routing_answer_drain(call, &text);
	else if (error == STORE_E_NOT_FOUND)
		control_call_fail(
			call, "not_found", "To list them: " PROGRAM_NAME " phones",
			"there is no phone with this name that has a SIM, and no "
			"SIM with this ID");
	else
		control_call_fail_store(call, error);
	buffer_deinit(&text);
}

const struct control_command command_drain = {
	.name = "drain",
	.needs_gateway = true,
	.run = command_routing_run_drain,
};

/* ---- sims */

/* These functions return false if the call has been answered. */

static bool command_routing_read_client(struct control_call *call,
					struct store_client_row *row)
{
	const char *name = control_call_argument(call, "client");
	int error = name ? store_client_get(call->control->store, name, row) : 0;

	if (error == STORE_E_NOT_FOUND)
		control_call_fail(call, "not_found",
				  "To list them: " PROGRAM_NAME " client list",
				  "there is no client with this name");
	else if (error)
		control_call_fail_store(call, error);
	return !error;
}

static bool command_routing_read_pool(struct control_call *call, int64_t *pool_id_out)
{
	const char *name = control_call_argument(call, "pool");
	const struct store_pool *pool =
		name ? routing_pool_named(call->control->services->routing, name) : NULL;

	*pool_id_out = pool ? pool->id : ATTEMPT_POOL_ANY;
	if (name && !pool)
		control_call_fail(call, "not_found",
				  "To list them: " PROGRAM_NAME " pools",
				  "there is no pool with this name");
	return pool || !name;
}

static bool command_routing_read_number(struct control_call *call,
					char number[PHONE_NUMBER_BYTES])
{
	const char *written = control_call_argument(call, "to");

	*number = '\0';
	if (!written || phone_number_parse(written, number) == PHONE_NUMBER_OK)
		return true;
	control_call_fail(call, CONTROL_INVALID_ARGUMENT,
			  "Give it with its country code, such as +36201234567",
			  "this is not a phone number");
	return false;
}

static bool command_routing_put_rank(struct control_call *call,
				     const struct routing_rank *rank)
{
	struct json_writer *writer = control_call_open_item(call);
	const char *phone = command_routing_phone_of(rank->sim);

	if (!writer)
		return false;
	json_put_integer(writer, "subscription_id", rank->sim->id);
	json_put_string(writer, "state", sim_state_name(rank->sim->state));
	if (phone)
		json_put_string(writer, "phone", phone);
	if (*rank->sim->own_number)
		view_put_line(writer, "own_number", rank->sim->own_number);
	if (rank->refused)
		json_put_string(writer, "refused", rank->refused);
	if (rank->refused && rank->frees_ms)
		view_put_time(writer, "until", rank->frees_ms);
	control_call_close(call);
	return true;
}

static void command_routing_answer_sims(struct control_call *call,
					const struct routing_request *request)
{
	struct routing *routing = call->control->services->routing;
	struct routing_choice choice;
	struct json_writer *writer;
	struct routing_rank *ranks;
	bool is_chosen;
	size_t count;

	is_chosen = routing_choose(routing, request, &choice);
	ranks = routing_rank(routing, call->arena, request, &count);
	if (!ranks) {
		control_call_fail_store(call, -ENOMEM);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (!command_routing_put_rank(call, &ranks[i]))
			return;
	}
	writer = control_call_open_result(call);
	if (!writer)
		return;
	json_put_integer(writer, "sims", (int64_t)count);
	if (is_chosen) {
		json_put_integer(writer, "subscription_id", choice.sim_id);
		json_put_string(writer, "route", choice.decided);
	}
	control_call_close(call);
}

static void command_routing_run_sims(struct control_call *call)
{
	struct store_client_row row = { 0 };
	char number[PHONE_NUMBER_BYTES];
	struct routing_request request = { .number = number, .segments = 1 };

	if (!command_routing_read_client(call, &row) ||
	    !command_routing_read_pool(call, &request.pool_id) ||
	    !command_routing_read_number(call, number))
		return;
	if (control_call_argument(call, "client"))
		request.client = &row.client;
	command_routing_answer_sims(call, &request);
}

const struct control_command command_sims = {
	.name = "sims",
	.needs_gateway = true,
	.run = command_routing_run_sims,
};

/* ---- resend */

static void command_routing_run_resend(struct control_call *call)
{
	const struct json *number = json_member(call->arguments, "message_id");
	const char *who = control_call_who(call);
	struct json_writer *writer;
	int64_t message_id = 0;
	int error = -ENOMEM;

	json_integer(number, &message_id);
	if (who)
		error = outbox_failover_resend(call->control->services->outbox,
					       message_id, who);
	if (error == OUTBOX_E_TOO_LATE) {
		control_call_fail(call, "not_unknown",
				  "To see its state: " PROGRAM_NAME " show ID",
				  "there is no message %lld whose outcome is unknown",
				  (long long)message_id);
	} else if (error) {
		control_call_fail_store(call,
					error == OUTBOX_E_STORAGE ? STORE_E_FULL : error);
	} else if ((writer = control_call_open_result(call))) {
		json_put_integer(writer, "message_id", message_id);
		control_call_close(call);
	}
}

const struct control_command command_resend = {
	.name = "resend",
	.needs_gateway = true,
	.run = command_routing_run_resend,
};
