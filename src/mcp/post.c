/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens to one POST:
 *
 *   body -> JSON reader -> rpc_read() -> era_decide() -> request_dispatch() -> answer, or wait
 *
 * The answer is a JSON object, or a stream (reply.c) once a method sends something before
 * its result. A notification or response is answered with 202 and passed to its era.
 *
 * An array, the batch of 2025-03-26, is refused at its first character and not read.
 */
#include "mcp/post.h"

#include <string.h>

#include "base/json_reader.h"
#include "base/log.h"
#include "mcp/era.h"
#include "mcp/rpc.h"
#include "mcp/session.h"
#include "mcp/request.h"

struct post {
	const struct request_context *context;
	struct exchange *exchange;
	struct arena *arena;
	struct arena *body; /* what the body was read into; NULL: freed */
	struct json_reader *reader;
	char first;		/* of the body, after white space; 0: not yet received */
	struct request request; /* its message, of any kind */
	struct reply *reply;	/* the answer ends this stream; NULL: plain JSON */
	bool is_abandoned;	/* the stream is gone: answer nothing */
	const char *session_id; /* that was named and is alive; NULL: none */
};

struct post *post_begin(const struct request_context *context, struct exchange *exchange)
{
	struct arena *arena = exchange_arena(exchange);
	struct post *post = arena_alloc(arena, sizeof(*post));

	if (!post)
		return NULL;
	post->context = context;
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
	for (size_t at = 0; at < length && !post->first; at++) {
		if (!memchr(" \t\r\n", piece[at], 4))
			post->first = piece[at];
	}
	if (post->first != '[')
		json_reader_feed(post->reader, piece,
				 length); /* json_reader_finish() repeats its errors */
}

static void post_answer(struct post *post, unsigned status, struct buffer *body)
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

static void post_on_abandoned(void *data)
{
	struct post *post = data;

	post->reply = NULL;
	post->is_abandoned = true;
	request_abandon(&post->request);
}

void post_stop(struct post *post)
{
	request_stop(&post->request);
}

static void post_on_stopping(void *data)
{
	post_stop(data);
}

static struct reply *post_on_replied(void *data)
{
	struct post *post = data;

	if (!post->reply && !post->is_abandoned &&
	    header_value_accepts_streams(post->exchange))
		post->reply = reply_open(post->exchange,
					 post->request.revision->resumes
						 ? session_of_request(&post->request)
						 : NULL,
					 &(struct reply_owner){ post_on_abandoned,
								post_on_stopping, post });
	return post->reply;
}

static void post_refuse(struct post *post, const struct json *id, unsigned status,
			const struct rpc_error *error)
{
	struct buffer body = BUFFER_INIT;

	log_debug("mcp: refused with %u, %d: %s", status, error->code, error->text);
	rpc_write_error(&body, id, error);
	post_answer(post, status, &body);
	buffer_deinit(&body);
}

static void post_refuse_body(struct post *post, enum rpc_code code, const char *text)
{
	post_refuse(post, NULL, 400, &(struct rpc_error){ code, text });
}

static void post_on_answered(void *data, struct request *request, unsigned status)
{
	struct post *post = data;
	struct reply *reply = post->reply;

	if (post->is_abandoned)
		return;
	if (reply) {
		/* The status went out when the stream began. Without memory the stream ends
		 * without the answer. */
		post->reply = NULL;
		reply_finish(reply, &request->body);
		return;
	}
	if (request->challenge)
		exchange_add_header(post->exchange, "WWW-Authenticate",
				    request->challenge);
	post_answer(post, status, &request->body);
}

static void post_find_session(struct post *post, struct era_input *input)
{
	bool conflict = false;
	const char *id = exchange_header(post->exchange, "Mcp-Session-Id", &conflict);
	const struct session *session = NULL;

	if (!id)
		return;
	if (!conflict)
		session = session_find(post->context->sessions,
				       exchange_client(post->exchange), id);
	input->session = session ? ERA_SESSION_LIVE : ERA_SESSION_DEAD;
	if (!session)
		return;
	input->session_revision = revision_find(revision_family_2025, session->revision);
	post->session_id = arena_copy(post->arena, session->id, strlen(session->id));
}

static struct era_verdict post_decide_era(struct post *post,
					  const struct rpc_message *message)
{
	struct era_input input = { .message = message };

	post_find_session(post, &input);
	input.header = exchange_header(post->exchange, "MCP-Protocol-Version",
				       &input.header_conflict);
	if (input.header)
		input.header = header_value_plain(
			post->arena, header_value_collapse(post->arena, input.header));
	return era_decide(&input);
}

/*
 * Valid JSON, but a text with a NUL fits nowhere here. The error echoes the ID if it has
 * no NUL.
 */
static void post_refuse_nul(struct post *post, const struct json *root)
{
	struct rpc_message message = { 0 };

	if (root->type == JSON_OBJECT)
		rpc_read(root, &message);
	post_refuse(post, message.id, 400,
		    &(struct rpc_error){ RPC_INVALID_REQUEST,
					 json_reader_error_text(JSON_E_NUL) });
}

static void post_accept(struct post *post, const struct json *root)
{
	struct request *request = &post->request;
	struct era_verdict verdict = { .status = 400 };

	request->context = post->context;
	request->exchange = post->exchange;
	request->arena = post->arena;
	request->answered = post_on_answered;
	request->replied = post_on_replied;
	request->answered_data = post;
	request->error = rpc_read(root, &request->message);
	if (request->error.code == RPC_INVALID_REQUEST)
		verdict.error = request->error;
	else
		verdict = post_decide_era(post, &request->message);
	request->session_id = post->session_id;
	request->era = verdict.era;
	request->revision = verdict.revision;
	if (!verdict.era) {
		post_refuse(post, request->message.id, verdict.status, &verdict.error);
		return;
	}
	request_dispatch(request);
	if (request->message.kind != RPC_REQUEST)
		exchange_answer(post->exchange, 202, NULL, NULL);
	if (request->is_forgotten) { /* a request that waits long keeps no body */
		arena_free(post->body);
		post->body = NULL;
	}
}

void post_complete(struct post *post)
{
	const struct json *root;
	int error;

	if (post->first == '[') {
		post_refuse_body(post, RPC_INVALID_REQUEST,
				 "batches are not supported: send each message in a "
				 "request of its own");
		return;
	}
	error = json_reader_finish(post->reader, &root);
	json_reader_free(post->reader); /* its values are in post->body */
	post->reader = NULL;
	arena_count_in(post->arena, post->body);
	if (error < 0)
		exchange_answer(post->exchange, 503, NULL, NULL);
	else if (error == JSON_E_SYNTAX || error == JSON_E_TEXT)
		post_refuse_body(post, RPC_PARSE_ERROR, json_reader_error_text(error));
	else if (error == JSON_E_NUL)
		post_refuse_nul(post, root);
	else if (error > 0)
		post_refuse_body(post, RPC_INVALID_REQUEST,
				 json_reader_error_text(error));
	else
		post_accept(post, root);
}

/* The work behind a resumable stream goes on. */
void post_abandon(struct post *post)
{
	if (post->reply && reply_lose(post->reply))
		return;
	post->reply = NULL;
	request_abandon(&post->request);
}

void post_end(struct post *post)
{
	json_reader_free(post->reader);
	if (post->reply)
		reply_lose(post->reply);
	request_deinit(&post->request);
	arena_free(post->body);
}
