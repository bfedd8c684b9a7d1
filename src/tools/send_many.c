/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same steps as for one message (send_sms.c), with the policy for each recipient:
 *
 *   form checks -> choose the SIM -> policy for each row -> one question to the user, if any
 *      row needs it -> all accepted rows on disk in one commit -> wait for `wait_for` of all
 *      rows -> answer
 *
 * A refused row does not stop the others. The whole call is refused when all rows are, when
 * the idempotency_key belongs to another call, or when no SIM can be chosen. After a crash
 * before the commit nothing was accepted, after it every row was; a repeat of the call with its
 * idempotency_key finds out which (tests/integration/test_send_many.py).
 */
#include "tools/send_many.h"

#include <stdio.h>

#include "base/clock.h"
#include "mcp/elicitation.h"
#include "tools/many_answer.h"
#include "tools/many_task.h"
#include "tools/sms_answer.h"
#include "tools/sms_consent.h"
#include "tools/tool_wait.h"
#include "tools/user_question.h"

/* One call; lives in its arena. */
struct send_many {
	struct sms_batch batch;
	size_t settled; /* messages, as reported to the client */
	struct tool_wait wait;
};

/* Returns false if the call as a whole is refused, and answered. */
static bool send_many_judge(struct send_many *many)
{
	struct sms_batch *batch = &many->batch;
	bool any = false;

	sms_batch_judge(batch);
	for (size_t i = 0; i < batch->count; i++) {
		const struct sms_batch_row *row = &batch->rows[i];

		any |= !row->is_duplicate && !row->is_refused;
		if (!row->is_refused || row->refusal.failure != FAILURE_KEY_TAKEN)
			continue;
		tool_failure_answer_with(batch->order->call, &row->refusal, NULL, NULL);
		return false;
	}
	if (!any)
		many_answer_refuse(batch);
	return any;
}

/* Returns whether the row needs an approval that the user can also give. */
static bool send_many_row_needs_approval(const struct sms_batch_row *row)
{
	return sms_batch_row_is_new(row) && !row->order.needs_owner &&
	       user_question_approval_needed(row->order.call, row->order.sim_id,
					     row->order.number);
}

static bool send_many_needs_approval(const struct sms_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		if (send_many_row_needs_approval(&batch->rows[i]))
			return true;
	}
	return false;
}

static void send_many_audit_question(const struct sms_batch *batch)
{
	struct tool_call *call = batch->order->call;

	if (elicitation_is_resumed(call))
		return;
	for (size_t i = 0; i < batch->count; i++) {
		if (send_many_row_needs_approval(&batch->rows[i]))
			audit_user_asked(call->services->audit, call->client,
					 batch->rows[i].order.number);
	}
}

/*
 * One question for all rows. `unable` is not NULL if the SIM is to be chosen; then the rows are
 * judged again with it. Returns false if the call is answered, or the user is being asked.
 */
static bool send_many_ask(struct send_many *many, const struct refusal *unable)
{
	struct sms_batch *batch = &many->batch;
	struct sms_order *order = batch->order;
	bool needs_approval = send_many_needs_approval(batch);

	order->addressees = sms_batch_addressees(batch);
	if (!order->addressees) {
		tool_failure_answer(order->call, FAILURE_INTERNAL, NULL);
		return false;
	}
	if (needs_approval && user_question_can_ask(order->call))
		send_many_audit_question(batch);
	if (!sms_consent_get(order, needs_approval, unable) ||
	    (unable && !send_many_judge(many)))
		return false;
	for (size_t i = 0; i < batch->count; i++) {
		struct sms_batch_row *row = &batch->rows[i];

		row->order.approval = row->order.needs_owner ? ORDER_APPROVAL_AWAITED
				      : send_many_row_needs_approval(row)
					      ? order->approval
					      : ORDER_APPROVAL_NONE;
	}
	return true;
}

/* Returns false if the call is refused and answered, or the user is being asked. */
static bool send_many_prepare(struct send_many *many)
{
	struct sms_order *order = many->batch.order;
	struct sms_consent_sim sim;

	if (!sms_consent_find_sim(order, &sim))
		return false;
	if (!send_many_judge(many))
		return false;
	if (!sms_batch_count_new(&many->batch))
		return true;
	if (sim.chosen || sim.asks)
		return send_many_ask(many, sim.asks ? &sim.refusal : NULL);
	tool_failure_answer_with(order->call, &sim.refusal, NULL, NULL);
	return false;
}

static void send_many_audit_refusals(const struct sms_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		const struct sms_batch_row *row = &batch->rows[i];

		if (row->is_refused)
			tool_failure_audit(row->order.call, row->refusal.failure,
					   row->order.recipient);
	}
}

