/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * get_sms_status: the state of a message, its history, and what that means.
 *
 * Everything in the answer is read from the store when the answer is written. Waiting only
 * decides when that is: when the message is as far as `wait_for` says, when it cannot get
 * there any more, or when the time is over. The idempotency_key of a call to several recipients
 * stands for all of its messages, and the wait is for all of them.
 */
#include <errno.h>

#include "base/clock.h"
#include "sms/outbox.h"
#include "sms/sender.h"
#include "store/store_message.h"
#include "tools/argument.h"
#include "tools/many_answer.h"
#include "tools/message_view.h"
#include "tools/page.h"
#include "tools/services.h"
#include "tools/tool_failure.h"
#include "tools/tool_table.h"
#include "tools/tool_wait.h"

enum {
	GET_SMS_STATUS_WAIT_SECONDS = 30,
	GET_SMS_STATUS_WAIT_MAX_SECONDS = 120,
};

static const char *const get_sms_status_wait_words[] = { "sent", "delivered", NULL };

static const struct schema_field get_sms_status_input[] = {
	{ "message_id", SCHEMA_INTEGER, false, "Pass this or idempotency_key" },
	{ "idempotency_key", SCHEMA_STRING, false,
	  "The key that the message was sent with", 1, IDEMPOTENCY_KEY_MAX },
	{ "wait_for", SCHEMA_STRING, false,
	  "Wait until the message is that far, or never will be",
	  .words = get_sms_status_wait_words },
	{ "wait_seconds", SCHEMA_INTEGER, false, "Maximum wait (default 30)", 0,
	  GET_SMS_STATUS_WAIT_MAX_SECONDS },
	{ "history", SCHEMA_BOOLEAN, false,
	  "true: also its times, SIM, segments and every state it was in" },
	{ 0 },
};

static const struct schema_field get_sms_status_change_fields[] = {
	{ "state", SCHEMA_STRING, true, "The new state" },
	{ "at", SCHEMA_STRING, true, "This phone's clock, RFC 3339" },
	{ "reason", SCHEMA_STRING, false, "Why" },
	{ "meaning", SCHEMA_STRING, true, "In words" },
	{ "note", SCHEMA_STRING, false,
	  "The owner's comment, or on whose behalf it was sent" },
	{ 0 },
};

static const struct schema_field get_sms_status_output[] = {
	{ "message_id", SCHEMA_INTEGER, false, "Identifies the message; not of a list" },
	{ "state", SCHEMA_STRING, false,
	  "received; waiting_approval, scheduled, queued: in the gateway; "
	  "submitting, submitted, held: in oFono; sent: the network accepted it; "
	  "delivered: a report says so; failed, expired, cancelled: it will not be sent; "
	  "unknown: it may have been sent" },
	{ "meaning", SCHEMA_STRING, true, "The state in words" },
	{ "reason", SCHEMA_STRING, false, "Why it is in this state" },
	{ "final", SCHEMA_BOOLEAN, true,
	  "Nothing more is awaited; a late report can still change it" },
	{ "reached", SCHEMA_BOOLEAN, false,
	  "After a wait: whether the message got as far as wait_for" },
	{ "delivery", SCHEMA_STRING, false,
	  "out: awaited; delivered; refused: the network gave "
	  "up; unconfirmed: no report came in time, which proves "
	  "nothing; left out: no report is awaited, or not yet" },
	{ "results", SCHEMA_ARRAY, false,
	  "idempotency_key of to_phone_numbers: one for each that was accepted",
	  .members = many_answer_fields },
	{ "phone_number", SCHEMA_STRING, false, "The other end; not of a list" },
	{ "origin", SCHEMA_STRING, false,
	  "out: phone: another program sent it, as in list_sms",
	  .words = message_view_origins },
	MESSAGE_VIEW_CLIENT_FIELD,
	{ "send_at", SCHEMA_STRING, false, "out: waits for this time" },
	{ "approval_until", SCHEMA_STRING, false,
	  "waiting_approval: expires then unless approved" },
	VIEW_CONTACT_FIELD,
	{ "trust", SCHEMA_STRING, false,
	  "in: how well the sender is known, as in list_sms",
	  .words = sender_trust_words },
	{ "subscription_id", SCHEMA_INTEGER, false, "Its SIM; left out when unknown" },
	{ "segments", SCHEMA_INTEGER, false, "out: what the network bills" },
	VIEW_COST_FIELD,
	{ "created_at", SCHEMA_STRING, false, "When it was received or accepted" },
	{ "expires_at", SCHEMA_STRING, false, "out: not submitted after" },
	{ "changes", SCHEMA_ARRAY, false, "Every state it was in, oldest first",
	  .members = get_sms_status_change_fields },
	{ "earlier_changes", SCHEMA_INTEGER, false,
	  "How many older changes are left out of a long history" },
	{ 0 },
};

