/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results are short, because there may be a hundred: what all rows have in common is said once,
 * and what an error means and what to do about it is in the first row that has its code.
 *
 *   row                                      result
 *   refused                                  error
 *   accepted now, or by an earlier call      message_id, status
 *   failed, unknown, expired, cancelled      message_id, status, error
 *
 * The call fails only if nothing was accepted.
 */
#include "tools/many_answer.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "policy/price.h"
#include "tools/message_view.h"
#include "tools/user_question.h"
#include "tools/view.h"

enum { MANY_ANSWER_ID_BYTES = 32 };

static const struct schema_field many_answer_error_fields[] = {
	{ "code", SCHEMA_STRING, true, "As in an error of send_sms" },
	{ "message", SCHEMA_STRING, true, "What is wrong" },
	{ "retry_after_seconds", SCHEMA_INTEGER, false, "When it may be accepted" },
	{ "fits", SCHEMA_INTEGER, false, "How many messages are accepted then" },
	{ "fix", SCHEMA_STRING, false, "What to do; only the first time" },
	{ 0 },
};

const struct schema_field many_answer_fields[] = {
	{ "to_phone_number", SCHEMA_STRING, true, "Recipient" },
	{ "message_id", SCHEMA_INTEGER, false, "Accepted: identifies the message" },
	{ "state", SCHEMA_STRING, false, "Accepted: its state" },
	{ "send_at", SCHEMA_STRING, false, "Scheduled: when it is sent" },
	{ "error", SCHEMA_OBJECT, false, "Refused or failed: why",
	  .members = many_answer_error_fields },
	{ 0 },
};

/* ---- rows ---------------------------------------------------------------------------- */

/* Returns the failure of a row that was accepted; FAILURE_COUNT if it has none. */
static int many_answer_failure(const struct sms_batch_row *row)
{
	switch (row->message.state) {
	case STATE_FAILED:
		return failure_of_code(row->message.reason);
	case STATE_CANCELLED:
		return FAILURE_CANCELLED;
	case STATE_UNKNOWN:
		return FAILURE_UNKNOWN_OUTCOME;
	case STATE_EXPIRED:
		return FAILURE_EXPIRED;
	default:
		return FAILURE_COUNT;
	}
}

static int many_answer_row_failure(const struct sms_batch_row *row)
{
	if (row->is_refused)
		return row->refusal.failure;
	return row->message.id ? many_answer_failure(row) : FAILURE_COUNT;
}

/* Returns the first row that has this failure: perhaps `row` itself. */
static const struct sms_batch_row *many_answer_first(const struct sms_batch *batch,
						     const struct sms_batch_row *row)
{
	const struct sms_batch_row *first = batch->rows;

	while (first->is_duplicate ||
	       many_answer_row_failure(first) != many_answer_row_failure(row))
		first++;
	return first;
}

/* A refused one is named as the caller wrote it: read otherwise, it may be another number. */
static const char *many_answer_recipient(const struct sms_batch_row *row)
{
	if (row->is_refused)
		return row->order.recipient;
	return *row->order.number ? row->order.number : row->order.recipient;
}

static const char *many_answer_error(const struct sms_batch_row *row)
{
	const char *message =
		row->is_refused
			? row->refusal.message
			: message_view_meaning(row->message.state, row->message.reason,
					       row->message.segments);

	return message ? message : "";
}

/* What the first row with this failure says is not repeated. */
static void many_answer_put_words(struct json_writer *writer,
				  const struct sms_batch_row *row,
				  const struct sms_batch_row *first)
{
	const char *message = many_answer_error(row);
	const struct refusal *refusal = &row->refusal;
	bool is_same =
		row != first && row->is_refused == first->is_refused &&
		refusal->retry_after_seconds == first->refusal.retry_after_seconds &&
		refusal->fits == first->refusal.fits && *message &&
		strcmp(message, many_answer_error(first)) == 0;

	if (is_same)
		message = arena_printf(row->order.call->arena, "As for %s.",
				       many_answer_recipient(first));
	json_put_string(writer, "message", message ? message : "");
	if (is_same)
		return;
	if (refusal->retry_after_seconds)
		json_put_integer(writer, "retry_after_seconds",
				 refusal->retry_after_seconds);
	if (refusal->fits)
		json_put_integer(writer, "fits", refusal->fits);
}

