/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_approvals: the messages that wait for approval, oldest first, for somebody who decides
 * in the owner's place. They see the whole text, including one-time codes.
 */
#include "base/clock.h"
#include "console/console.h"
#include "numbers/number.h"
#include "policy/pairing.h"
#include "policy/policy.h"
#include "sms/outbox.h"
#include "tools/message_view.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/tool_table.h"
#include "tools/webhook_view.h"

static const struct schema_field list_approvals_input[] = { { 0 } };

static const struct schema_field list_approvals_row[] = {
	{ "message_id", SCHEMA_INTEGER, true, "For decide_approval" },
	{ "revision", SCHEMA_INTEGER, false,
	  "The client changed it: for decide_approval" },
	{ "client", SCHEMA_STRING, true, "Who asked for it" },
	{ "own", SCHEMA_BOOLEAN, true,
	  "It is this client's own, so somebody else has to decide" },
	{ "to_phone_number", SCHEMA_STRING, true, "Recipient" },
	{ "contact_name", SCHEMA_STRING, false, "Of the recipient" },
	{ "country", SCHEMA_STRING, false,
	  "ISO 3166 code of the recipient's country; left out when unknown" },
	{ "subscription_id", SCHEMA_INTEGER, true, "SIM it is sent from" },
	{ "sim", SCHEMA_STRING, false, "The SIM's name; left out while it is absent" },
	{ "text", SCHEMA_STRING, true, "What would be sent, escaped as in list_sms" },
	{ "reason", SCHEMA_STRING, false,
	  "Why it needs the owner's approval, whatever the client's setting" },
	{ "segments", SCHEMA_INTEGER, true, "Segments, each of which is billed" },
	{ "asked_at", SCHEMA_STRING, true, "When it was asked for, RFC 3339" },
	{ "send_at", SCHEMA_STRING, false, "When it is to be sent, RFC 3339" },
	{ "until", SCHEMA_STRING, true, "Expires then unless approved, RFC 3339" },
	{ 0 },
};

static const struct schema_field list_approvals_webhook[] = {
	{ "approval_id", SCHEMA_STRING, true, "For decide_approval" },
	{ "kind", SCHEMA_STRING, true, "webhook" },
	{ "client", SCHEMA_STRING, true, "Who asked for it" },
	{ "own", SCHEMA_BOOLEAN, true,
	  "It is this client's own, so somebody else has to decide" },
	{ "receiver", SCHEMA_STRING, true, "The server that events would be posted to" },
	{ "type", SCHEMA_STRING, true, "Of the events" },
	{ "filter", SCHEMA_STRING, true, "Arguments as JSON; {} all events" },
	{ "include_text", SCHEMA_BOOLEAN, true, "With the texts of messages" },
	{ "asked_at", SCHEMA_STRING, true, "When it was asked for, RFC 3339" },
	{ "until", SCHEMA_STRING, true, "Expires then unless approved, RFC 3339" },
	{ 0 },
};

static const struct schema_field list_approvals_pairing[] = {
	{ "name", SCHEMA_STRING, true, "What the computer calls itself" },
	{ "address", SCHEMA_STRING, true, "Its IP address" },
	{ "until", SCHEMA_STRING, true, "Expires then, RFC 3339" },
	{ 0 },
};

static const struct schema_field list_approvals_output[] = {
	{ "approvals", SCHEMA_ARRAY, true, "Oldest first",
	  .members = list_approvals_row },
	{ "count", SCHEMA_INTEGER, true, "Messages in this answer" },
	{ "more", SCHEMA_INTEGER, true, "Waiting ones that are not in this answer" },
	{ "webhooks", SCHEMA_ARRAY, true, "Servers that clients want events posted to",
	  .members = list_approvals_webhook },
	{ "pairings", SCHEMA_ARRAY, true,
	  "Computers whose codes the owner can type on the phone",
	  .members = list_approvals_pairing },
	{ 0 },
};

static void list_approvals_put_recipient(struct json_writer *writer,
					 const struct services *services,
					 const struct message *message)
{
	struct number number;

	view_put_line(writer, "to_phone_number", message->number);
	view_put_contact(writer, services, message->number);
	if (number_read(message->number,
			policy_home_country(services->policy, message->sim_id),
			&number) &&
	    number.country)
		json_put_string(writer, "country", number.country->code);
}

