/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_approvals: the messages that wait for a yes, oldest first, for who decides in the
 * place of the owner. Whoever decides sees the whole text, one-time codes too.
 */
#include "console/console.h"
#include "sms/outbox_approval.h"
#include "store/store_client.h"
#include "tools/failure.h"
#include "tools/message_view.h"
#include "tools/services.h"
#include "tools/tool_table.h"

enum { ROW_ARENA_BYTES = 1024 * 1024 };

static const struct schema_field input[] = { { 0 } };

static const struct schema_field approval_fields[] = {
	{ "message_id", SCHEMA_INTEGER, true, "For decide_approval" },
	{ "client", SCHEMA_STRING, true, "Who asked for it" },
	{ "own", SCHEMA_BOOLEAN, true,
	  "It is this client's own, so somebody else has to decide" },
	{ "to_phone_number", SCHEMA_STRING, true, "Recipient" },
	{ "subscription_id", SCHEMA_INTEGER, true, "SIM it goes out from" },
	{ "sim", SCHEMA_STRING, false, "Its name; left out while it is not there" },
	{ "text", SCHEMA_STRING, true, "Just what goes out, written out as in list_sms" },
	{ "segments", SCHEMA_INTEGER, true, "Messages that the network bills" },
	{ "asked_at", SCHEMA_STRING, true, "When it was asked for, RFC 3339" },
	{ "send_at", SCHEMA_STRING, false, "It is to go out then, RFC 3339" },
	{ "until", SCHEMA_STRING, true, "Without a yes it expires then, RFC 3339" },
	{ 0 },
};

static const struct schema_field output[] = {
	{ "approvals", SCHEMA_ARRAY, true, "Oldest first", .members = approval_fields },
	{ "count", SCHEMA_INTEGER, true, "Messages in this answer" },
	{ "more", SCHEMA_INTEGER, true, "Messages that wait and are not in it" },
	{ 0 },
};

static void write_times(struct json_writer *writer, const struct tool_call *call,
			const struct message *message)
{
	const struct services *services = call->services;

	message_view_put_time(writer, "asked_at", message->created_ms);
	if (message->send_at_ms)
		message_view_put_time(writer, "send_at", message->send_at_ms);
	message_view_put_time(
		writer, "until",
		outbox_approval_until(services->outbox, services->config, message));
}

static void write_row(struct json_writer *writer, const struct tool_call *call,
		      const struct message *message)
{
	const struct services *services = call->services;
	const struct sim *sim = sims_find(services->sims, message->sim_id);
	char client[CLIENT_NAME_BYTES] = "";

	store_client_name(services->store, message->client_id, client);
	json_open_object(writer);
	json_put_integer(writer, "message_id", message->id);
	message_view_put_line(writer, "client", client);
	json_put_boolean(writer, "own", message->client_id == call->client->id);
	message_view_put_line(writer, "to_phone_number", message->number);
	json_put_integer(writer, "subscription_id", message->sim_id);
	if (sim)
		message_view_put_line(writer, "sim", sim->display_name);
	message_view_put_shown(writer, "text", message->text);
	json_put_integer(writer, "segments", message->segments);
	write_times(writer, call, message);
	json_close_object(writer);
}

/* 0 or an error of the store. */
static int write_message(struct json_writer *writer, const struct tool_call *call,
			 int64_t message_id)
{
	const struct services *services = call->services;
	struct arena *arena = arena_new(ROW_ARENA_BYTES);
	struct message message;
	int error =
		arena ? store_message_get(services->store, message_id, arena, &message)
		      : -1;

	if (!error)
		write_row(writer, call, &message);
	arena_free(arena);
	return error;
}

static int write_list(struct json_writer *writer, const struct tool_call *call)
{
	const struct services *services = call->services;
	struct outbox_approval_page page;
	int error = outbox_approval_page_read(services->store, 0, &page);

	json_open_object(writer);
	json_key(writer, "approvals");
	json_open_array(writer);
	for (unsigned i = 0; i < page.listed && !error; i++)
		error = write_message(writer, call, page.ids[i]);
	json_close_array(writer);
	json_put_integer(writer, "count", page.listed);
	json_put_integer(writer, "more", page.waiting - page.listed);
	json_close_object(writer);
	return error;
}

static void run(struct tool_call *call)
{
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);
	int error;

	if (!writer) {
		failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	error = write_list(writer, call);
	json_writer_free(writer);
	if (!error) {
		tool_call_succeed_with_json(call, &structured);
		return;
	}
	buffer_deinit(&structured);
	failure_answer(call, FAILURE_INTERNAL, "The messages could not be read.");
}

const struct tool tool_list_approvals = {
	.name = "list_approvals",
	.title = "List messages that wait for a yes",
	.description =
		"Lists the messages of other clients that go out only after a yes, with "
		"number, SIM, whole text and who asked. For the page on which the owner "
		"decides; a model has no say in it. Costs nothing.",
	.input = input,
	.output = output,
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT | TOOL_FOR_PAGES,
	.scopes = CLIENT_READ | CLIENT_ADMIN,
	.page = CONSOLE_URI,
	.run = run,
};
