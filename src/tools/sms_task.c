/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nothing is stored for a task: each query reads the message and its history again.
 *
 *   message                                  task
 *   not sent yet                             working
 *   sent, delivery report awaited            working, until DELIVERY_WAIT_MS have passed
 *   cancelled                                cancelled
 *   any other state                          completed, with the answer of send_sms as its
 *                                            result, which may be a tool failure
 *   ever unknown                             completed, whatever became known later
 */
#include "tools/sms_task.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/crypto.h"
#include "store/store_setting.h"
#include "tools/message_view.h"
#include "tools/tool_table.h"

/* Counts from the creation or, for a scheduled message, from send_at. */
#define SMS_TASK_TTL_MS (INT64_C(3) * CLOCK_MS_PER_DAY)

/* A task that changed recently may change again soon: poll after a tenth of its age. */
enum {
	SMS_TASK_POLL_MIN_MS = 5000,
	SMS_TASK_POLL_MAX_MS = 60000,
	SMS_TASK_POLL_DIVISOR = 10,
	SMS_TASK_IDENTITY_BYTES = SMS_TASK_NAME_BYTES + 32,
};

/* One message as it was read for a query; lives in the query's arena. */
struct sms_task {
	struct message message;
	enum policy_repeat repeat; /* of the call that began the task */
	bool was_unknown;	   /* at some time */
	int64_t change_ms;	   /* of the last line in its history */
};

_Static_assert((int)STORE_SETTING_SECRET_BYTES == MAC_KEY_BYTES, "a secret is a key");

static int sms_task_read_key(struct store *store, uint8_t key[MAC_KEY_BYTES])
{
	int error = store_setting_secret(store, "task", key);

	return error > 0 ? -ENOSPC : error;
}

/* What the MAC is computed over. */
static void sms_task_format_identity(char text[SMS_TASK_IDENTITY_BYTES],
				     int64_t client_id, const char *name)
{
	snprintf(text, SMS_TASK_IDENTITY_BYTES, "task %lld %s", (long long)client_id,
		 name);
}

const char *sms_task_repeat_mark(enum policy_repeat repeat)
{
	return repeat == POLICY_REPEAT_KEY    ? "r"
	       : repeat == POLICY_REPEAT_SAME ? "d"
					      : "";
}

bool sms_task_read_repeat(const char *mark, enum policy_repeat *repeat_out)
{
	for (enum policy_repeat repeat = POLICY_REPEAT_NONE; repeat <= POLICY_REPEAT_SAME;
	     repeat++) {
		if (strcmp(mark, sms_task_repeat_mark(repeat)) == 0) {
			*repeat_out = repeat;
			return true;
		}
	}
	return false;
}

/* A client that asked for a second message must learn that there is none. */
const char *sms_task_repeat_note(enum policy_repeat repeat)
{
	switch (repeat) {
	case POLICY_REPEAT_KEY:
		return " Nothing new was sent: this was asked for before.";
	case POLICY_REPEAT_SAME:
		return " Nothing new was sent: the same text to the same number was asked "
		       "for just before.";
	case POLICY_REPEAT_NONE:
		break;
	}
	return "";
}

/* A task's ID is its name (the message ID here) and a MAC. Returns NULL without memory or key. */
static const char *sms_task_make_id(const struct task_query *query, const char *name)
{
	char text[SMS_TASK_IDENTITY_BYTES], mac[MAC_TEXT_BYTES];
	uint8_t key[MAC_KEY_BYTES];

	sms_task_format_identity(text, query->client_id, name);
	if (sms_task_read_key(query->services->store, key) ||
	    !crypto_mac_write(key, text, mac))
		return NULL;
	return arena_printf(query->arena, "%s-%s", name, mac);
}

