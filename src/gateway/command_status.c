/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status: what get_gateway_status gives agents, and what only the owner may see: webhooks, the
 * settings in use, the number of contacts and what is wrong with their file, how many
 * messages wait for approval, the numbers for commands by SMS, and each paired agent with
 * its permissions and its use of the limits:
 *   "usage" [{"per": "hour", "limit": 60, "used": 1, "left": 59, "frees_at": ...}]
 * balance: the known balances of the SIMs; with "forget", one of them is deleted, so
 * that it no longer prevents sending:
 *   {"forget": 1}   ->   "balances": [...], as in get_gateway_status, and "forgotten": 1
 */
#include <errno.h>

#include "base/clock.h"
#include "config/config.h"
#include "gateway/control.h"
#include "gateway/paired_client.h"
#include "gateway/running.h"
#include "gateway/command.h"
#include "policy/policy.h"
#include "store/store_client.h"
#include "tools/message_view.h"
#include "tools/services.h"
#include "tools/sim_view.h"
#include "tools/status_view.h"
#include "tools/webhook_view.h"

struct command_status_clients {
	struct json_writer *writer;
	struct policy *policy;
	int error;
	struct store *store;
};

/*
 * A scheduled message counts in the period in which it will be sent, so "used" is what
 * is not left.
 */
static void command_status_write_limit(void *data, const struct limit *limit,
				       int64_t left, int64_t frees_ms)
{
	struct json_writer *writer = data;

	json_open_object(writer);
	json_put_string(writer, "per", limit_unit_name(limit->unit));
	json_put_integer(writer, "limit", limit->most);
	json_put_integer(writer, "used", limit->most - left);
	json_put_integer(writer, "left", left);
	if (frees_ms)
		view_put_time(writer, "frees_at", clock_ceil_ms(frees_ms));
	json_close_object(writer);
}

static void command_status_write_client(void *data, const struct store_client_row *row)
{
	struct command_status_clients *list = data;
	struct policy_limit_visit visit = { command_status_write_limit, list->writer, 0 };

	json_open_object(list->writer);
	paired_client_put(list->writer, row);
	json_open_array_at(list->writer, "usage");
	policy_list_limits(list->policy, &row->client, 0, &visit);
	json_close_array(list->writer);
	json_close_object(list->writer);
	if (visit.error)
		list->error = visit.error;
}

static int command_status_write_clients(struct json_writer *writer,
					const struct control *control)
{
	const struct services *services = control->services;
	struct command_status_clients list = { writer, services->policy, 0 };
	int error;

	json_open_array_at(writer, "clients");
	error = store_client_list(control->store, command_status_write_client, &list);
	json_close_array(writer);
	return error ? error : list.error;
}

static void command_status_count_waiting(void *data, const struct message *message)
{
	unsigned *count = data;

	*count += message->state == STATE_WAITING_APPROVAL;
}

static void command_status_count_consent(void *data,
					 const struct store_webhook_consent *consent)
{
	unsigned *count = data;

	*count += consent->state == WEBHOOK_CONSENT_WAITING;
}

/* Writes how many messages and receivers of webhooks wait for approval. */
static int command_status_write_waiting(struct json_writer *writer, struct store *store)
{
	unsigned count = 0;
	int error = store_message_list_unfinished(store, command_status_count_waiting,
						  &count);

	if (!error)
		error = store_webhook_consent_list(store, 0, command_status_count_consent,
						   &count);
	json_put_integer(writer, "waiting_approval", count);
	return error;
}

static void command_status_write_contacts(struct json_writer *writer,
					  const struct services *services)
{
	const struct contact_book *book = contacts_book(services->contacts);
	const char *problem = contacts_problem(services->contacts);
	const char *skipped = contacts_skipped(services->contacts);

	json_open_object_at(writer, "contacts");
	json_put_integer(writer, "count", (int64_t)contact_book_count(book));
	if (*problem)
		json_put_string(writer, "problem", problem);
	if (*skipped)
		json_put_string(writer, "skipped", skipped);
	json_close_object(writer);
}