/* Returns 0 or the store's error. */
static int list_approvals_write_message(struct request_room *room,
					const struct tool_call *call, int64_t message_id,
					bool *kept_out)
{
	struct json_writer *writer = room->writer;
	struct message message;
	struct arena *arena;
	int error =
		message_view_read(call->services->store, message_id, &arena, &message);

	if (!error) {
		request_room_open_row(room);
		json_open_object(writer);
		message_view_put_approval(writer, call->services, &message);
		list_approvals_put_recipient(writer, call->services, &message);
		json_put_boolean(writer, "own", message.client_id == call->client->id);
		json_close_object(writer);
		*kept_out = request_room_close_row(room, 0);
	}
	arena_free(arena);
	return error;
}

struct list_approvals_webhooks {
	struct request_room *room;
	const struct tool_call *call;
	unsigned more; /* that are not in the answer */
};

static void list_approvals_write_webhook(void *data,
					 const struct store_webhook_consent *consent)
{
	struct list_approvals_webhooks *list = data;
	struct json_writer *writer = list->room->writer;

	if (consent->state != WEBHOOK_CONSENT_WAITING)
		return;
	if (list->more) {
		list->more++;
		return;
	}
	request_room_open_row(list->room);
	json_open_object(writer);
	webhook_view_put_consent(writer, list->call->services->store, consent);
	json_put_boolean(writer, "own", consent->client_id == list->call->client->id);
	json_close_object(writer);
	list->more = !request_room_close_row(list->room, 0);
}

/* Writes at most PAIRING_WAITING_MAX. */
static void list_approvals_write_pairings(struct json_writer *writer,
					  struct pairing *pairing)
{
	const struct pairing_request *request = NULL;

	json_open_array_at(writer, "pairings");
	while (pairing &&
	       (request = pairing_next(pairing, request ? request->number : 0))) {
		json_open_object(writer);
		view_put_line(writer, "name", request->name);
		json_put_string(writer, "address", request->address);
		view_put_time(writer, "until",
			      clock_wall_ms() + pairing_left_ms(request));
		json_close_object(writer);
	}
	json_close_array(writer);
}

static int list_approvals_write(struct json_writer *writer, const struct tool_call *call)
{
	struct request_room room = { .writer = writer, .form = ANSWER_TWICE };
	struct list_approvals_webhooks list = { &room, call, 0 };
	bool kept = true;
	struct outbox_approval_page page;
	unsigned messages;
	int error = outbox_approval_page_read(call->services->store, 0, &page);

	json_open_array_at(writer, "approvals");
	for (unsigned i = 0; i < page.listed && kept && !error; i++)
		error = list_approvals_write_message(&room, call, page.ids[i], &kept);
	json_close_array(writer);
	messages = room.rows;
	json_put_integer(writer, "count", messages);
	json_open_array_at(writer, "webhooks");
	if (!error)
		error = store_webhook_consent_list(call->services->store, 0,
						   list_approvals_write_webhook, &list);
	json_close_array(writer);
	list_approvals_write_pairings(writer, call->services->pairing);
	json_put_integer(writer, "more", page.waiting - messages + list.more);
	return error;
}

static void list_approvals_run(struct tool_call *call)
{
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = page_open(call, &structured);

	if (writer)
		page_close(call, writer, &structured,
			   list_approvals_write(writer, call)
				   ? "The messages could not be read."
				   : NULL);
}

const struct tool tool_list_approvals = {
	.name = "list_approvals",
	.title = "List messages waiting for approval",
	.description = "List messages of other clients that wait for approval. For the "
		       "owner's page; a model has no say in it.",
	.input = list_approvals_input,
	.output = list_approvals_output,
	.listed = (const char *const[]){ "approvals", "more", "webhooks", "pairings",
					 NULL },
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT | TOOL_FOR_PAGES,
	.scopes = CLIENT_READ | CLIENT_ADMIN,
	.page = CONSOLE_URI,
	.run = list_approvals_run,
};
