/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The messages of a call have consecutive IDs, because one commit stored them. So the name of
 * the task is the first ID and their number, "12+4", and nothing else is stored. If the call
 * only repeats an earlier one, a mark follows: then the result says that nothing new was sent.
 *
 *   messages                        task
 *   one of them is working          working
 *   all cancelled                   cancelled
 *   otherwise                       completed, with a result for each recipient
 *
 * Its changes are reported with those of the last message, which usually is the last to leave.
 */
#include "tools/many_task.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/many_answer.h"
#include "tools/sms_task.h"
#include "tools/tool_table.h"

/* The messages, each as a task of its own; lives in the query's arena. */
struct many_task {
	enum policy_repeat repeat; /* of the call, with all its messages */
	size_t count;
	struct task tasks[ORDER_RECIPIENTS_MAX];
};

static size_t many_task_count(const struct many_task *many, enum task_status status)
{
	size_t count = 0;

	for (size_t i = 0; i < many->count; i++)
		count += many->tasks[i].status == status;
	return count;
}

static int64_t many_task_later(int64_t one_ms, int64_t other_ms)
{
	return one_ms > other_ms ? one_ms : other_ms;
}

static void many_task_describe(const struct task_query *query,
			       const struct many_task *many, struct task *task_out)
{
	size_t working = many_task_count(many, TASK_WORKING);
	const char *note = sms_task_repeat_note(many->repeat);

	*task_out = (struct task){
		.kind = task_out->kind,
		.id = task_out->id,
		.status = working ? TASK_WORKING : TASK_COMPLETED,
		.status_message = arena_printf(
			query->arena, "%zu of %zu messages done%s%s",
			many->count - working, many->count, *note ? "." : "", note),
		.created_ms = many->tasks[0].created_ms,
		.poll_ms = many->tasks[0].poll_ms,
		.subject = many->tasks[many->count - 1].subject,
		.data = many,
	};
	if (many_task_count(many, TASK_CANCELLED) == many->count)
		task_out->status = TASK_CANCELLED;
	for (size_t i = 0; i < many->count; i++) {
		const struct task *task = &many->tasks[i];

		task_out->changed_ms =
			many_task_later(task_out->changed_ms, task->changed_ms);
		task_out->ttl_ms = many_task_later(task_out->ttl_ms, task->ttl_ms);
		task_out->due_ms = many_task_later(task_out->due_ms, task->due_ms);
		if (task->poll_ms < task_out->poll_ms)
			task_out->poll_ms = task->poll_ms;
	}
}

static int many_task_find(const struct task_query *query, struct task *task_out)
{
	char name[SMS_TASK_NAME_BYTES], *end;
	int error = sms_task_read_id(query, name);
	enum policy_repeat repeat;
	struct many_task *many;
	long long first_id, count;

	if (error)
		return error;
	first_id = strtoll(name, &end, 10);
	if (*end != '+')
		return TASK_E_NOT_FOUND;
	count = strtoll(end + 1, &end, 10);
	if (!sms_task_read_repeat(end, &repeat) || count < 1 ||
	    count > ORDER_RECIPIENTS_MAX)
		return TASK_E_NOT_FOUND;
	many = arena_alloc(query->arena, sizeof(*many));
	if (!many)
		return -ENOMEM;
	many->repeat = repeat;
	for (; !error && many->count < (size_t)count; many->count++)
		error = sms_task_read(query, first_id + (int64_t)many->count, repeat,
				      &many->tasks[many->count]);
	if (!error)
		many_task_describe(query, many, task_out);
	return error;
}

/* Rebuilds the call from its messages, which are all that is left of it. */
static void many_task_write_result(const struct task_query *query,
				   const struct task *task, struct json_writer *writer)
{
	const struct many_task *many = task->data;
	struct tool_call call = {
		.services = query->services,
		.arena = query->arena,
		.into = writer,
	};
	struct sms_order order = {
		.call = &call,
		.recipient = "",
		.text = sms_task_message(&many->tasks[0])->text,
		.wait_for = ORDER_WAIT_DELIVERED,
		.sim_id = sms_task_message(&many->tasks[0])->sim_id,
	};
	struct message *messages =
		arena_alloc(query->arena, many->count * sizeof(*messages));
	struct sms_batch batch;

	segments_measure(order.text, &order.segments);
	for (size_t i = 0; messages && i < many->count; i++)
		messages[i] = *sms_task_message(&many->tasks[i]);
	sms_batch_restore(&batch, &order, messages, messages ? many->count : 0);
	for (size_t i = 0; i < batch.count; i++)
		batch.rows[i].repeat = many->repeat;
	many_answer_finish(&batch);
}

static int many_task_cancel(const struct task_query *query, const struct task *task)
{
	const struct many_task *many = task->data;
	int error = 0;

	for (size_t i = 0; i < many->count; i++) {
		int result = sms_task_kind.cancel(query, &many->tasks[i]);

		error = error ? error : result;
	}
	return error;
}

const struct task_kind many_task_kind = {
	.find = many_task_find,
	.write_result = many_task_write_result,
	.cancel = many_task_cancel,
};

/*
 * Writes what identifies the messages. Returns false if a row was refused, or the messages are of
 * several calls.
 */
static bool many_task_name(const struct sms_batch *batch,
			   char name_out[SMS_TASK_NAME_BYTES])
{
	int64_t first_id = INT64_MAX, last_id = 0;
	enum policy_repeat repeat = batch->rows[0].repeat;
	size_t count = 0;

	for (size_t i = 0; i < batch->count; i++) {
		const struct sms_batch_row *row = &batch->rows[i];

		if (row->is_duplicate)
			continue;
		if (row->is_refused || row->repeat != repeat)
			return false;
		count++;
		if (row->message.id < first_id)
			first_id = row->message.id;
		if (row->message.id > last_id)
			last_id = row->message.id;
	}
	snprintf(name_out, SMS_TASK_NAME_BYTES, "%lld+%zu%s", (long long)first_id, count,
		 sms_task_repeat_mark(repeat));
	return last_id - first_id + 1 == (int64_t)count;
}

bool many_task_begin(const struct sms_batch *batch)
{
	char name[SMS_TASK_NAME_BYTES];
	struct task task;

	if (!many_task_name(batch, name) ||
	    !sms_task_open(batch->order, &many_task_kind, name, &task))
		return false;
	task_answer(batch->order->call->request, &task);
	return true;
}