int sms_task_read_id(const struct task_query *query, char name_out[SMS_TASK_NAME_BYTES])
{
	size_t length = strcspn(query->id, "-");
	char text[SMS_TASK_IDENTITY_BYTES];
	uint8_t key[MAC_KEY_BYTES];
	int error;

	if (query->id[length] != '-' || length >= SMS_TASK_NAME_BYTES)
		return TASK_E_NOT_FOUND;
	memcpy(name_out, query->id, length);
	name_out[length] = '\0';
	error = sms_task_read_key(query->services->store, key);
	if (error)
		return error;
	sms_task_format_identity(text, query->client_id, name_out);
	return crypto_mac_is_valid(key, text, query->id + length + 1) ? 0
								      : TASK_E_NOT_FOUND;
}

static enum delivery sms_task_delivery(const struct sms_task *task)
{
	return store_message_delivery(&task->message, clock_wall_ms());
}

static enum task_status sms_task_status(const struct sms_task *task)
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
		return sms_task_delivery(task) == DELIVERY_AWAITED ? TASK_WORKING
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

/* A delivery report that does not come changes the task, but writes no history. */
static int64_t sms_task_changed_ms(const struct sms_task *task)
{
	if (task->message.state == STATE_SENT &&
	    sms_task_delivery(task) == DELIVERY_UNCONFIRMED)
		return task->message.changed_ms + DELIVERY_WAIT_MS;
	return task->change_ms;
}

static int64_t sms_task_due_ms(const struct sms_task *task)
{
	if (task->message.state != STATE_SENT || sms_task_status(task) != TASK_WORKING)
		return 0;
	return task->message.changed_ms + DELIVERY_WAIT_MS + 1;
}

static int64_t sms_task_ttl_ms(const struct message *message)
{
	int64_t ahead_ms = message->send_at_ms - message->created_ms;

	return SMS_TASK_TTL_MS + (message->send_at_ms && ahead_ms > 0 ? ahead_ms : 0);
}

static int64_t sms_task_poll_ms(int64_t unchanged_ms)
{
	int64_t poll_ms = unchanged_ms / SMS_TASK_POLL_DIVISOR;

	if (poll_ms < SMS_TASK_POLL_MIN_MS)
		return SMS_TASK_POLL_MIN_MS;
	return poll_ms < SMS_TASK_POLL_MAX_MS ? poll_ms : SMS_TASK_POLL_MAX_MS;
}

static const char *sms_task_format_status(const struct task_query *query,
					  const struct sms_task *task)
{
	const struct message *message = &task->message;
	const char *note = sms_task_repeat_note(task->repeat);

	if (message->state == STATE_SENT && sms_task_delivery(task) == DELIVERY_AWAITED)
		return arena_printf(query->arena,
				    "message %lld: accepted by the network, waiting for "
				    "the delivery report%s%s",
				    (long long)message->id, *note ? "." : "", note);
	return arena_printf(
		query->arena, "message %lld: %s. %s%s", (long long)message->id,
		message_state_name(message_state_shown(message->state, message->reason)),
		message_view_meaning(message->state,
				     message_view_reason(query->services, message),
				     message->segments),
		note);
}

/* Returns 0, TASK_E_NOT_FOUND if it is older than its ttlMs, or -errno. */
static int sms_task_describe(const struct task_query *query,
			     const struct sms_task *sms_task, struct task *task_out)
{
	const struct message *message = &sms_task->message;
	int64_t now_ms = clock_wall_ms();

	task_out->status = sms_task_status(sms_task);
	task_out->status_message = sms_task_format_status(query, sms_task);
	task_out->created_ms = message->created_ms;
	task_out->changed_ms = sms_task_changed_ms(sms_task);
	task_out->ttl_ms = sms_task_ttl_ms(message);
	task_out->poll_ms = sms_task_poll_ms(now_ms - task_out->changed_ms);
	task_out->due_ms = sms_task_due_ms(sms_task);
	task_out->subject =
		arena_printf(query->arena, "sms://message/%lld", (long long)message->id);
	task_out->data = sms_task;
	if (!task_out->subject)
		return -ENOMEM;
	/* a message that was created before the clock was set has no known age */
	if (task_out->created_ms >= CLOCK_SANE_MS &&
	    now_ms - task_out->created_ms > task_out->ttl_ms)
		return TASK_E_NOT_FOUND;
	return 0;
}

