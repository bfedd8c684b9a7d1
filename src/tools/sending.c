/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/sending.h"

#include "base/clock.h"
#include "tools/message_view.h"

static const struct services *services_of(const struct sending *sending)
{
	return sending->order->call->services;
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
	       message->state == STATE_SCHEDULED ||
	       message->state == STATE_WAITING_APPROVAL;
}

static void stop_waiting(struct sending *sending)
{
	observer_remove(&sending->watch);
	sending->timer = sd_event_source_disable_unref(sending->timer);
}

static void finish(void *data)
{
	struct sending *sending = data;

	stop_waiting(sending);
	sending_answer(sending);
}

static void tell_progress(const struct sending *sending)
{
	message_view_tell_progress(sending->order->call, sending->message.id,
				   sending->message.state);
}

static void on_change(void *data, const void *event_data)
{
	const struct outbox_event *event = event_data;
	struct sending *sending = data;

	sending->message.state = event->state;
	sending->message.reason = event->reason;
	sending->message.delivery = event->delivery;
	sending->message.changed_ms = clock_wall_ms();
	tell_progress(sending);
	if (event->last || is_settled(sending))
		finish(sending);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	finish(data);
	return 0;
}

static void on_abandoned(void *data)
{
	/* The client left. Its message goes on: it was accepted, and may be on the air. */
	stop_waiting(data);
}

/* What another call asked for first is that call's to withdraw. */
static void on_cancelled(void *data)
{
	struct sending *sending = data;

	stop_waiting(sending);
	if (sending->repeat == REPEAT_NONE)
		outbox_withdraw(services_of(sending)->outbox, sending->message.id);
}

static const struct request_waiting waiting = {
	.abandoned = on_abandoned,
	.cancelled = on_cancelled,
	.stopping = finish,
};

static bool start_waiting(struct sending *sending)
{
	const struct services *services = services_of(sending);
	uint64_t usec = (uint64_t)sending->order->wait_seconds * 1000000;

	if (usec == 0 || !outbox_watch(services->outbox, sending->message.id,
				       &sending->watch, on_change, sending))
		return false;
	if (sd_event_add_time_relative(services->loop, &sending->timer, CLOCK_MONOTONIC,
				       usec, 0, on_timer, sending) < 0) {
		stop_waiting(sending);
		return false;
	}
	tool_call_wait(sending->order->call, &waiting, sending);
	tell_progress(sending);
	return true;
}

void sending_follow(struct sending *sending)
{
	if (sending->repeat != REPEAT_NONE)
		outbox_keep(services_of(sending)->outbox, sending->message.id);
	if (is_settled(sending) || !start_waiting(sending))
		sending_answer(sending);
}
