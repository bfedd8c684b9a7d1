/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The endpoint owns the parts that requests share and lends them out as a struct
 * request_context; no other file knows the endpoint. Its own work is the HTTP methods,
 * and what follows when the offered tools or a client's scopes change.
 *
 * What happens to one POST:
 *
 *   body -> JSON reader -> rpc_read() -> era_decide() -> request_dispatch() -> answer, or wait
 *
 * A notification or response is answered with 202 and passed to its era. An array, the batch of
 * 2025-03-26, is refused at its first character and not read.
 *
 *   tools changed  -> sessions remember it, streams send tools/list_changed
 *   scopes changed -> the same for that client, if its tools differ; subscriptions that it may
 *                     no longer read end
 *   client revoked -> also its streams and sessions end
 */
#include "mcp/endpoint.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"
#include "mcp/resource.h"
#include "mcp/elicitation_call.h"
#include "mcp/era.h"
#include "mcp/rpc.h"
#include "mcp/session.h"
#include "mcp/tool_set.h"

struct endpoint {
	struct tool_set tools;
	struct sessions sessions;
	struct elicitation_calls elicitations;
	struct stream_client_list stream_clients;
	struct event_streams event_streams;
	struct task_timers task_timers;
	struct request_list cancellable;
	struct request_wait_list waits;
	struct request_context context; /* the above, for requests */
};

/* One POST and its message; lives in the exchange's arena. */
struct endpoint_post {
	struct arena *body; /* what the body was read into; NULL if freed */
	struct json_reader *reader;
	char first; /* of the body, after white space; 0 if not yet received */
	struct request request; /* its message, of any kind */
};

/* HTTP */

/* The route has no other methods than POST, GET, HEAD and DELETE. */
static bool endpoint_is_method(const struct exchange *exchange, const char *method)
{
	return strcmp(exchange_method(exchange), method) == 0;
}

/* Returns NULL if it is not a POST, or memory runs out. */
static struct endpoint_post *endpoint_post(const struct exchange *exchange)
{
	return endpoint_is_method(exchange, "POST") ? exchange_context(exchange) : NULL;
}

/*
 * Returns the session that the exchange names. NULL with *named_out: it has ended, or two are
 * named.
 */
static struct session *endpoint_session(struct sessions *sessions,
					struct exchange *exchange, bool *named_out)
{
	bool conflict = false;
	const char *id = exchange_header(exchange, "Mcp-Session-Id", &conflict);

	*named_out = id != NULL;
	if (!id || conflict)
		return NULL;
	return session_find(sessions, exchange_client(exchange), id);
}

/* Returns NULL if memory runs out. */
static struct endpoint_post *endpoint_post_begin(const struct request_context *context,
						 struct exchange *exchange)
{
	struct arena *arena = exchange_arena(exchange);
	struct endpoint_post *post = arena_alloc(arena, sizeof(*post));

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

static void endpoint_post_refuse(struct endpoint_post *post, enum rpc_code code,
				 const char *text)
{
	request_refuse(&post->request, 400, &(struct rpc_error){ code, text });
}

static struct era_verdict endpoint_post_decide_era(struct request *request)
{
	struct era_input input = { .message = &request->message };
	bool named;
	const struct session *session =
		endpoint_session(request->context->sessions, request->exchange, &named);