enum get_sms_status_wait {
	GET_SMS_STATUS_NO_WAIT,
	GET_SMS_STATUS_WAIT_SENT,
	GET_SMS_STATUS_WAIT_DELIVERED,
};

/* One call; lives in its arena. */
struct get_sms_status {
	struct tool_call *call;
	int64_t message_id;
	const char *key; /* NULL if the message is named by its ID */
	bool history;	 /* the answer is to have all of it */
	bool is_list;	 /* the key is that of a call to several recipients */
	struct message *messages;
	size_t count; /* of the messages: 1 unless it is a list */
	unsigned segments;
	enum get_sms_status_wait wait_for;
	struct tool_wait_message wait;
	struct json_writer *writer;
	size_t change_octets;	 /* of the changes that are still to be written */
	int64_t earlier_changes; /* those that are left out */
};

static bool get_sms_status_is_reached(const struct get_sms_status *status,
				      enum message_state state)
{
	return state == STATE_DELIVERED ||
	       (state == STATE_SENT && status->wait_for == GET_SMS_STATUS_WAIT_SENT);
}

/* Is there nothing to wait for: it got so far, or never will? */
static bool get_sms_status_is_settled(const struct get_sms_status *status,
				      enum message_state state)
{
	if (state == STATE_SENT && status->wait_for == GET_SMS_STATUS_WAIT_DELIVERED)
		return false;
	return message_state_is_final(state);
}

static void get_sms_status_write_change(const struct get_sms_status *status,
					struct json_writer *writer,
					const struct message_change *change)
{
	json_open_object(writer);
	json_put_string(
		writer, "state",
		message_state_name(message_state_shown(change->state, change->reason)));
	view_put_time(writer, "at", change->at_ms);
	if (*change->reason)
		json_put_string(writer, "reason", change->reason);
	json_put_string(
		writer, "meaning",
		message_view_meaning(change->state, change->reason, status->segments));
	if (*change->note)
		view_put_text(writer, "note", change->note);
	json_close_object(writer);
}

/* Returns the octets that it takes in the answer; 0 if memory runs out. */
static size_t get_sms_status_measure(const struct get_sms_status *status,
				     const struct message_change *change)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);
	size_t octets = 0;

	if (writer) {
		get_sms_status_write_change(status, writer, change);
		json_writer_free(writer);
		octets = request_room_octets(ANSWER_TWICE, text.data, text.length);
	}
	buffer_deinit(&text);
	return octets;
}

static void get_sms_status_count_change(void *data, const struct message_change *change)
{
	struct get_sms_status *status = data;

	status->change_octets += get_sms_status_measure(status, change);
}

/* Leaves it out if it and those that follow are too long for the answer. */
static void get_sms_status_add_change(void *data, const struct message_change *change)
{
	struct get_sms_status *status = data;

	if (status->change_octets > ANSWER_OCTETS_MAX - ANSWER_FRAME_OCTETS) {
		status->change_octets -= get_sms_status_measure(status, change);
		status->earlier_changes++;
	} else {
		get_sms_status_write_change(status, status->writer, change);
	}
}