static void sms_task_read_change(void *data, const struct message_change *change)
{
	struct sms_task *task = data;

	task->was_unknown |= change->state == STATE_UNKNOWN;
	task->change_ms = change->at_ms;
}

int sms_task_read(const struct task_query *query, int64_t message_id,
		  enum policy_repeat repeat, struct task *task_out)
{
	struct store *store = query->services->store;
	struct sms_task *task = arena_alloc(query->arena, sizeof(*task));
	int error;

	if (!task)
		return -ENOMEM;
	task->repeat = repeat;
	error = store_message_get(store, message_id, query->arena, &task->message);
	if (!error && (task->message.direction != MESSAGE_OUTGOING ||
		       task->message.client_id != query->client_id))
		return TASK_E_NOT_FOUND;
	if (!error) {
		task->change_ms = task->message.changed_ms;
		error = store_message_changes(store, message_id, sms_task_read_change,
					      task);
	}
	if (error)
		return error == STORE_E_NOT_FOUND ? TASK_E_NOT_FOUND : error;
	return sms_task_describe(query, task, task_out);
}

const struct message *sms_task_message(const struct task *task)
{
	const struct sms_task *sms_task = task->data;

	return &sms_task->message;
}

/* Names with anything but a message ID and a mark are of other kinds. */
static int sms_task_find(const struct task_query *query, struct task *task_out)
{
	char name[SMS_TASK_NAME_BYTES], *end;
	int error = sms_task_read_id(query, name);
	enum policy_repeat repeat;
	long long message_id;

	if (error)
		return error;
	message_id = strtoll(name, &end, 10);
	return sms_task_read_repeat(end, &repeat)
		       ? sms_task_read(query, message_id, repeat, task_out)
		       : TASK_E_NOT_FOUND;
}

/* Rebuilds the call from the message, which is all that is left of it. */
static void sms_task_write_result(const struct task_query *query, const struct task *task,
				  struct json_writer *writer)
{
	const struct sms_task *sms_task = task->data;
	const struct message *message = &sms_task->message;
	struct tool_call call = {
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
	sms_answer_finish(&(struct sms_answer){ .order = &order,
						.repeat = sms_task->repeat,
						.message = *message,
						.is_task = true });
}

/* oFono's answer to a cancellation changes the message, which the client learns as usual. */
static int sms_task_cancel(const struct task_query *query, const struct task *task)
{
	const struct sms_task *sms_task = task->data;
	struct outbox_cancellation *recall = NULL;
	int outcome =
		outbox_cancel(query->services->outbox, sms_task->message.id, &recall);

	if (outcome == OUTBOX_E_CANCELLING)
		outbox_cancel_leave(recall);
	if (outcome == OUTBOX_E_STORAGE)
		return -ENOSPC;
	return outcome < 0 ? outcome : 0;
}

const struct task_kind sms_task_kind = {
	.find = sms_task_find,
	.write_result = sms_task_write_result,
	.cancel = sms_task_cancel,
};

bool sms_task_open(const struct sms_order *order, const struct task_kind *kind,
		   const char *name, struct task *task_out)
{
	const struct tool_call *call = order->call;
	struct task_query query = {
		.client_id = call->client->id,
		.services = call->services,
		.arena = call->arena,
	};

	if (order->wait_for != ORDER_WAIT_DELIVERED || !call->request ||
	    !task_is_welcome(call->request))
		return false;
	query.id = sms_task_make_id(&query, name);
	*task_out = (struct task){ .kind = kind, .id = query.id };
	return query.id && kind->find(&query, task_out) == 0 &&
	       task_out->status == TASK_WORKING;
}

bool sms_task_begin(const struct sms_answer *answer)
{
	char name[SMS_TASK_NAME_BYTES];
	struct task task;

	snprintf(name, sizeof(name), "%lld%s", (long long)answer->message.id,
		 sms_task_repeat_mark(answer->repeat));
	if (!sms_task_open(answer->order, &sms_task_kind, name, &task))
		return false;
	task_answer(answer->order->call->request, &task);
	return true;
}
