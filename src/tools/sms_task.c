/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/sms_task.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/crypto.h"
#include "store/store_setting.h"
#include "tools/state_meaning.h"
#include "tools/tool_table.h"
#include "tools/wait_reason.h"

/* After its ttl a task is unknown; what is to go out later has as long from then on. */
#define TTL_MS (INT64_C(3) * CLOCK_MS_PER_DAY)

/* What changed just now may soon again. */
enum { POLL_LEAST_MS = 5000, POLL_MOST_MS = 60000, POLL_PART = 10 };

/* a look at one message; lives in the arena of the query */
struct sms_task {
	struct message message;
	bool was_unknown; /* at some time */
	int64_t told_ms;  /* the last line of its history */
};

/* Ids */

_Static_assert((int)STORE_SETTING_SECRET_BYTES == MAC_KEY_BYTES, "a secret is a key");

static int read_key(const struct services *services, uint8_t key[MAC_KEY_BYTES])
{
	int error = store_setting_secret(services->store, "task", key);

	return error > 0 ? -ENOSPC : error;
}

static void describe(char text[64], int64_t client_id, int64_t message_id)
{
	snprintf(text, 64, "task %lld %lld", (long long)client_id, (long long)message_id);
}

/* NULL: without a key, which the disk did not take, or without memory. */
static const char *make_id(const struct task_query *query, int64_t message_id)
{
	uint8_t key[MAC_KEY_BYTES];
	char text[64], mac[MAC_TEXT_BYTES];

	describe(text, query->client_id, message_id);
	if (read_key(query->services, key) || !crypto_mac_write(key, text, mac))
		return NULL;
	return arena_printf(query->arena, "%lld-%s", (long long)message_id, mac);
}

static int read_id(const struct task_query *query, int64_t *message_id_out)
{
	uint8_t key[MAC_KEY_BYTES];
	char text[64], *end = NULL;
	int64_t message_id;
	int error;

	if (*query->id < '1' || *query->id > '9')
		return TASK_E_NOT_FOUND;
	errno = 0;
	message_id = strtoll(query->id, &end, 10);
	if (errno || *end != '-')
		return TASK_E_NOT_FOUND;
	error = read_key(query->services, key);
	if (error)
		return error;
	describe(text, query->client_id, message_id);
	if (!crypto_mac_is_valid(key, text, end + 1))
		return TASK_E_NOT_FOUND;
	*message_id_out = message_id;
	return 0;
}

/* What is so */

static void hear_change(void *data, const struct message_change *change)
{
	struct sms_task *task = data;

	task->was_unknown |= change->state == STATE_UNKNOWN;
	task->told_ms = change->at_ms;
}

static enum delivery delivery_now(const struct sms_task *task)
{
	return store_message_delivery(&task->message, clock_wall_ms());
}

static enum task_status status_of(const struct sms_task *task)
{
	if (task->was_unknown)
		return TASK_COMPLETED;
	switch (task->message.state) {
	case STATE_QUEUED:
	case STATE_SUBMITTING:
	case STATE_SUBMITTED:
	case STATE_HELD:
	case STATE_SCHEDULED:
	case STATE_WAITING_APPROVAL:
		return TASK_WORKING;
	case STATE_SENT:
		return delivery_now(task) == DELIVERY_AWAITED ? TASK_WORKING
							      : TASK_COMPLETED;
	case STATE_CANCELLED:
		return TASK_CANCELLED;
	case STATE_DELIVERED:
	case STATE_FAILED:
	case STATE_UNKNOWN:
	case STATE_EXPIRED:
	case STATE_RECEIVED: /* never */
		break;
	}
	return TASK_COMPLETED;
}

static int64_t changed_ms(const struct sms_task *task)
{
	if (task->message.state == STATE_SENT &&
	    delivery_now(task) == DELIVERY_UNCONFIRMED)
		return task->message.changed_ms + DELIVERY_WAIT_MS;
	return task->told_ms;
}

/* That no report came is no event. */
static int64_t due_ms(const struct sms_task *task)
{
	bool is_awaited =
		status_of(task) == TASK_WORKING && task->message.state == STATE_SENT;

	return is_awaited ? task->message.changed_ms + DELIVERY_WAIT_MS + 1 : 0;
}

static int64_t ttl_ms(const struct message *message)
{
	int64_t later_ms = message->send_at_ms - message->created_ms;

	return TTL_MS + (message->send_at_ms && later_ms > 0 ? later_ms : 0);
}

static int64_t poll_ms(int64_t unchanged_ms)
{
	int64_t poll = unchanged_ms / POLL_PART;

	if (poll < POLL_LEAST_MS)
		return POLL_LEAST_MS;
	return poll < POLL_MOST_MS ? poll : POLL_MOST_MS;
}