/* Edits are changes, too, and nothing limits them, so the newest that fit are written. */
static int get_sms_status_put_changes(struct get_sms_status *status, int64_t message_id)
{
	struct store *store = status->call->services->store;
	int error;

	json_open_array_at(status->writer, "changes");
	error = store_message_changes(store, message_id, get_sms_status_count_change,
				      status);
	if (!error)
		error = store_message_changes(store, message_id,
					      get_sms_status_add_change, status);
	json_close_array(status->writer);
	if (status->earlier_changes)
		json_put_integer(status->writer, "earlier_changes",
				 status->earlier_changes);
	return error;
}

/* Only what ended in the gateway or was refused by oFono was certainly not billed. */
static bool get_sms_status_may_cost(enum message_state state)
{
	return state != STATE_FAILED && state != STATE_CANCELLED &&
	       state != STATE_EXPIRED;
}

/* Writes the members that an agent rarely needs. Returns 0, or the store's error. */
static int get_sms_status_put_history(struct get_sms_status *status,
				      const struct message *message)
{
	const struct services *services = status->call->services;
	struct json_writer *writer = status->writer;

	view_put_contact(writer, services, message->number);
	if (message->direction == MESSAGE_INCOMING)
		view_put_trust(writer, services, message->sim_id, message->number);
	if (message->sim_id)
		json_put_integer(writer, "subscription_id", message->sim_id);
	if (message->segments)
		json_put_integer(writer, "segments", message->segments);
	if (message->segments && get_sms_status_may_cost(message->state))
		view_put_cost(writer, services, message->sim_id, message->number,
			      message->segments);
	view_put_time(writer, "created_at", message->created_ms);
	if (message->expires_at_ms)
		view_put_time(writer, "expires_at", message->expires_at_ms);
	return get_sms_status_put_changes(status, message->id);
}

/* A message that is sent is not settled while its report may come. */
static void get_sms_status_put_end(const struct get_sms_status *status)
{
	bool is_final = true, is_reached = true;

	for (size_t i = 0; i < status->count; i++) {
		const struct message *message = &status->messages[i];

		is_reached &= get_sms_status_is_reached(status, message->state);
		is_final &= message_state_is_final(message->state) &&
			    !(message->direction == MESSAGE_OUTGOING &&
			      store_message_delivery(message, clock_wall_ms()) ==
				      DELIVERY_AWAITED);
	}
	json_put_boolean(status->writer, "final", is_final);
	if (status->wait_for != GET_SMS_STATUS_NO_WAIT)
		json_put_boolean(status->writer, "reached", is_reached);
}

static void get_sms_status_put_delivery(struct json_writer *writer,
					const struct message *message)
{
	enum delivery delivery = store_message_delivery(message, clock_wall_ms());

	if (message->direction == MESSAGE_OUTGOING && delivery != DELIVERY_NONE)
		json_put_string(writer, "delivery",
				store_message_delivery_name(delivery));
}

/* Returns 0, or the store's error if the history could not be read. */
static int get_sms_status_write(struct get_sms_status *status,
				const struct message *message)
{
	const struct services *services = status->call->services;
	struct json_writer *writer = status->writer;
	int error = 0;

	status->segments = message->segments;
	json_put_integer(writer, "message_id", message->id);
	json_put_string(
		writer, "state",
		message_state_name(message_state_shown(message->state, message->reason)));
	json_put_string(
		writer, "meaning",
		message_view_meaning(message->state, message->reason, message->segments));
	if (*message->reason)
		json_put_string(writer, "reason", message->reason);
	get_sms_status_put_end(status);
	get_sms_status_put_delivery(writer, message);
	view_put_line(writer, "phone_number", message->number);
	message_view_put_sender(writer, services, status->call->client, message);
	if (message->send_at_ms &&
	    (status->history || message_state_is_waiting(message->state)))
		view_put_time(writer, "send_at", message->send_at_ms);
	if (message->state == STATE_WAITING_APPROVAL)
		view_put_time(writer, "approval_until",
			      outbox_approval_until(services->outbox, services->config,
						    message));
	if (status->history)
		error = get_sms_status_put_history(status, message);
	return error;
}

static void get_sms_status_answer_message(struct get_sms_status *status,
					  const struct message *message)
{
	struct buffer structured = BUFFER_INIT;

	status->writer = page_open(status->call, &structured);
	if (status->writer)
		page_close(status->call, status->writer, &structured,
			   get_sms_status_write(status, message)
				   ? "The message's history could not be read."
				   : NULL);
}

