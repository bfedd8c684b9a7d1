/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each row is an order of its own, as if the call had this recipient alone. Two things connect
 * the rows:
 *
 *  - The plan: what earlier rows will use of the limits, so that all rows together keep them.
 *  - The key: a caller's idempotency_key covers all rows. Each row is stored with a key of its
 *    own: the caller's key, a digest of the list of recipients, and the recipient. So a repeat
 *    of the call finds the message of each row, a row that was refused can be tried again, and
 *    the same key with another list is found and refused (src/policy/policy_rules.c). The
 *    digest is of the numbers as they were written, because the SIM, whose country decides
 *    what a number means, may be gone when the call is repeated, and a sender may be known by
 *    then who was not (sms_order_complete_sender()).
 */
#include "tools/sms_batch.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "store/store_party.h"
#include "tools/user_question.h"

/*
 * As written but without separators, or just as written if it is no number. Returns NULL if memory
 * runs out.
 */
static const char *sms_batch_spelling(const struct sms_batch *batch,
				      const char *recipient)
{
	char number[PHONE_NUMBER_BYTES];

	if (phone_number_parse(recipient, number) != PHONE_NUMBER_OK)
		return recipient;
	return arena_copy(batch->order->call->arena, number, strlen(number));
}

/*
 * Writes the key of each row into its order. `spellings` are those of all rows. Returns false if
 * memory runs out.
 */
static bool sms_batch_make_keys(struct sms_batch *batch, const char *const *spellings)
{
	struct sms_order *order = batch->order;
	struct arena *arena = order->call->arena;
	uint64_t digest = 0; /* does not depend on the sequence, nor on repetitions */

	if (!order->idempotency_key)
		return true;
	for (size_t i = 0; i < batch->count; i++) {
		size_t first = 0;

		while (strcmp(spellings[first], spellings[i]) != 0)
			first++;
		if (first == i)
			digest +=
				hash_add(HASH_START, spellings[i], strlen(spellings[i]));
	}
	order->list_key = order->idempotency_key;
	order->list_prefix = arena_printf(
		arena, "%s" STORE_MESSAGE_LIST_MARK "%016" PRIx64 STORE_MESSAGE_LIST_MARK,
		order->list_key, digest);
	for (size_t i = 0; order->list_prefix && i < batch->count; i++) {
		batch->rows[i].order.idempotency_key =
			arena_printf(arena, "%s%s", order->list_prefix, spellings[i]);
		if (!batch->rows[i].order.idempotency_key)
			return false;
	}
	return order->list_prefix;
}

bool sms_batch_read(struct sms_batch *batch, struct sms_order *order)
{
	struct arena *arena = order->call->arena;
	size_t count = order->recipients->count, i = 0;
	const char **spellings = arena_alloc(arena, count * sizeof(*spellings));

	*batch = (struct sms_batch){
		.order = order,
		.rows = arena_alloc(arena, count * sizeof(*batch->rows)),
		.count = count,
		.plan.items = arena_alloc(arena, count * sizeof(*batch->plan.items)),
		.sim_plan.items =
			arena_alloc(arena, count * sizeof(*batch->sim_plan.items)),
	};
	if (!batch->rows || !batch->plan.items || !batch->sim_plan.items || !spellings)
		return false;
	json_foreach (recipient, order->recipients) {
		batch->rows[i].order.recipient =
			sms_order_complete_sender(order, recipient->text);
		spellings[i] = sms_batch_spelling(batch, recipient->text);
		if (!spellings[i++])
			return false;
	}
	return sms_batch_make_keys(batch, spellings);
}

bool sms_batch_restore(struct sms_batch *batch, struct sms_order *order,
		       const struct message *messages, size_t count)
{
	*batch = (struct sms_batch){
		.order = order,
		.rows = arena_alloc(order->call->arena, count * sizeof(*batch->rows)),
	};
	batch->count = batch->rows ? count : 0;
	for (size_t i = 0; i < batch->count; i++) {
		struct sms_batch_row *row = &batch->rows[i];

		*row = (struct sms_batch_row){ .order = *order, .message = messages[i] };
		row->order.recipient = row->message.number;
	}
	return batch->rows;
}

/* The order of the call becomes one of this recipient. */
static void sms_batch_begin_row(const struct sms_batch *batch, struct sms_batch_row *row)
{
	const struct sms_order own = row->order;
	struct sms_order *order = &row->order;
	int64_t sim_id;

	*row = (struct sms_batch_row){ .order = *batch->order };
	order->recipient = own.recipient;
	order->idempotency_key = own.idempotency_key;
	order->recipients = NULL;
	order->number[0] = '\0';
	sms_order_read_number(order);
	if (!*order->number)
		return;
	sim_id = sms_order_request(order).sim_id;
	policy_normalise_number(order->call->services->policy, sim_id, order->number);
	if (!store_party_form(order->call->services->store, sim_id, order->number,
			      row->form))
		row->form[0] = '\0';
}