static void many_answer_put_error(struct json_writer *writer,
				  const struct sms_batch *batch,
				  const struct sms_batch_row *row)
{
	const struct sms_batch_row *first;
	const struct failure_words *words;
	int failure = many_answer_row_failure(row);

	if (failure == FAILURE_COUNT)
		return;
	first = many_answer_first(batch, row);
	words = failure_words((enum failure)failure);
	json_open_object_at(writer, "error");
	json_put_string(writer, "code", words->code);
	many_answer_put_words(writer, row, first);
	if (first == row) {
		json_put_boolean(writer, "retryable", words->retryable);
		tool_call_put_fix(row->order.call, writer,
				  row->is_refused ? failure_fix(&row->refusal)
						  : words->fix);
	}
	json_close_object(writer);
}

static void many_answer_put_message(struct json_writer *writer,
				    const struct sms_batch_row *row)
{
	const struct message *message = &row->message;

	json_put_integer(writer, "message_id", message->id);
	json_put_string(
		writer, "state",
		message_state_name(message_state_shown(message->state, message->reason)));
	if (message->send_at_ms && message_state_is_waiting(message->state))
		view_put_time(writer, "send_at", message->send_at_ms);
	if (row->order.wait_for == ORDER_WAIT_DELIVERED)
		json_put_string(writer, "delivery",
				store_message_delivery_name(store_message_delivery(
					message, clock_wall_ms())));
	if (message->state == STATE_WAITING_APPROVAL && *message->reason)
		json_put_string(writer, "approval_reason", message->reason);
	if (row->repeat == POLICY_REPEAT_KEY)
		json_put_boolean(writer, "replayed", true);
	if (row->repeat == POLICY_REPEAT_SAME)
		json_put_boolean(writer, "duplicate", true);
}

/* Writes the forecast of a dry run. */
static void many_answer_put_forecast(struct json_writer *writer,
				     const struct sms_batch_row *row)
{
	const struct sms_order *order = &row->order;

	json_put_boolean(writer, "would_send", sms_batch_row_is_new(row));
	if (row->repeat != POLICY_REPEAT_NONE)
		json_put_integer(writer, "repeats_message_id", row->message.id);
	if (!sms_batch_row_is_new(row))
		return;
	if (order->send_at_ms)
		view_put_time(writer, "send_at", order->send_at_ms);
	if (order->needs_owner ||
	    user_question_approval_needed(order->call, order->sim_id, order->number))
		json_put_string(writer, "approval", "required");
	if (order->needs_owner)
		json_put_string(writer, "approval_reason",
				failure_words(order->needs_owner->failure)->code);
}

static void many_answer_put_rows(struct json_writer *writer,
				 const struct sms_batch *batch)
{
	json_open_array_at(writer, "results");
	for (size_t i = 0; i < batch->count; i++) {
		const struct sms_batch_row *row = &batch->rows[i];
		const struct sms_order *order = &row->order;

		if (row->is_duplicate)
			continue;
		json_open_object(writer);
		json_put_string(writer, "to_phone_number", many_answer_recipient(row));
		if (order->dry_run)
			many_answer_put_forecast(writer, row);
		else if (row->message.id)
			many_answer_put_message(writer, row);
		if (!order->dry_run || row->is_refused)
			many_answer_put_error(writer, batch, row);
		json_close_object(writer);
	}
	json_close_array(writer);
}

/* ---- all of them --------------------------------------------------------------------- */

static size_t many_answer_count(const struct sms_batch *batch)
{
	size_t count = 0;

	for (size_t i = 0; i < batch->count; i++)
		count += !batch->rows[i].is_duplicate;
	return count;
}

static void many_answer_put_all(struct json_writer *writer, const void *data)
{
	const struct sms_batch *batch = data;
	size_t refused = sms_batch_count_refused(batch);

	json_put_integer(writer, "accepted",
			 (int64_t)(many_answer_count(batch) - refused));
	json_put_integer(writer, "refused", (int64_t)refused);
	many_answer_put_rows(writer, batch);
}