/* Were rows lost in the time for which messages and keys are certain to be kept? */
static bool get_sms_status_rows_were_lost(struct store *store)
{
	int64_t since_ms = clock_wall_ms() - (int64_t)STORE_KEY_DAYS * CLOCK_MS_PER_DAY;

	return !store_receive_gaps_has(store, STORE_GAP_DAMAGED, since_ms) ||
	       !store_receive_gaps_has(store, STORE_GAP_RESTORED, since_ms);
}

static void get_sms_status_answer_not_found(struct get_sms_status *status)
{
	struct tool_call *call = status->call;

	if (get_sms_status_rows_were_lost(call->services->store))
		tool_failure_answer(call, FAILURE_NOT_FOUND,
				    "There is no such message in the message store. "
				    "But the store was damaged or restored from a "
				    "backup recently, so it may have been sent all "
				    "the same. Ask your user before sending it again.");
	else if (status->key)
		tool_failure_answer(call, FAILURE_KEY_NOT_FOUND,
				    "None of your messages with this idempotency_key is "
				    "stored. Keys are "
				    "kept for at least 30 days: unless you used it "
				    "before that, it is safe to send the message now.");
	else
		tool_failure_answer(call, FAILURE_NOT_FOUND,
				    arena_printf(call->arena,
						 "There is no message %lld: it never "
						 "existed, or is no longer kept.",
						 (long long)status->message_id));
}

static struct message *get_sms_status_alloc(struct get_sms_status *status, size_t count)
{
	status->count = count;
	status->messages =
		arena_alloc(status->call->arena, count * sizeof(*status->messages));
	return status->messages;
}

static int get_sms_status_find_message(struct get_sms_status *status)
{
	struct tool_call *call = status->call;
	struct store *store = call->services->store;

	if (!get_sms_status_alloc(status, 1))
		return -ENOMEM;
	if (status->key)
		return store_message_by_key(store, call->client->id, status->key,
					    call->arena, status->messages);
	return store_message_get(store, status->message_id, call->arena,
				 status->messages);
}

/* Of a call to several recipients. */
static int get_sms_status_find_list(struct get_sms_status *status)
{
	struct tool_call *call = status->call;
	const struct store_message_list_key list = { .client_id = call->client->id,
						     .key = status->key };

	if (!get_sms_status_alloc(status, ORDER_RECIPIENTS_MAX))
		return -ENOMEM;
	return store_message_all_by_list_key(call->services->store, &list, call->arena,
					     status->messages, &status->count);
}

/* Returns false if the call has been finished with a failure. */
static bool get_sms_status_read(struct get_sms_status *status)
{
	struct tool_call *call = status->call;
	int error = get_sms_status_find_message(status);

	status->is_list = status->key && error == STORE_E_NOT_FOUND;
	if (status->is_list)
		error = get_sms_status_find_list(status);
	if (error == STORE_E_NOT_FOUND)
		get_sms_status_answer_not_found(status);
	else if (error)
		tool_failure_answer(call, FAILURE_INTERNAL,
				    "The message could not be read.");
	if (error)
		return false;
	for (size_t i = 0; i < status->count; i++) {
		struct message *message = &status->messages[i];

		message->reason = message_view_reason(call->services, message);
	}
	return true;
}

static void get_sms_status_answer_list(struct get_sms_status *status)
{
	struct sms_order order = { .call = status->call,
				   .recipient = "",
				   .wait_for = ORDER_WAIT_DELIVERED };
	struct buffer structured = BUFFER_INIT;
	struct sms_batch batch;

	status->writer = page_open(status->call, &structured);
	if (!status->writer)
		return;
	sms_batch_restore(&batch, &order, status->messages, status->count);
	many_answer_put_status(status->writer, &batch);
	get_sms_status_put_end(status);
	page_close(status->call, status->writer, &structured, NULL);
}

static void get_sms_status_answer_now(struct get_sms_status *status)
{
	if (status->is_list)
		get_sms_status_answer_list(status);
	else
		get_sms_status_answer_message(status, status->messages);
}