	if (session) {
		input.session = ERA_SESSION_LIVE;
		input.session_revision =
			revision_find(revision_family_2025, session->revision);
		request->session_id =
			arena_copy(request->arena, session->id, strlen(session->id));
	} else if (named) {
		input.session = ERA_SESSION_DEAD;
	}
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
static void endpoint_post_refuse_nul(struct endpoint_post *post, const struct json *root)
{
	if (root->type == JSON_OBJECT)
		rpc_read(root, &post->request.message);
	endpoint_post_refuse(post, RPC_INVALID_REQUEST,
			     json_reader_error_text(JSON_E_NUL));
}

static void endpoint_post_accept(struct endpoint_post *post, const struct json *root)
{
	struct request *request = &post->request;
	struct era_verdict verdict = { .status = 400 };

	request->error = rpc_read(root, &request->message);
	if (request->error.code == RPC_INVALID_REQUEST)
		verdict.error = request->error;
	else
		verdict = endpoint_post_decide_era(request);
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

static void endpoint_post_complete(struct endpoint_post *post)
{
	const struct json *root;
	int error;

	if (post->first == '[') {
		endpoint_post_refuse(post, RPC_INVALID_REQUEST,
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
		endpoint_post_refuse(post, RPC_PARSE_ERROR,
				     json_reader_error_text(error));
	else if (error == JSON_E_NUL)
		endpoint_post_refuse_nul(post, root);
	else if (error > 0)
		endpoint_post_refuse(post, RPC_INVALID_REQUEST,
				     json_reader_error_text(error));
	else
		endpoint_post_accept(post, root);
}

static void endpoint_on_begin(void *data, struct exchange *exchange)
{
	const struct endpoint *endpoint = data;

	if (endpoint_is_method(exchange, "POST"))
		exchange_set_context(exchange,
				     endpoint_post_begin(&endpoint->context, exchange));
}

static void endpoint_on_body(void *data, struct exchange *exchange, const char *piece,
			     size_t length)
{
	static const char blanks[] = { ' ', '\t', '\r', '\n' };
	struct endpoint_post *post = endpoint_post(exchange);

	if (!post)
		return;
	for (size_t at = 0; at < length && !post->first; at++) {
		if (!memchr(blanks, piece[at], sizeof(blanks)))
			post->first = piece[at];
	}
	/* json_reader_finish() repeats its errors */
	if (post->first != '[')
		json_reader_feed(post->reader, piece, length);
}

static void endpoint_on_complete(void *data, struct exchange *exchange)
{
	struct endpoint *endpoint = data;
	struct session *session;
	bool named = false;

	if (endpoint_is_method(exchange, "POST")) {
		if (endpoint_post(exchange))
			endpoint_post_complete(endpoint_post(exchange));
		else
			exchange_answer(exchange, 503, NULL, NULL);
		return;
	}
	session = endpoint_session(&endpoint->sessions, exchange, &named);
	if (named && !session)
		rpc_refuse(exchange, 404, RPC_SESSION_NOT_FOUND,
			   "Session not found: begin again with initialize");
	else if (!endpoint_is_method(exchange, "DELETE") &&
		 !rpc_header_accepts_streams(exchange))
		rpc_refuse(
			exchange, 406, RPC_REFUSED,
			"the answer to GET is a stream: send Accept: text/event-stream");
	else if (endpoint_is_method(exchange, "GET"))
		session_stream_open(&endpoint->context, exchange, session);
	else if (endpoint_is_method(exchange, "HEAD"))
		exchange_answer(exchange, 200, NULL, NULL); /* without a stream */
	else if (!session)
		rpc_refuse(exchange, 400, RPC_REFUSED,
			   "DELETE ends a session: name it in Mcp-Session-Id");
	else {
		session_end(session);
		exchange_answer(exchange, 204, NULL, NULL);
	}
}

static void endpoint_on_abandoned(void *data, struct exchange *exchange)
{
	struct endpoint_post *post = endpoint_post(exchange);

	if (post)
		request_leave(&post->request);
}

static void endpoint_on_stopping(void *data, struct exchange *exchange)
{
	struct endpoint_post *post = endpoint_post(exchange);

	if (post)
		request_stop(&post->request);
	else if (endpoint_is_method(exchange, "GET"))
		session_stream_stopping(exchange);
}

static void endpoint_on_ended(void *data, struct exchange *exchange)
{
	struct endpoint_post *post = endpoint_post(exchange);

	if (post) {
		json_reader_free(post->reader);
		request_deinit(&post->request);
		arena_free(post->body);
	} else if (endpoint_is_method(exchange, "GET")) {
		session_stream_ended(exchange);
	}
}

const struct exchange_handler endpoint_handler = {
	.begin = endpoint_on_begin,
	.body = endpoint_on_body,
	.complete = endpoint_on_complete,
	.abandoned = endpoint_on_abandoned,
	.stopping = endpoint_on_stopping,
	.ended = endpoint_on_ended,
};

void endpoint_write_refusal(struct buffer *body, unsigned status, const char *text)
{
	rpc_write_error(
		body, NULL,
		&(struct rpc_error){ status == 400 ? RPC_INVALID_REQUEST : RPC_REFUSED,
				     text });
}

/* Life */

struct endpoint *endpoint_new(const struct endpoint_options *options)
{
	struct endpoint *endpoint = calloc(1, sizeof(*endpoint));

	if (!endpoint)
		return NULL;
	LIST_INIT(&endpoint->stream_clients);
	LIST_INIT(&endpoint->cancellable);
	LIST_INIT(&endpoint->waits);
	endpoint->elicitations = (struct elicitation_calls){
		.persistence = options->persistence,
		.loop = options->loop,
		.timeout_seconds = options->elicitation_timeout_seconds,
	};
	endpoint->context = (struct request_context){
		.services = options->services,
		.tools = &endpoint->tools,
		.resources = options->resources,
		.tasks = options->tasks,
		.events = options->events && *options->events ? options->events : NULL,
		.webhooks = options->webhooks,
		.persistence = options->persistence,
		.changes = options->changes,
		.sessions = &endpoint->sessions,
		.elicitations = &endpoint->elicitations,
		.stream_clients = &endpoint->stream_clients,
		.event_streams = &endpoint->event_streams,
		.task_timers = &endpoint->task_timers,
		.cancellable = &endpoint->cancellable,
		.waits = &endpoint->waits,
	};
	if (task_timers_init(&endpoint->task_timers, options->loop) ||
	    event_streams_init(&endpoint->event_streams, options->loop, options->feed) ||
	    elicitation_calls_init(&endpoint->elicitations) ||
	    sessions_init(&endpoint->sessions, options->persistence, options->changes) ||
	    tool_set_init(&endpoint->tools, options->tools, options->hidden_tools,
			  options->services)) {
		endpoint_free(endpoint);
		return NULL;
	}
	endpoint->sessions.loop = options->loop;
	return endpoint;
}

void endpoint_free(struct endpoint *endpoint)
{
	if (!endpoint)
		return;
	assert(LIST_EMPTY(&endpoint->stream_clients));
	event_streams_deinit(&endpoint->event_streams);
	task_timers_deinit(&endpoint->task_timers);
	sessions_deinit(&endpoint->sessions);
	tool_set_deinit(&endpoint->tools);
	free(endpoint);
}

/* Changes */

/* Reports for one client, or (with 0) for all. */
static void endpoint_report_tools(struct endpoint *endpoint, int64_t client_id)
{
	const struct resource_change change = { CHANGE_TOOLS, .client_id = client_id };

	if (!endpoint->context.changes)
		return;
	sessions_report_tools(&endpoint->sessions, client_id);
	observers_notify(endpoint->context.changes, &change);
}

int endpoint_review_tools(struct endpoint *endpoint)
{
	int changed = tool_set_review(&endpoint->tools);

	if (changed > 0)
		endpoint_report_tools(endpoint, 0);
	return changed < 0 ? changed : 0;
}

static bool endpoint_sees_other_events(const struct endpoint *endpoint, unsigned scopes,
				       unsigned others)
{
	const struct request_context *context = &endpoint->context;
	const struct client one = { .scopes = scopes }, other = { .scopes = others };

	return event_permitted_types(context->events, &one, context->services) !=
	       event_permitted_types(context->events, &other, context->services);
}

/*
 * Returns true if the client sees other tools now; *events_out says whether it sees other event
 * types.
 */
static bool endpoint_update_scopes(struct endpoint *endpoint, int64_t client_id,
				   unsigned scopes, bool *events_out)
{
	struct stream_client *client;
	struct session *session;
	bool differ = false;

	LIST_FOREACH (client, &endpoint->stream_clients, link) {
		if (client->client_id != client_id)
			continue;
		differ |= !tool_set_looks_same(&endpoint->tools, client->scopes, scopes);
		*events_out |=
			endpoint_sees_other_events(endpoint, client->scopes, scopes);
		client->scopes = scopes;
	}
	TAILQ_FOREACH (session, &endpoint->sessions.list, link) {
		if (session->client_id != client_id)
			continue;
		differ |= !tool_set_looks_same(&endpoint->tools, session->scopes, scopes);
		session->scopes = scopes;
	}
	return differ;
}

void endpoint_report_events(struct endpoint *endpoint, int64_t client_id)
{
	const struct resource_change change = { CHANGE_EVENTS, .client_id = client_id };

	if (endpoint->context.changes)
		observers_notify(endpoint->context.changes, &change);
}

void endpoint_end_streams(struct endpoint *endpoint, int64_t client_id)
{
	const struct resource_change change = { CHANGE_RECONNECT,
						.client_id = client_id };
	struct session *session;

	TAILQ_FOREACH (session, &endpoint->sessions.list, link) {
		if (session->client_id != client_id)
			continue;
		session_stream_end_all(session);
		reply_end_all(&endpoint->sessions, session);
	}
	if (endpoint->context.changes && client_id)
		observers_notify(endpoint->context.changes, &change);
}

void endpoint_end_sessions(struct endpoint *endpoint, int64_t client_id)
{
	session_end_client(&endpoint->sessions, client_id);
}

unsigned endpoint_session_count(const struct endpoint *endpoint)
{
	return endpoint->sessions.count;
}

void endpoint_review_client(struct endpoint *endpoint, int64_t client_id)
{
	const struct persistence *persistence = endpoint->context.persistence;
	struct client client = { .id = client_id };
	struct session *session;
	bool exists, has_other_events = false;

	if (!persistence || !persistence->find_client || !client_id)
		return;
	exists = persistence->find_client(persistence->store, client_id, &client);
	if (endpoint_update_scopes(endpoint, client_id, client.scopes, &has_other_events))
		endpoint_report_tools(endpoint, client_id);
	if (has_other_events)
		endpoint_report_events(endpoint, client_id);
	event_streams_review(&endpoint->event_streams, client_id);
	TAILQ_FOREACH (session, &endpoint->sessions.list, link) {
		if (session->client_id == client_id)
			session_filter_subscriptions(session, endpoint->context.resources,
						     client.scopes);
	}
	if (exists)
		return;
	endpoint_end_streams(endpoint, client_id);
	endpoint_end_sessions(endpoint, client_id);
}
