/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status: what get_gateway_status tells, for the owner; what the gateway runs with, how many
 * contacts there are and what is wrong with their file, how many messages wait for a yes, which
 * agents are paired, what each may do, and how much of its limits it has used:
 *
 *   "usage" [{"per": "hour", "limit": 60, "used": 1, "left": 59, "frees_at": ...}]
 */
#include <errno.h>

#include "config/config.h"
#include "gateway/client_view.h"
#include "gateway/owner_table.h"
#include "gateway/tool_command.h"
#include "policy/policy.h"
#include "store/store_client.h"
#include "tools/message_view.h"
#include "tools/services.h"
#include "tools/status_view.h"

struct client_list {
	struct json_writer *writer;
	struct policy *policy;
	int error;
};

/* What is scheduled counts where it will go out, so "used" is what is not left. */
static void write_limit(void *data, const struct limit *limit, int64_t left,
			int64_t frees_ms)
{
	struct json_writer *writer = data;

	json_open_object(writer);
	json_put_string(writer, "per", limit_unit_name(limit->unit));
	json_put_integer(writer, "limit", limit->most);
	json_put_integer(writer, "used", limit->most - left);
	json_put_integer(writer, "left", left);
	if (frees_ms)
		view_put_time(writer, "frees_at", frees_ms);
	json_close_object(writer);
}

static void write_client(void *data, const struct store_client_row *row)
{
	struct client_list *list = data;
	struct policy_limit_visit visit = { write_limit, list->writer, 0 };

	json_open_object(list->writer);
	client_view_put(list->writer, row);
	json_key(list->writer, "usage");
	json_open_array(list->writer);
	policy_list_limits(list->policy, &row->client, 0, &visit);
	json_close_array(list->writer);
	json_close_object(list->writer);
	if (visit.error)
		list->error = visit.error;
}

static int write_clients(struct json_writer *writer, const struct control *control)
{
	const struct services *services = control->services;
	struct client_list list = { writer, services->policy, 0 };
	int error;

	json_key(writer, "clients");
	json_open_array(writer);
	error = store_client_list(control->store, write_client, &list);
	json_close_array(writer);
	return error ? error : list.error;
}

static void count_waiting(void *data, const struct message *message)
{
	unsigned *count = data;

	*count += message->state == STATE_WAITING_APPROVAL;
}

static int write_waiting(struct json_writer *writer, struct store *store)
{
	unsigned count = 0;
	int error = store_message_list_unfinished(store, count_waiting, &count);

	json_put_integer(writer, "waiting_approval", count);
	return error;
}

static void write_contacts(struct json_writer *writer, const struct services *services)
{
	const struct contact_book *book = contacts_book(services->contacts);
	const char *problem = contacts_problem(services->contacts);

	json_key(writer, "contacts");
	json_open_object(writer);
	json_put_integer(writer, "count", (int64_t)contact_book_count(book));
	if (*problem)
		json_put_string(writer, "problem", problem);
	json_close_object(writer);
}

static int write_all(struct control_call *call, struct json_writer *writer)
{
	const struct control *control = call->control;
	const struct services *services = control->services;
	const struct status_view view = {
		.services = services,
		.client = &owner_client,
		.arena = call->arena,
	};
	const char *text;
	int errors[3];
	bool told;

	json_open_object(writer);
	json_put_string(writer, "version", OFONO_MCP_VERSION);
	told = control->gateway->advertised(control->gateway_data, &text);
	json_put_boolean(writer, "advertised", told);
	json_put_string(writer, "advertisement", text); /* as what, or why not */
	json_key(writer, "configuration");
	config_write_json(services->config, writer);
	errors[0] = status_view_put(writer, &view);
	write_contacts(writer, services);
	errors[1] = write_waiting(writer, control->store);
	errors[2] = write_clients(writer, control);
	json_close_object(writer);
	return errors[0] ? errors[0] : errors[1] ? errors[1] : errors[2];
}

static void run(struct control_call *call)
{
	struct buffer result = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&result);
	int error = writer ? write_all(call, writer) : -ENOMEM;

	json_writer_free(writer);
	if (error || result.failed)
		control_fail_store(call, error ? error : -ENOMEM);
	else
		control_answer(call, &result);
	buffer_deinit(&result);
}

const struct control_command owner_status = {
	.name = "status",
	.needs_gateway = true,
	.asks_ofono = true,
	.run = run,
};