/* Of the new messages together, if each has a price and all are in one currency. */
static void many_answer_put_cost(struct json_writer *writer,
				 const struct sms_batch *batch)
{
	const struct services *services = batch->order->call->services;
	struct price sum = { 0 }, price;

	for (size_t i = 0; i < batch->count; i++) {
		const struct sms_order *order = &batch->rows[i].order;

		if (!sms_batch_row_is_new(&batch->rows[i]))
			continue;
		if (!price_find(services->policy, order->sim_id, order->number,
				order->segments.count, &price))
			return;
		if (!*sum.currency)
			sum = price;
		else if (!price_add(&sum, &price))
			return;
	}
	if (*sum.currency)
		view_write_cost(writer, &sum);
}

static void many_answer_write(struct json_writer *writer, const struct sms_batch *batch)
{
	const struct sms_order *order = batch->order;

	json_open_object(writer);
	if (order->dry_run) {
		json_put_boolean(writer, "dry_run", true);
		json_put_boolean(writer, "would_send",
				 sms_batch_count_new(batch) == many_answer_count(batch));
	}
	many_answer_put_all(writer, batch);
	if (order->sim_id)
		json_put_integer(writer, "subscription_id", order->sim_id);
	json_put_integer(writer, "segments", order->segments.count);
	many_answer_put_cost(writer, batch);
	json_put_string(writer, "encoding",
			segments_encoding_name(order->segments.encoding));
	json_close_object(writer);
}

static size_t many_answer_count_state(const struct sms_batch *batch,
				      enum message_state state, bool repeats)
{
	size_t count = 0;

	for (size_t i = 0; i < batch->count; i++) {
		const struct sms_batch_row *row = &batch->rows[i];

		count += row->message.id && row->message.state == state &&
			 (row->repeat != POLICY_REPEAT_NONE) == repeats;
	}
	return count;
}

/*
 * "3 sent, 2 scheduled": of this call, or of earlier ones that it repeats. Returns NULL if memory
 * runs out. So for all functions here that return text.
 */
static const char *many_answer_format_states(const struct sms_batch *batch, bool repeats)
{
	const char *list = "";

	for (enum message_state state = 0; list && state <= STATE_LAST; state++) {
		size_t count = many_answer_count_state(batch, state, repeats);

		if (count)
			list = arena_printf(batch->order->call->arena, "%s%s%zu %s", list,
					    *list ? ", " : "", count,
					    message_state_name(state));
	}
	return list;
}

/* Would a repeat with the caller's key find the same failure again? */
static bool many_answer_has_keyed_failure(const struct sms_batch *batch)
{
	const struct sms_order *order = batch->order;

	for (size_t i = 0; order->list_key && !order->key_is_ours && i < batch->count;
	     i++) {
		const struct sms_batch_row *row = &batch->rows[i];

		if (row->message.id && many_answer_failure(row) != FAILURE_COUNT)
			return true;
	}
	return false;
}

/* Returns "17 to +36201234567, +36301: invalid_number": what the caller has to know of each. */
static const char *many_answer_format_rows(const struct sms_batch *batch)
{
	struct arena *arena = batch->order->call->arena;
	struct buffer rows = BUFFER_INIT;
	const char *text;

	for (size_t i = 0; i < batch->count; i++) {
		const struct sms_batch_row *row = &batch->rows[i];
		char id[MANY_ANSWER_ID_BYTES];

		if (row->is_duplicate || (!row->message.id && !row->is_refused))
			continue;
		snprintf(id, sizeof(id), "%lld to ", (long long)row->message.id);
		buffer_append_text(&rows, rows.length ? ", " : "");
		buffer_append_text(&rows, row->message.id ? id : "");
		buffer_append_text(&rows, many_answer_recipient(row));
		if (!row->is_refused)
			continue;
		buffer_append_text(&rows, ": ");
		buffer_append_text(&rows, failure_words(row->refusal.failure)->code);
	}
	buffer_append(&rows, "", 1);
	text = rows.failed ? NULL : arena_copy(arena, rows.data, rows.length - 1);
	buffer_deinit(&rows);
	return text;
}

