/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * While a batch runs its messages, it counts itself as one more unanswered request. It is
 * therefore never answered in the middle of its messages, and a batch of notifications is
 * answered, with nothing, when all have run.
 */
#include "mcp/post.h"

#include <assert.h>

#include "base/clock.h"

#define BATCH_NO_MEMORY                                                                 \
	"the gateway's memory for answers is full: ask for it again in a moment, in a " \
	"POST of its own"

/* Bytes that the exchange sets aside for the first answer that finds no room. */
enum { BATCH_SHORT_ANSWER = 2 * 1024 };

static void batch_answer(struct batch *batch)
{
	struct buffer body = BUFFER_INIT;

	for (size_t i = 0; i < batch->count; i++) {
		struct request *request = &batch->requests[i];

		body.failed |= request->body.failed;
		if (request->body.length) {
			buffer_append_text(&body, body.length ? "," : "[");
			buffer_append(&body, request->body.data, request->body.length);
		}
		request_deinit(request);
	}
	if (body.length)
		buffer_append_text(&body, "]");
	exchange_discharge(batch->exchange);
	batch->answered(batch, &body);
	buffer_deinit(&body);
}

/*
 * The answers of all batches share one allowance. A short answer is always kept, in the
 * bytes set aside, so that the answer of a message that is being sent is never lost.
 */
static void batch_charge_answer(struct batch *batch, struct request *request)
{
	static const struct rpc_error no_memory = {
		RPC_INTERNAL_ERROR,
		"the answer was dropped: " BATCH_NO_MEMORY,
	};
	struct buffer *body = &request->body;

	if (exchange_charge(batch->exchange, body->length + 1))
		return;
	batch->is_crowded = true;
	if (body->length <= BATCH_SHORT_ANSWER)
		return;
	buffer_deinit(body);
	rpc_write_error(body, request->message.id, &no_memory);
}

void batch_accept_answer(struct batch *batch, struct request *request)
{
	batch->answer_bytes += request->body.length;
	batch_charge_answer(batch, request);
	if (!--batch->unanswered)
		batch_answer(batch);
}

/* NULL: the next message may run. */
static const char *batch_why_not_run(const struct batch *batch)
{
	if (batch->is_stopping)
		return REQUEST_STOPPING;
	if (batch->answer_bytes > BATCH_ANSWERS_MAX)
		return "not run: the earlier answers of the batch are too long; ask in a "
		       "POST of its own";
	if (batch->is_crowded)
		return "not run: " BATCH_NO_MEMORY;
	return NULL;
}

/* Runs messages until the turn is over, at least one. */
static void batch_run_turn(struct batch *batch)
{
	int64_t end_ms = clock_monotonic_ms() + BATCH_TURN_MS;

	do
		request_dispatch(&batch->requests[batch->next++],
				 batch_why_not_run(batch));
	while (batch->next < batch->count &&
	       (batch->is_stopping || clock_monotonic_ms() < end_ms));
}

/* A timer that is due at once; see sd-event in doc/libraries.md. */
static bool batch_queue_start_timer(struct batch_queue *queue)
{
	return sd_event_source_set_time(queue->timer, 0) >= 0 &&
	       sd_event_source_set_enabled(queue->timer, SD_EVENT_ONESHOT) >= 0;
}

/* Waits behind the other batches. False: impossible, the batch must go on at once. */
static bool batch_wait(struct batch *batch)
{
	if (!batch->queue->timer || !batch_queue_start_timer(batch->queue))
		return false;
	batch->is_waiting = true;
	TAILQ_INSERT_TAIL(&batch->queue->waiting, batch, link);
	return true;
}

static void batch_continue(struct batch *batch)
{
	do
		batch_run_turn(batch);
	while (batch->next < batch->count && !batch_wait(batch));
	if (batch->next == batch->count && !--batch->unanswered)
		batch_answer(batch);
}

void batch_run(struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		batch->unanswered += batch->requests[i].message.kind == RPC_REQUEST;
	batch->unanswered++;
	batch->is_crowded = !exchange_charge(batch->exchange, BATCH_SHORT_ANSWER);
	batch_continue(batch);
}

void batch_abandon(struct batch *batch)
{
	if (!batch->is_waiting)
		return;
	TAILQ_REMOVE(&batch->queue->waiting, batch, link);
	if (TAILQ_EMPTY(&batch->queue->waiting))
		sd_event_source_set_enabled(batch->queue->timer, SD_EVENT_OFF);
	batch->is_waiting = false;
}

void batch_stop(struct batch *batch)
{
	batch->is_stopping = true;
	if (!batch->is_waiting)
		return;
	batch_abandon(batch);
	batch_continue(batch);
}

static int batch_queue_on_turn(sd_event_source *source, uint64_t usec, void *data)
{
	struct batch_queue *queue = data;
	struct batch *batch = TAILQ_FIRST(&queue->waiting);

	batch_abandon(batch);
	if (!TAILQ_EMPTY(&queue->waiting))
		batch_queue_start_timer(queue);
	batch_continue(batch);
	return 0;
}

int batch_queue_init(struct batch_queue *queue, sd_event *loop)
{
	int error;

	queue->timer = NULL;
	TAILQ_INIT(&queue->waiting);
	if (!loop)
		return 0;
	error = sd_event_add_time(loop, &queue->timer, CLOCK_MONOTONIC, UINT64_MAX, 1,
				  batch_queue_on_turn, queue);
	if (error < 0)
		return error;
	return sd_event_source_set_enabled(queue->timer, SD_EVENT_OFF);
}

void batch_queue_deinit(struct batch_queue *queue)
{
	assert(TAILQ_EMPTY(&queue->waiting));
	queue->timer = sd_event_source_disable_unref(queue->timer);
}
