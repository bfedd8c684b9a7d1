/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens to one POST:
 *
 *   body pieces -> JSON reader -> envelopes -> era -> requests run -> answers, now or later
 *
 * A notification or a response is taken (202); what it means, its era knows.
 *
 * An array is taken whole or refused whole: every message in it must be of a revision that
 * has batches. `initialize` is not, so it is refused, too.
 */
#include "mcp/post.h"

#include <string.h>

#include "base/json_reader.h"
#include "base/log.h"
#include "mcp/accept.h"
#include "mcp/batch.h"
#include "mcp/dispatch.h"
#include "mcp/endpoint.h"
#include "mcp/era.h"
#include "mcp/header_value.h"
#include "mcp/reply.h"
#include "mcp/request.h"

struct post {
	struct endpoint *endpoint;
	struct exchange *exchange;
	struct arena *arena;
	struct arena *body; /* what was read of it; NULL: nobody needs it any more */
	struct json_reader *reader;
	struct request *requests; /* one for each message, of any kind */
	size_t count;
	bool is_array;
	struct batch batch; /* ... which is at work then */
	bool is_stopping;
	struct reply *reply;	/* the answer will be its last event; NULL: not so */
	bool is_abandoned;	/* its reply is gone, and nothing is answered any more */
	const char *session_id; /* that was named and is alive; NULL: none */
};

struct post *post_begin(struct endpoint *endpoint, struct exchange *exchange)
{
	struct arena *arena = exchange_arena(exchange);
	struct post *post = arena_alloc(arena, sizeof(*post));

	if (!post)
		return NULL;
	post->endpoint = endpoint;
	post->exchange = exchange;
	post->arena = arena;
	post->body = arena_new_beside(arena);
	if (post->body)
		post->reader = json_reader_new(post->body);
	if (post->reader)
		return post;
	arena_free(post->body);
	return NULL;
}

void post_receive(struct post *post, const char *piece, size_t length)
{
	json_reader_feed(post->reader, piece, length); /* finish() repeats errors */
}

static void answer(struct post *post, unsigned status, struct buffer *body)
{
	if (body->failed)
		status = 503;
	if (body->failed || !body->length) {
		buffer_clear(body);
		exchange_answer(post->exchange, status, NULL, NULL);
		return;
	}
	exchange_answer(post->exchange, status, "application/json", body);
}

/* Its status was said when the stream began. Without memory it ends without its answer. */
static void answer_last(struct post *post, struct buffer *body)
{
	struct reply *reply = post->reply;

	post->reply = NULL;
	reply_finish(reply, body);
}

static void leave(struct post *post)
{
	batch_leave(&post->batch);
	for (size_t i = 0; i < post->count; i++)
		request_leave(&post->requests[i]);
}

static void on_abandoned(void *data)
{
	struct post *post = data;

	post->reply = NULL;
	post->is_abandoned = true;
	leave(post);
}

static void stop(struct post *post)
{
	for (size_t i = 0; i < post->count; i++)
		request_stop(&post->requests[i]);
}

static void on_stopping(void *data)
{
	stop(data);
}

static struct reply *open_reply(struct post *post)
{
	const struct request *request = post->requests;
	const struct reply_owner owner = { on_abandoned, on_stopping, post };

	return reply_open(post->exchange,
			  request->revision->resumes ? request_session(request) : NULL,
			  &owner);
}

/* Answers of an array wait for each other, and none is told of before. */
static struct reply *on_replied(void *data)
{
	struct post *post = data;

	if (!post->reply && !post->is_array && !post->is_abandoned &&
	    accept_streams(post->exchange))
		post->reply = open_reply(post);
	return post->reply;
}

static void refuse(struct post *post, const struct json *id, unsigned status,
		   const struct rpc_error *error)
{
	struct buffer body = BUFFER_INIT;

	log_debug("mcp: refused with %u, %d: %s", status, error->code, error->text);
	rpc_write_error(&body, id, error);
	answer(post, status, &body);
	buffer_deinit(&body);
}

static void refuse_as(struct post *post, enum rpc_code code, const char *text)
{
	refuse(post, NULL, 400, &(struct rpc_error){ code, text });
}

static void on_batch_answered(struct batch *batch, struct buffer *answers)
{
	struct post *post = (struct post *)((char *)batch - offsetof(struct post, batch));

	answer(post, answers->length ? 200 : 202, answers);
}

static void answer_single(struct post *post, struct request *request, unsigned status)
{
	if (request->challenge)
		exchange_add_header(post->exchange, "WWW-Authenticate",
				    request->challenge);
	answer(post, status, &request->body);
}

static void on_answered(void *data, struct request *request, unsigned status)
{
	struct post *post = data;

	if (post->is_array)
		batch_take_answer(&post->batch, request);
	else if (post->is_abandoned)
		return;
	else if (post->reply)
		answer_last(post, &request->body);
	else
		answer_single(post, request, status);
}

static void name_session(struct post *post, struct era_question *question)
{
	bool named = false;
	const struct session *session =
		endpoint_session(post->endpoint, post->exchange, &named);

	if (!named)
		return;
	question->session = session ? ERA_SESSION_LIVE : ERA_SESSION_DEAD;
	if (!session)
		return;
	question->session_revision = era_find_revision(&era_2025, session->revision);
	post->session_id = arena_copy(post->arena, session->id, strlen(session->id));
}