static void get_sms_status_answer(void *data)
{
	struct get_sms_status *status = data;

	if (get_sms_status_read(status))
		get_sms_status_answer_now(status);
}

static bool get_sms_status_are_settled(const struct get_sms_status *status)
{
	for (size_t i = 0; i < status->count; i++) {
		if (!get_sms_status_is_settled(status, status->messages[i].state))
			return false;
	}
	return true;
}

/* No message's last event is awaited: each of them has reached a final state by then. */
static void get_sms_status_on_list_change(void *data, const void *event_data)
{
	const struct outbox_event *event = event_data;
	struct get_sms_status *status = data;

	for (size_t i = 0; i < status->count; i++) {
		if (status->messages[i].id == event->message_id)
			status->messages[i].state = event->state;
	}
	if (get_sms_status_are_settled(status))
		tool_wait_finish(&status->wait.wait);
}

static bool get_sms_status_wait_for_list(struct get_sms_status *status, uint64_t seconds)
{
	struct tool_wait *wait = &status->wait.wait;

	if (!seconds)
		return false;
	observer_add(outbox_observers(status->call->services->outbox), &wait->observer,
		     get_sms_status_on_list_change, status);
	return tool_wait_start(wait, status->call, seconds);
}

static bool get_sms_status_on_change(void *data, const struct outbox_event *event)
{
	return get_sms_status_is_settled(data, event->state);
}

static enum get_sms_status_wait get_sms_status_read_wait(const struct tool_call *call)
{
	const char *word = argument_text(call, "wait_for");

	if (word)
		return word[0] == 's' ? GET_SMS_STATUS_WAIT_SENT
				      : GET_SMS_STATUS_WAIT_DELIVERED;
	return argument_integer(call, "wait_seconds", 0) ? GET_SMS_STATUS_WAIT_SENT
							 : GET_SMS_STATUS_NO_WAIT;
}

static void get_sms_status_run(struct tool_call *call)
{
	struct get_sms_status *status = tool_wait_alloc(call, sizeof(*status));
	struct refusal refusal;
	int64_t seconds;
	bool is_waiting;

	if (!status)
		return;
	*status = (struct get_sms_status){
		.call = call,
		.message_id = argument_integer(call, "message_id", 0),
		.history = argument_boolean(call, "history"),
		.wait_for = get_sms_status_read_wait(call),
		.wait = { .changed = get_sms_status_on_change,
			  .wait = { .answer = get_sms_status_answer, .data = status } },
	};
	if (!argument_key(call, &status->key, &refusal)) {
		tool_failure_answer_with(call, &refusal, NULL, NULL);
		return;
	}
	if (!json_member(call->arguments, "message_id") == !status->key) {
		tool_failure_answer(call, FAILURE_INVALID_ARGUMENTS,
				    "Pass either message_id or idempotency_key.");
		return;
	}
	if (!get_sms_status_read(status))
		return;
	status->message_id = status->messages->id;
	seconds = status->wait_for == GET_SMS_STATUS_NO_WAIT
			  ? 0
			  : argument_integer(call, "wait_seconds",
					     GET_SMS_STATUS_WAIT_SECONDS);
	if (get_sms_status_are_settled(status))
		seconds = 0;
	if (seconds && tool_wait_is_refused(call))
		return;
	is_waiting =
		status->is_list
			? get_sms_status_wait_for_list(status, (uint64_t)seconds)
			: tool_wait_for_message(&status->wait, call, status->message_id,
						(uint64_t)seconds);
	if (!is_waiting)
		get_sms_status_answer_now(status);
}

const struct tool tool_get_sms_status = {
	.name = "get_sms_status",
	.title = "Check a message",
	.description = "Return a message's state and what it means. If a "
		       "message is not sent yet or an answer was lost, call "
		       "this instead of sending again. \"delivered\" means that "
		       "the recipient's phone took it, not that anybody read it.",
	.input = get_sms_status_input,
	.output = get_sms_status_output,
	.listed = (const char *const[]){ "message_id", "state", "final", NULL },
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT,
	.scopes = CLIENT_READ,
	.run = get_sms_status_run,
};
