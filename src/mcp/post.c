/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens to one POST:
 *
 *   body -> JSON reader -> rpc_read() -> era_decide() -> request_dispatch() -> answer, or wait
 *
 * A notification or response is answered with 202 and passed to its era.
 *
 * An array, the batch of 2025-03-26, is refused at its first character and not read.
 */
#include "mcp/post.h"

#include <string.h>

#include "base/json_reader.h"
#include "mcp/era.h"
#include "mcp/rpc.h"
#include "mcp/session.h"
#include "mcp/request.h"

struct post {
	struct arena *body; /* what the body was read into; NULL if freed */
	struct json_reader *reader;
	/* of the body, after white space; 0 if not yet received */
	char first;
	struct request request; /* its message, of any kind */
};

struct post *post_begin(const struct request_context *context, struct exchange *exchange)
{
	struct arena *arena = exchange_arena(exchange);
	struct post *post = arena_alloc(arena, sizeof(*post));

	if (!post)
		return NULL;
	post->request.context = context;
	post->request.exchange = exchange;
	post->request.arena = arena;
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

void post_stop(struct post *post)
{
	request_stop(&post->request);
}

static void post_refuse(struct post *post, enum rpc_code code, const char *text)
{
	request_refuse(&post->request, 400, &(struct rpc_error){ code, text });
}

static void post_find_session(struct request *request, struct era_input *input)
{
	bool conflict = false;
	const char *id = exchange_header(request->exchange, "Mcp-Session-Id", &conflict);
	const struct session *session = NULL;

	if (!id)
		return;
	if (!conflict)
		session = session_find(request->context->sessions,
				       exchange_client(request->exchange), id);
	input->session = session ? ERA_SESSION_LIVE : ERA_SESSION_DEAD;
	if (!session)
		return;
	input->session_revision = revision_find(revision_family_2025, session->revision);
	request->session_id =
		arena_copy(request->arena, session->id, strlen(session->id));
}

static struct era_verdict post_decide_era(struct request *request)
{
	struct era_input input = { .message = &request->message };

	post_find_session(request, &input);
	input.header = exchange_header(request->exchange, "MCP-Protocol-Version",
				       &input.header_conflict);
	if (input.header)
		input.header = rpc_header_plain(
			request->arena,
			rpc_header_collapse(request->arena, input.header));
	return era_decide(&input);
}

/*
 * Valid JSON, but a text with a NUL fits nowhere here. The error echoes the ID if it has
 * no NUL.
 */
static void post_refuse_nul(struct post *post, const struct json *root)
{
	if (root->type == JSON_OBJECT)
		rpc_read(root, &post->request.message);
	post_refuse(post, RPC_INVALID_REQUEST, json_reader_error_text(JSON_E_NUL));
}

static void post_accept(struct post *post, const struct json *root)
{
	struct request *request = &post->request;
	struct era_verdict verdict = { .status = 400 };

	request->error = rpc_read(root, &request->message);
	if (request->error.code == RPC_INVALID_REQUEST)
		verdict.error = request->error;
	else
		verdict = post_decide_era(request);
	request->era = verdict.era;
	request->revision = verdict.revision;
	if (!verdict.era) {
		request_refuse(request, verdict.status, &verdict.error);
		return;
	}
	request_dispatch(request);
	if (request->message.kind != RPC_REQUEST)
		exchange_answer(request->exchange, 202, NULL, NULL);
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
		post_refuse(post, RPC_INVALID_REQUEST,
			    "batches are not supported: send each message in a "
			    "request of its own");
		return;
	}
	error = json_reader_finish(post->reader, &root);
	json_reader_free(post->reader); /* its values are in post->body */
	post->reader = NULL;
	arena_count_in(post->request.arena, post->body);
	if (error < 0)
		exchange_answer(post->request.exchange, 503, NULL, NULL);
	else if (error == JSON_E_SYNTAX || error == JSON_E_TEXT)
		post_refuse(post, RPC_PARSE_ERROR, json_reader_error_text(error));
	else if (error == JSON_E_NUL)
		post_refuse_nul(post, root);
	else if (error > 0)
		post_refuse(post, RPC_INVALID_REQUEST, json_reader_error_text(error));
	else
		post_accept(post, root);
}

void post_abandon(struct post *post)
{
	request_leave(&post->request);
}

void post_end(struct post *post)
{
	json_reader_free(post->reader);
	request_deinit(&post->request);
	arena_free(post->body);
}