static struct era_verdict decide(struct post *post, const struct rpc_message *message)
{
	struct era_question question = { .message = message };

	name_session(post, &question);
	question.header = exchange_header(post->exchange, "MCP-Protocol-Version",
					  &question.header_conflict);
	if (question.header)
		question.header = header_value_plain(
			post->arena, header_value_collapse(post->arena, question.header));
	return era_decide(&question);
}

/* Correct JSON, but nothing here can carry a NUL: the id is echoed where it has none. */
static void refuse_nul(struct post *post, const struct json *root)
{
	struct rpc_message message = { 0 };

	if (root->type == JSON_OBJECT)
		rpc_read(root, &message);
	refuse(post, message.id, 400,
	       &(struct rpc_error){ RPC_INVALID_REQUEST, json_error_text(JSON_E_NUL) });
}

static void run_array(struct post *post)
{
	post->batch.exchange = post->exchange;
	post->batch.turns = endpoint_batch_turns(post->endpoint);
	post->batch.requests = post->requests;
	post->batch.count = post->count;
	post->batch.answered = on_batch_answered;
	batch_run(&post->batch);
}

static void run_single(struct post *post)
{
	dispatch(post->requests, post->is_stopping ? DISPATCH_STOPPING : NULL);
	if (post->requests->message.kind != RPC_REQUEST)
		exchange_answer(post->exchange, 202, NULL, NULL);
}

void post_stop(struct post *post)
{
	post->is_stopping = true;
	batch_stop(&post->batch);
	stop(post);
}

static bool make_room(struct post *post, size_t count)
{
	post->requests = arena_alloc(post->arena, count * sizeof(*post->requests));
	if (!post->requests)
		exchange_answer(post->exchange, 503, NULL, NULL);
	else
		post->count = count;
	return post->requests;
}

/* Reads one message into its request. */
static struct era_verdict read_message(struct post *post, struct request *request,
				       const struct json *value)
{
	struct era_verdict verdict = { .status = 400 };

	request->endpoint = post->endpoint;
	request->exchange = post->exchange;
	request->arena = post->arena;
	request->answered = on_answered;
	request->replied = on_replied;
	request->answered_data = post;
	request->error = rpc_read(value, &request->message);
	if (request->error.code == RPC_INVALID_REQUEST)
		verdict.error = request->error;
	else
		verdict = decide(post, &request->message);
	request->session_id = post->session_id;
	request->era = verdict.era;
	request->revision = verdict.revision;
	return verdict;
}

/* What waits for long holds no body. */
static void forget(struct post *post)
{
	if (!post->requests->is_forgotten)
		return;
	arena_free(post->body);
	post->body = NULL;
}

static void take_single(struct post *post, const struct json *value)
{
	struct era_verdict verdict;

	if (!make_room(post, 1))
		return;
	verdict = read_message(post, post->requests, value);
	if (!verdict.era) {
		refuse(post, post->requests->message.id, verdict.status, &verdict.error);
		return;
	}
	run_single(post);
	forget(post);
}

static void take_array(struct post *post, const struct json *array)
{
	struct request *request;

	if (!array->count || array->count > BATCH_MESSAGES_MAX) {
		refuse_as(post, RPC_INVALID_REQUEST,
			  array->count ? "a batch has at most 100 messages"
				       : "a batch has at least one message");
		return;
	}
	if (!make_room(post, array->count))
		return;
	post->is_array = true;
	request = post->requests;
	json_foreach (value, array) {
		struct era_verdict verdict = read_message(post, request++, value);

		if (verdict.era && verdict.revision->batches)
			continue;
		if (!verdict.era && verdict.error.code == RPC_SESSION_NOT_FOUND) {
			refuse(post, NULL, verdict.status, &verdict.error);
			return;
		}
		refuse_as(post, RPC_INVALID_REQUEST,
			  "a batch is an array of valid messages of revision 2025-03-26, "
			  "none of them initialize; otherwise send one message per POST");
		return;
	}
	run_array(post);
}

void post_complete(struct post *post)
{
	const struct json *root;
	int error = json_reader_finish(post->reader, &root);

	json_reader_free(post->reader); /* what it read is in post->body */
	post->reader = NULL;
	arena_count_in(post->arena, post->body);
	if (error < 0)
		exchange_answer(post->exchange, 503, NULL, NULL);
	else if (error == JSON_E_SYNTAX || error == JSON_E_TEXT)
		refuse_as(post, RPC_PARSE_ERROR, json_error_text(error));
	else if (error == JSON_E_NUL)
		refuse_nul(post, root);
	else if (error > 0)
		refuse_as(post, RPC_INVALID_REQUEST, json_error_text(error));
	else if (root->type == JSON_ARRAY)
		take_array(post, root);
	else
		take_single(post, root);
}

/* What can be resumed goes on. */
void post_leave(struct post *post)
{
	if (post->reply && reply_lose(post->reply))
		return;
	post->reply = NULL;
	leave(post);
}

void post_end(struct post *post)
{
	batch_leave(&post->batch);
	json_reader_free(post->reader);
	if (post->reply)
		reply_lose(post->reply);
	for (size_t i = 0; i < post->count; i++)
		request_deinit(&post->requests[i]);
	arena_free(post->body);
}