static bool sms_batch_has_before(const struct sms_batch *batch,
				 const struct sms_batch_row *row)
{
	for (const struct sms_batch_row *before = batch->rows; before < row; before++) {
		if (*row->form && strcmp(before->form, row->form) == 0)
			return true;
	}
	return false;
}

/* Until it is stored, a message that goes out later counts as accepted when it goes out. */
static void sms_batch_plan(struct sms_batch *batch, const struct sms_order *order)
{
	bool is_moved = order->send_at_ms != order->wished_ms;

	batch->plan.items[batch->plan.count++] = (struct limit_planned){
		.at_ms = order->send_at_ms,
		.accepted_ms = is_moved ? order->send_at_ms : 0,
		.segments = order->segments.count,
	};
}

/* A row of a dry run that is to go out now, and that the limits of the SIM may hold up. */
static void sms_batch_find_wait(struct sms_batch *batch, struct sms_order *order)
{
	if (order->send_at_ms || order->needs_owner ||
	    user_question_approval_needed(order->call, order->sim_id, order->number))
		return;
	order->send_at_ms = sms_order_sim_free(order, &batch->sim_plan);
	batch->sim_plan.items[batch->sim_plan.count++] = (struct limit_planned){
		.at_ms = order->send_at_ms,
		.segments = order->segments.count,
	};
}

static void sms_batch_judge_row(struct sms_batch *batch, struct sms_batch_row *row)
{
	const sms_order_check *check = sms_order_acceptance_checks;
	struct policy_verdict verdict;

	switch (sms_order_judge(&row->order, &batch->plan, &verdict)) {
	case POLICY_E_REFUSED:
		row->is_refused = true;
		row->refusal = sms_order_refusal(&row->order, &verdict);
		return;
	case POLICY_E_REPEAT:
		row->repeat = verdict.repeat;
		row->message = verdict.first;
		return;
	}
	while (*check && (*check)(&row->order, &row->refusal))
		check++;
	row->is_refused = *check;
	if (row->is_refused)
		return;
	sms_batch_plan(batch, &row->order);
	if (row->order.dry_run)
		sms_batch_find_wait(batch, &row->order);
}

void sms_batch_judge(struct sms_batch *batch)
{
	batch->plan.count = batch->sim_plan.count = 0;
	for (size_t i = 0; i < batch->count; i++) {
		struct sms_batch_row *row = &batch->rows[i];

		sms_batch_begin_row(batch, row);
		row->is_duplicate = sms_batch_has_before(batch, row);
		if (!row->is_duplicate)
			sms_batch_judge_row(batch, row);
	}
}

bool sms_batch_row_is_new(const struct sms_batch_row *row)
{
	return !row->is_duplicate && !row->is_refused &&
	       row->repeat == POLICY_REPEAT_NONE;
}

size_t sms_batch_count_new(const struct sms_batch *batch)
{
	size_t count = 0;

	for (size_t i = 0; i < batch->count; i++)
		count += sms_batch_row_is_new(&batch->rows[i]);
	return count;
}

size_t sms_batch_count_refused(const struct sms_batch *batch)
{
	size_t count = 0;

	for (size_t i = 0; i < batch->count; i++)
		count += batch->rows[i].is_refused;
	return count;
}

/* A limit may end until the user has answered, so what it refuses is also asked for. */
const char *sms_batch_addressees(const struct sms_batch *batch)
{
	struct arena *arena = batch->order->call->arena;
	const char *list = "";

	for (size_t i = 0; list && i < batch->count; i++) {
		const struct sms_batch_row *row = &batch->rows[i];

		if (row->order.needs_owner) /* only the owner can approve it */
			continue;
		if (sms_batch_row_is_new(row) ||
		    (row->is_refused && failure_words(row->refusal.failure)->retryable))
			list = arena_printf(arena, "%s%s%s", list, *list ? ", " : "",
					    row->order.number);
	}
	return list;
}

int sms_batch_accept(struct sms_batch *batch)
{
	struct tool_call *call = batch->order->call;
	size_t count = sms_batch_count_new(batch), at = 0;
	struct store_message_draft *drafts =
		arena_alloc(call->arena, count * sizeof(*drafts));
	int64_t *message_ids = arena_alloc(call->arena, count * sizeof(*message_ids));
	int error;

	if (!drafts || !message_ids)
		return -ENOMEM;
	for (size_t i = 0; i < batch->count; i++) {
		if (sms_batch_row_is_new(&batch->rows[i]))
			drafts[at++] = sms_order_draft(&batch->rows[i].order);
	}
	error = outbox_accept_all(call->services->outbox, drafts, count, message_ids);
	if (error)
		return error;
	for (size_t i = 0, stored = 0; i < batch->count; i++) {
		struct sms_batch_row *row = &batch->rows[i];

		if (!sms_batch_row_is_new(row))
			continue;
		row->message = sms_order_message(&drafts[stored]);
		row->message.id = message_ids[stored++];
	}
	return 0;
}
