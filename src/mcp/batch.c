/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/batch.h"

#include "base/clock.h"
#include "mcp/dispatch.h"

#define NO_ROOM                                                                        \
	"this gateway has as much at hand as its memory holds: ask for it again in a " \
	"moment, in a POST of its own"

enum { SHORT_ANSWER = 2 * 1024 };

static void answer(struct batch *batch)
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
 * The answers of all batches have to fit, and the exchange keeps SHORT_ANSWER for the first
 * that does not: that of a message which is on its way is short, and never lost.
 */
static void make_fit(struct batch *batch, struct request *request)
{
	static const struct rpc_error no_room = {
		RPC_INTERNAL_ERROR,
		"the answer found no room, for " NO_ROOM,
	};
	struct buffer *body = &request->body;

	if (exchange_charge(batch->exchange, body->length + 1))
		return;
	batch->is_crowded = true;
	if (body->length <= SHORT_ANSWER)
		return;
	buffer_deinit(body);
	rpc_write_error(body, request->message.id, &no_room);
}

void batch_take_answer(struct batch *batch, struct request *request)
{
	batch->answer_bytes += request->body.length;
	make_fit(batch, request);
	if (!--batch->unanswered)
		answer(batch);
}

/* NULL: nothing keeps the next one from that. */
static const char *why_not_run(const struct batch *batch)
{
	if (batch->is_stopping)
		return DISPATCH_STOPPING;
	if (batch->answer_bytes > BATCH_ANSWERS_MAX)
		return "not run: the answers before it are too long; ask for it in a "
		       "POST of its own";
	if (batch->is_crowded)
		return "not run, for " NO_ROOM;
	return NULL;
}

/* Until its turn is over; at least one. */
static void run_some(struct batch *batch)
{
	int64_t end_ms = clock_monotonic_ms() + BATCH_TURN_MS;

	do
		dispatch(&batch->requests[batch->run++], why_not_run(batch));
	while (batch->run < batch->count &&
	       (batch->is_stopping || clock_monotonic_ms() < end_ms));
}

static void run_rest(struct batch *batch)
{
	do
		run_some(batch);
	while (batch->run < batch->count && !batch_turn_wait(batch->turns, &batch->turn));
	if (batch->run == batch->count && !--batch->unanswered)
		answer(batch);
}

static void go_on(struct batch_turn *turn)
{
	run_rest((struct batch *)((char *)turn - offsetof(struct batch, turn)));
}

/* While its messages are run, the batch itself counts as one more that is unanswered. */
void batch_run(struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		batch->unanswered += batch->requests[i].message.kind == RPC_REQUEST;
	batch->unanswered++;
	batch->is_crowded = !exchange_charge(batch->exchange, SHORT_ANSWER);
	batch->turn.go_on = go_on;
	run_rest(batch);
}

void batch_stop(struct batch *batch)
{
	batch->is_stopping = true;
	if (!batch->turn.turns)
		return;
	batch_turn_leave(&batch->turn);
	run_rest(batch);
}

void batch_leave(struct batch *batch)
{
	batch_turn_leave(&batch->turn);
}