/* Returns sentences about what the caller may not expect; each begins with a space. */
static const char *many_answer_format_notes(const struct sms_batch *batch)
{
	size_t duplicates = batch->count - many_answer_count(batch), repeats = 0;
	size_t refused = sms_batch_count_refused(batch);
	struct arena *arena = batch->order->call->arena;
	const char *states = many_answer_format_states(batch, true), *text = "";

	for (size_t i = 0; i < batch->count; i++)
		repeats += batch->rows[i].repeat != POLICY_REPEAT_NONE;
	if (refused)
		text = arena_printf(arena, " %zu refused: each has an error.", refused);
	if (text && states && repeats)
		text = arena_printf(
			arena,
			"%s %zu accepted by an earlier call, and not sent again (now %s).",
			text, repeats, states);
	if (text && duplicates)
		text = arena_printf(arena, "%s %zu in the list twice, and sent once.",
				    text, duplicates);
	if (text && many_answer_has_keyed_failure(batch))
		text = arena_printf(
			arena,
			"%s Another try for those that failed needs a new idempotency_key.",
			text);
	return text;
}

static bool many_answer_is_pending(const struct sms_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		if (batch->rows[i].message.id &&
		    !message_state_is_final(batch->rows[i].message.state))
			return true;
	}
	return false;
}

static void many_answer_succeed(const struct sms_batch *batch, const char *text)
{
	struct buffer structured = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&structured);

	if (writer) {
		many_answer_write(writer, batch);
		json_writer_free(writer);
	}
	tool_call_succeed(batch->order->call, text, &structured, true);
}

void many_answer_finish(const struct sms_batch *batch)
{
	struct arena *arena = batch->order->call->arena;
	const char *states = many_answer_format_states(batch, false);
	const char *notes = many_answer_format_notes(batch);
	const char *rows = many_answer_format_rows(batch);
	size_t count = many_answer_count(batch);
	const char *begin = "Nothing new was sent";

	if (states && *states)
		begin = arena_printf(arena, "%zu of %zu messages accepted: %s",
				     count - sms_batch_count_refused(batch), count,
				     states);
	many_answer_succeed(
		batch,
		states && begin && notes && rows
			? arena_printf(arena, "%s.%s%s Messages: %s.", begin,
				       many_answer_is_pending(batch)
					       ? " What is not sent yet goes out by "
						 "itself; do not send it again."
					       : "",
				       notes, rows)
			: NULL);
}

void many_answer_put_status(struct json_writer *writer, const struct sms_batch *batch)
{
	const char *states = many_answer_format_states(batch, false);
	const char *meaning =
		states ? arena_printf(
				 batch->order->call->arena,
				 "%zu messages: %s. A recipient that is not here was "
				 "refused, and nothing was sent to it.",
				 batch->count, states)
		       : NULL;

	json_put_string(writer, "meaning", meaning ? meaning : "");
	many_answer_put_rows(writer, batch);
}

void many_answer_refuse(const struct sms_batch *batch)
{
	const struct sms_batch_row *row = batch->rows;
	struct refusal refusal;

	while (!row->is_refused)
		row++;
	refusal = row->refusal;
	if (refusal.message && sms_batch_count_refused(batch) > 1)
		refusal.message = arena_printf(
			batch->order->call->arena,
			"None of the %zu messages was accepted. The first: %s",
			sms_batch_count_refused(batch), refusal.message);
	tool_failure_answer_with(batch->order->call, &refusal, many_answer_put_all,
				 batch);
}

/* Those that would wait for a limit. */
static size_t many_answer_count_later(const struct sms_batch *batch)
{
	size_t count = 0;

	for (size_t i = 0; i < batch->count; i++) {
		const struct sms_order *order = &batch->rows[i].order;

		count += sms_batch_row_is_new(&batch->rows[i]) &&
			 order->send_at_ms != order->wished_ms;
	}
	return count;
}

void many_answer_dry_run(const struct sms_batch *batch, const struct refusal *unable)
{
	struct arena *arena = batch->order->call->arena;
	const char *notes = many_answer_format_notes(batch);
	size_t later = many_answer_count_later(batch);

	if (later)
		notes = notes ? arena_printf(arena, " %zu of them later, see send_at.%s",
					     later, notes)
			      : NULL;
	many_answer_succeed(
		batch,
		notes ? arena_printf(arena,
				     "Dry run, nothing was sent: %zu of %zu messages "
				     "would be, %u segment%s each.%s%s%s",
				     sms_batch_count_new(batch), many_answer_count(batch),
				     batch->order->segments.count,
				     batch->order->segments.count == 1 ? "" : "s", notes,
				     unable ? " " : "",
				     unable && unable->message ? unable->message : "")
		      : NULL);
}