/* Returns false if nothing was stored, and the call is answered. */
static bool send_many_submit(struct send_many *many)
{
	struct sms_batch *batch = &many->batch;
	int error = sms_batch_count_new(batch) ? sms_batch_accept(batch) : 0;

	if (error)
		sms_answer_not_accepted(batch->order->call, error);
	else
		send_many_audit_refusals(batch);
	return !error;
}

/* ---- waiting ------------------------------------------------------------------------- */

static bool send_many_is_settled(const struct sms_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		const struct message *message = &batch->rows[i].message;

		if (message->id && !sms_answer_is_settled(batch->order, message))
			return false;
	}
	return true;
}

static void send_many_report_progress(struct send_many *many)
{
	const struct sms_batch *batch = &many->batch;
	size_t accepted = 0, settled = 0;
	char text[64];

	for (size_t i = 0; i < batch->count; i++) {
		const struct message *message = &batch->rows[i].message;

		accepted += message->id != 0;
		settled += message->id && sms_answer_is_settled(batch->order, message);
	}
	if (settled == many->settled)
		return;
	many->settled = settled;
	snprintf(text, sizeof(text), "%zu of %zu messages done", settled, accepted);
	tool_call_progress(batch->order->call, text);
}

/* edit_sms changed the message: the answer is about what it is now. */
static void send_many_follow_edit(struct sms_batch_row *row)
{
	struct tool_call *call = row->order.call;
	struct message edited;

	if (store_message_get(call->services->store, row->message.id, call->arena,
			      &edited))
		return;
	row->message.send_at_ms = edited.send_at_ms;
	snprintf(row->order.number, sizeof(row->order.number), "%s", edited.number);
}

static void send_many_on_change(void *data, const void *event_data)
{
	const struct outbox_event *event = event_data;
	struct send_many *many = data;
	struct sms_batch *batch = &many->batch;

	for (size_t i = 0; i < batch->count; i++) {
		struct message *message = &batch->rows[i].message;

		if (message->id != event->message_id)
			continue;
		message->state = event->state;
		message->reason = event->reason;
		message->delivery = event->delivery;
		message->changed_ms = clock_wall_ms();
		if (event->edited)
			send_many_follow_edit(&batch->rows[i]);
		send_many_report_progress(many);
		if (send_many_is_settled(batch))
			tool_wait_finish(&many->wait);
		return;
	}
}

static void send_many_answer(void *data)
{
	const struct send_many *many = data;

	many_answer_finish(&many->batch);
}

/* Messages that another call asked for first are not withdrawn. */
static void send_many_on_cancelled(void *data)
{
	const struct send_many *many = data;
	const struct sms_batch *batch = &many->batch;

	for (size_t i = 0; i < batch->count; i++) {
		if (sms_batch_row_is_new(&batch->rows[i]))
			outbox_cancel_abandoned(batch->order->call->services->outbox,
						batch->rows[i].message.id);
	}
}

static void send_many_follow(struct send_many *many)
{
	struct sms_batch *batch = &many->batch;
	struct tool_call *call = batch->order->call;
	struct outbox *outbox = call->services->outbox;

	for (size_t i = 0; i < batch->count; i++) {
		if (batch->rows[i].repeat != POLICY_REPEAT_NONE)
			outbox_cancel_never_abandoned(outbox, batch->rows[i].message.id);
	}
	if (many_task_begin(batch))
		return;
	many->wait = (struct tool_wait){
		.answer = send_many_answer,
		.cancelled = send_many_on_cancelled,
		.data = many,
	};
	if (send_many_is_settled(batch)) {
		send_many_answer(many);
		return;
	}
	observer_add(outbox_observers(outbox), &many->wait.observer, send_many_on_change,
		     many);
	if (!tool_wait_start(&many->wait, call, (uint64_t)batch->order->wait_seconds))
		send_many_answer(many);
}

static void send_many_dry_run(struct send_many *many)
{
	struct sms_order *order = many->batch.order;
	struct refusal refusal;
	bool chosen;

	if (!sms_order_pass(order, sms_order_form_checks))
		return;
	chosen = (*sms_order_sim_checks)(order, &refusal);
	sms_batch_judge(&many->batch);
	many_answer_dry_run(&many->batch, chosen ? NULL : &refusal);
}

void send_many(struct sms_order *order)
{
	struct send_many *many = arena_alloc(order->call->arena, sizeof(*many));

	if (!many || !sms_batch_read(&many->batch, order))
		tool_failure_answer(order->call, FAILURE_INTERNAL, NULL);
	else if (order->dry_run)
		send_many_dry_run(many);
	else if (send_many_prepare(many) && send_many_submit(many))
		send_many_follow(many);
}
