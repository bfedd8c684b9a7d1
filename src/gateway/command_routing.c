/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drain: what the owner of a hub decides about the routing of messages.
 *
 *   drain {"target": "shop-1" or "3", "undo": true}  ->  "subscription_ids", "drained"
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/command.h"
#include "hub/hub_phone.h"
#include "phone/sim.h"
#include "policy/routing.h"
#include "remote/remote.h"
#include "sms/outbox.h"
#include "tools/services.h"

/* ---- drain */

/* A number is the ID of a SIM, which may be away; anything else is the name of a phone. */
static bool command_routing_is_number(const char *target)
{
	return *target && strspn(target, "0123456789") == strlen(target);
}

static const char *command_routing_phone_of(const struct sim *sim)
{
	const struct hub_phone *phone = sim ? remote_phone_of(sim->modem) : NULL;

	return phone ? phone->row.name : NULL;
}

static int command_routing_drain_one(struct control_call *call, int64_t sim_id,
				     const char *who)
{
	const struct services *services = call->control->services;
	const struct sim *sim = sims_find(services->sims, sim_id);

	return routing_drain(services->routing, sim_id, !control_call_flag(call, "undo"),
			     command_routing_phone_of(sim), who);
}

/* Returns 0, STORE_E_NOT_FOUND if there is no such SIM, or the error of the store. */
static int command_routing_drain_all(struct control_call *call, const char *target,
				     const char *who, struct json_writer *list)
{
	const struct services *services = call->control->services;
	int64_t sim_id =
		command_routing_is_number(target) ? strtoll(target, NULL, 10) : 0;
	int error = STORE_E_NOT_FOUND;
	const struct sim *sim;

	if (sim_id && sims_knows(services->sims, sim_id)) {
		json_write_integer(list, sim_id);
		return command_routing_drain_one(call, sim_id, who);
	}
	TAILQ_FOREACH (sim, sims_list(services->sims), link) {
		const char *phone = command_routing_phone_of(sim);

		if (sim_id || !phone || strcmp(phone, target) != 0)
			continue;
		error = command_routing_drain_one(call, sim->id, who);
		if (error)
			return error;
		json_write_integer(list, sim->id);
	}
	return error;
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

	if (list && who) {
		json_open_array(list);
		error = command_routing_drain_all(call, target ? target : "", who, list);
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