static void command_status_write_suspended(void *data, const struct webhook_view *view)
{
	struct command_status_clients *list = data;

	if (!view->row->suspended_ms)
		return;
	json_open_object(list->writer);
	webhook_view_put_subscription(list->writer, list->store, view);
	json_close_object(list->writer);
}

/* Writes "webhooks": how many, and those whose receivers cannot be reached. */
static void command_status_write_webhooks(struct json_writer *writer,
					  const struct services *services)
{
	struct command_status_clients list = { .writer = writer,
					       .store = services->store };
	struct webhook_counts counts = { 0 };

	if (services->webhooks)
		webhook_count(services->webhooks, &counts);
	json_open_object_at(writer, "webhooks");
	json_put_integer(writer, "subscriptions", counts.subscriptions);
	json_put_integer(writer, "delivering", counts.waiting);
	json_open_array_at(writer, "suspended");
	if (services->webhooks)
		webhook_each(services->webhooks, command_status_write_suspended, &list);
	json_close_array(writer);
	if (counts.subscriptions && webhook_post_clock_flaw())
		json_put_string(writer, "held", webhook_post_clock_flaw());
	json_close_object(writer);
}

static int command_status_write(struct control_call *call, struct json_writer *writer)
{
	const struct control *control = call->control;
	const struct services *services = control->services;
	const struct status_view view = {
		.services = services,
		.client = &tool_command_owner,
		.arena = call->arena,
	};
	const char *text;
	int errors[4];
	bool advertised;

	json_put_string(writer, "version", OFONO_MCP_VERSION);
	advertised = running_describe_advertisement(control->running, &text);
	json_put_boolean(writer, "advertised", advertised);
	json_put_string(writer, "advertisement",
			text); /* the name, or why it is not advertised */
	json_key(writer, "configuration");
	config_write_json(services->config, writer);
	errors[0] = status_view_put(writer, &view);
	command_status_write_contacts(writer, services);
	errors[1] = command_status_write_waiting(writer, control->store);
	errors[2] = command_status_write_clients(writer, control);
	command_status_write_webhooks(writer, services);
	json_open_object_at(writer, "agent");
	errors[3] = command_agent_write_numbers(writer, control);
	json_close_object(writer);
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		if (errors[i])
			return errors[i];
	}
	return 0;
}

static void command_status_run(struct control_call *call)
{
	control_call_write_result(call, command_status_write);
}

const struct control_command command_status = {
	.name = "status",
	.needs_gateway = true,
	.needs_ofono = true,
	.run = command_status_run,
};

/* balance */

/* Returns false if the call has been answered. */
static bool command_status_forget_balance(struct control_call *call,
					  const struct services *services, int64_t sim_id)
{
	int error = policy_forget_balance(services->policy, sim_id);

	if (error == STORE_E_NOT_FOUND)
		control_call_fail(call, "not_found",
				  "To list the known balances: " PROGRAM_NAME
				  " sim balance",
				  "no balance is known for SIM %lld", (long long)sim_id);
	else if (error)
		control_call_fail_store(call, error);
	return !error;
}

static void command_status_run_balance(struct control_call *call)
{
	const struct services *services = call->control->services;
	const struct json *wanted = json_member(call->arguments, "forget");
	int64_t sim_id = 0;
	struct json_writer *writer;

	if (wanted && !json_integer(wanted, &sim_id)) {
		control_call_fail(call, CONTROL_INVALID_ARGUMENT,
				  "Give the subscription_id of a SIM",
				  "that is not a SIM ID");
		return;
	}
	if (wanted && !command_status_forget_balance(call, services, sim_id))
		return;
	if (!(writer = control_call_open_result(call)))
		return;
	if (wanted)
		json_put_integer(writer, "forgotten", sim_id);
	json_key(writer, "balances");
	sim_view_write_balances(writer, services, &tool_command_owner);
	control_call_close(call);
}

const struct control_command command_balance = {
	.name = "balance",
	.needs_gateway = true,
	.run = command_status_run_balance,
};
