/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/sending.h"

#include "base/clock.h"
#include "tools/argument.h"
#include "tools/failure.h"
#include "tools/message_view.h"
#include "tools/sms_task.h"

static struct outbox *outbox_of(const struct sending *sending)
{
	const struct services *services = sending->order->call->services;

	return services->outbox;
}

/* There is nothing to wait for: it is so far, or never will be, or not for long. */
static bool is_settled(const struct sending *sending)
{
	const struct message *message = &sending->message;

	switch (sending->order->wait_for) {
	case ORDER_WAIT_NONE:
		return true;
	case ORDER_WAIT_DELIVERED:
		if (message->state == STATE_SENT && message->delivery == DELIVERY_AWAITED)
			return false;
		break;
	case ORDER_WAIT_SENT:
		break;
	}
	return message_state_is_final(message->state) ||
	       message->state == STATE_SCHEDULED;
}

static bool hear(void *data, const struct outbox_event *event)
{
	struct sending *sending = data;

	sending->message.state = event->state;
	sending->message.reason = event->reason;
	sending->message.delivery = event->delivery;
	sending->message.changed_ms = clock_wall_ms();
	return is_settled(sending);
}

/* What is told must not be forgotten with a loss of power. */
static void answer(void *data)
{
	const struct sending *sending = data;

	if (message_state_is_final(sending->message.state) ||
	    outbox_sync(outbox_of(sending)) == 0)
		sending_answer(sending);
	else
		failure_answer(sending->order->call, FAILURE_STORAGE_FULL,
			       "The phone's storage does not confirm that it has the "
			       "message, which may go out all the same.");
}

/* What another call asked for first is that call's to withdraw. */
static void withdraw(void *data)
{
	struct sending *sending = data;

	if (sending->repeat == POLICY_REPEAT_NONE)
		outbox_cancel_abandoned(outbox_of(sending), sending->message.id);
}

/* What waits holds no more than its answer is made of. */
static void forget(struct sending *sending)
{
	struct sms_order *order = sending->order;
	struct tool_call *call = order->call;

	if (!call->request || order->segments.unsendable ||
	    !argument_keep_text(call, "to_phone_number") ||
	    !request_forget(call->request))
		return;
	order->recipient = argument_text(call, "to_phone_number");
	order->text = sending->message.text = NULL;
	order->send_at = NULL;
	order->idempotency_key = order->idempotency_key ? "" : NULL;
}

void sending_follow(struct sending *sending)
{
	if (sending->repeat != POLICY_REPEAT_NONE)
		outbox_cancel_never_abandoned(outbox_of(sending), sending->message.id);
	if (sms_task_begin(sending))
		return;
	sending->watch = (struct watch){
		.hear = hear, .answer = answer, .cancelled = withdraw, .data = sending
	};
	if (is_settled(sending) ||
	    !watch_start(&sending->watch, sending->order->call, sending->message.id,
			 (uint64_t)sending->order->wait_seconds)) {
		answer(sending);
		return;
	}
	message_view_tell_progress(sending->order->call, sending->message.id,
				   sending->message.state);
	forget(sending);
}