static const char *say_status(const struct task_query *query, const struct sms_task *task)
{
	const struct message *message = &task->message;
	char meaning[STATE_MEANING_BYTES];

	if (message->state == STATE_SENT && delivery_now(task) == DELIVERY_AWAITED)
		return arena_printf(query->arena,
				    "message %lld: accepted by the network, "
				    "waiting for the delivery report",
				    (long long)message->id);
	state_meaning_write(meaning, message->state,
			    wait_reason(query->services, message));
	return arena_printf(query->arena, "message %lld: %s. %s", (long long)message->id,
			    message_state_name(message->state), meaning);
}

/* One of 1970 has no age: the clock was not set. */
static bool is_expired(const struct task *task)
{
	return task->created_ms >= CLOCK_SANE_MS &&
	       clock_wall_ms() - task->created_ms > task->ttl_ms;
}

/* The message is this client's. */
static int describe_task(const struct task_query *query, const struct sms_task *sms_task,
			 struct task *task_out)
{
	const struct message *message = &sms_task->message;

	task_out->status = status_of(sms_task);
	task_out->status_message = say_status(query, sms_task);
	task_out->created_ms = message->created_ms;
	task_out->changed_ms = changed_ms(sms_task);
	task_out->ttl_ms = ttl_ms(message);
	task_out->poll_ms = poll_ms(clock_wall_ms() - task_out->changed_ms);
	task_out->due_ms = due_ms(sms_task);
	task_out->subject =
		arena_printf(query->arena, "sms://message/%lld", (long long)message->id);
	task_out->data = sms_task;
	if (!task_out->subject)
		return -ENOMEM;
	return is_expired(task_out) ? TASK_E_NOT_FOUND : 0;
}

static int look_at(const struct task_query *query, int64_t message_id,
		   struct task *task_out)
{
	const struct services *services = query->services;
	struct sms_task *task = arena_alloc(query->arena, sizeof(*task));
	int error;

	if (!task)
		return -ENOMEM;
	error = store_message_get(services->store, message_id, query->arena,
				  &task->message);
	if (!error && (task->message.direction != MESSAGE_OUTGOING ||
		       task->message.client_id != query->client_id))
		return TASK_E_NOT_FOUND;
	if (!error) {
		task->told_ms = task->message.changed_ms;
		error = store_message_changes(services->store, message_id, hear_change,
					      task);
	}
	if (error)
		return error == STORE_E_NOT_FOUND ? TASK_E_NOT_FOUND : error;
	return describe_task(query, task, task_out);
}

/* Its row of the table */

static int find(const struct task_query *query, struct task *task_out)
{
	int64_t message_id;
	int error = read_id(query, &message_id);

	return error ? error : look_at(query, message_id, task_out);
}

/* Of the call that made it only the message is left, and that tells all. */
static void write_result(const struct task_query *query, const struct task *task,
			 struct json_writer *writer)
{
	const struct sms_task *sms_task = task->data;
	const struct message *message = &sms_task->message;
	struct tool_call call = {
		.tool = &tool_send_sms,
		.services = query->services,
		.arena = query->arena,
		.into = writer,
	};
	struct sms_order order = {
		.call = &call,
		.recipient = message->number,
		.text = message->text,
		.idempotency_key =
			*message->idempotency_key ? message->idempotency_key : NULL,
		.wait_for = ORDER_WAIT_DELIVERED,
	};

	segments_measure(order.text, &order.segments);
	sending_answer(&(struct sending){
		.order = &order, .message = *message, .is_task = true });
}

static int cancel(const struct task_query *query, const struct task *task)
{
	const struct services *services = query->services;
	const struct sms_task *sms_task = task->data;
	struct outbox_cancellation *recall = NULL;
	int outcome = outbox_cancel(services->outbox, sms_task->message.id, &recall);

	if (outcome == OUTBOX_E_CANCELLING) /* oFono's answer is told as any change is */
		outbox_cancel_leave(recall);
	if (outcome == OUTBOX_E_STORAGE)
		return -ENOSPC;
	return outcome < 0 ? outcome : 0;
}

const struct task_kind sms_task_kind = {
	.find = find,
	.write_result = write_result,
	.cancel = cancel,
};

/* Who asked for a second message is to know that there is none. */
static const char *say_begun(const struct sending *sending, const struct task *task)
{
	if (sending->repeat != POLICY_REPEAT_SAME || !task->status_message)
		return task->status_message;
	return arena_printf(sending->order->call->arena,
			    "%s Nothing new was sent: the same text to the same number "
			    "was asked for just before, and this is its task.",
			    task->status_message);
}

bool sms_task_begin(const struct sending *sending)
{
	struct tool_call *call = sending->order->call;
	struct task_query query = {
		.client_id = call->client->id,
		.services = call->services,
		.arena = call->arena,
	};
	struct task task = { .kind = &sms_task_kind };

	if (sending->order->wait_for != ORDER_WAIT_DELIVERED || !call->request ||
	    !task_is_welcome(call->request))
		return false;
	task.id = query.id = make_id(&query, sending->message.id);
	if (!task.id || look_at(&query, sending->message.id, &task) ||
	    task.status != TASK_WORKING)
		return false;
	task.status_message = say_begun(sending, &task);
	task_answer(call->request, &task);
	return true;
}
