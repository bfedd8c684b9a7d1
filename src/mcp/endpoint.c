/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/endpoint.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/accept.h"
#include "mcp/change.h"
#include "mcp/permission.h"
#include "mcp/post.h"
#include "mcp/reply.h"
#include "mcp/session_stream.h"
#include "mcp/tool_set.h"

struct endpoint {
	struct endpoint_offer offer;
	struct tool_set tools;
	struct sessions sessions;
	struct watcher_list watchers;
	struct request_list cancellable;
	struct task_alarms alarms;
	struct batch_turns batches;
};

/* The methods of HTTP */

static void post_on_begin(struct endpoint *endpoint, struct exchange *exchange)
{
	exchange_set_context(exchange, post_begin(endpoint, exchange));
}

static void post_on_complete(struct endpoint *endpoint, struct exchange *exchange)
{
	struct post *post = exchange_context(exchange);

	(void)endpoint;
	if (post)
		post_complete(post);
	else
		exchange_answer(exchange, 503, NULL, NULL);
}

static void post_on_stopping(struct exchange *exchange)
{
	struct post *post = exchange_context(exchange);

	if (post)
		post_stop(post);
}

static void post_on_ended(struct exchange *exchange)
{
	struct post *post = exchange_context(exchange);

	if (post)
		post_end(post);
}

static void refuse(struct exchange *exchange, unsigned status, enum rpc_code code,
		   const char *text)
{
	struct buffer body = BUFFER_INIT;

	rpc_write_error(&body, NULL, &(struct rpc_error){ code, text });
	exchange_answer(exchange, status, "application/json", &body);
}

static void refuse_session(struct exchange *exchange)
{
	refuse(exchange, 404, RPC_SESSION_NOT_FOUND,
	       "There is no such session: begin again with initialize");
}

static void get_on_complete(struct endpoint *endpoint, struct exchange *exchange)
{
	bool named = false;
	struct session *session = endpoint_session(endpoint, exchange, &named);

	if (named && !session)
		refuse_session(exchange);
	else if (!accept_streams(exchange))
		refuse(exchange, 406, RPC_REFUSED,
		       "GET gives a stream: send Accept: text/event-stream");
	else
		session_stream_open(endpoint, exchange, session);
}

/* What GET would answer with, but no stream. */
static void head_on_complete(struct endpoint *endpoint, struct exchange *exchange)
{
	(void)endpoint;
	exchange_answer(exchange, 200, NULL, NULL);
}

static void delete_on_complete(struct endpoint *endpoint, struct exchange *exchange)
{
	bool named = false;
	struct session *session = endpoint_session(endpoint, exchange, &named);

	if (session) {
		session_end(session);
		exchange_answer(exchange, 204, NULL, NULL);
	} else if (named) {
		refuse_session(exchange);
	} else {
		refuse(exchange, 400, RPC_REFUSED,
		       "DELETE ends a session: name it in Mcp-Session-Id");
	}
}

static const struct verb {
	const char *name;
	void (*begin)(struct endpoint *endpoint, struct exchange *exchange);
	void (*complete)(struct endpoint *endpoint, struct exchange *exchange);
	void (*stopping)(struct exchange *exchange);
	void (*ended)(struct exchange *exchange);
} verbs[] = {
	{ "POST", post_on_begin, post_on_complete, post_on_stopping, post_on_ended },
	{ "GET", NULL, get_on_complete, session_stream_stopping, session_stream_ended },
	{ "HEAD", NULL, head_on_complete, NULL, NULL },
	{ "DELETE", NULL, delete_on_complete, NULL, NULL },
};

/* The route has no others. */
static const struct verb *verb_of(const struct exchange *exchange)
{
	const struct verb *verb = verbs;

	while (strcmp(verb->name, exchange_method(exchange)) != 0)
		verb++;
	return verb;
}

static struct post *post_of(const struct exchange *exchange)
{
	return verb_of(exchange) == verbs ? exchange_context(exchange) : NULL;
}

static void on_begin(void *data, struct exchange *exchange)
{
	const struct verb *verb = verb_of(exchange);

	if (verb->begin)
		verb->begin(data, exchange);
}

static void on_body(void *data, struct exchange *exchange, const char *piece,
		    size_t length)
{
	struct post *post = post_of(exchange);

	(void)data;
	if (post)
		post_receive(post, piece, length);
}

static void on_complete(void *data, struct exchange *exchange)
{
	verb_of(exchange)->complete(data, exchange);
}

static void on_abandoned(void *data, struct exchange *exchange)
{
	struct post *post = post_of(exchange);

	(void)data;
	if (post)
		post_leave(post);
}

static void on_stopping(void *data, struct exchange *exchange)
{
	const struct verb *verb = verb_of(exchange);

	(void)data;
	if (verb->stopping)
		verb->stopping(exchange);
}

static void on_ended(void *data, struct exchange *exchange)
{
	const struct verb *verb = verb_of(exchange);

	(void)data;
	if (verb->ended)
		verb->ended(exchange);
}

const struct exchange_handler endpoint_handler = {
	.begin = on_begin,
	.body = on_body,
	.complete = on_complete,
	.abandoned = on_abandoned,
	.stopping = on_stopping,
	.ended = on_ended,
};

void endpoint_refusal(struct buffer *body, unsigned status, const char *text)
{
	rpc_write_error(
		body, NULL,
		&(struct rpc_error){ status == 400 ? RPC_INVALID_REQUEST : RPC_REFUSED,
				     text });
}

struct endpoint *endpoint_new(const struct endpoint_offer *offer)
{
	struct endpoint *endpoint = calloc(1, sizeof(*endpoint));

	if (!endpoint)
		return NULL;
	endpoint->offer = *offer;
	LIST_INIT(&endpoint->watchers);
	LIST_INIT(&endpoint->cancellable);
	if (task_alarms_init(&endpoint->alarms, offer->asking.loop) ||
	    batch_turns_init(&endpoint->batches, offer->asking.loop) ||
	    asking_init(&endpoint->offer.asking) ||
	    sessions_init(&endpoint->sessions, offer->shelf, offer->changes) ||
	    tool_set_init(&endpoint->tools, offer->tools, offer->hidden_tools,
			  offer->services)) {
		endpoint_free(endpoint);
		return NULL;
	}
	endpoint->sessions.loop = offer->asking.loop;
	return endpoint;
}

void endpoint_free(struct endpoint *endpoint)
{
	if (!endpoint)
		return;
	assert(LIST_EMPTY(&endpoint->watchers));
	task_alarms_deinit(&endpoint->alarms);
	batch_turns_deinit(&endpoint->batches);
	sessions_deinit(&endpoint->sessions);
	tool_set_deinit(&endpoint->tools);
	free(endpoint);
}

/* Of one client, or (0) of all. */
static void tell_tools(struct endpoint *endpoint, int64_t client_id)
{
	const struct change change = { CHANGE_TOOLS, .client_id = client_id };

	if (!endpoint->offer.changes)
		return;
	sessions_note_tools(&endpoint->sessions, client_id);
	observers_notify(endpoint->offer.changes, &change);
}

int endpoint_review_tools(struct endpoint *endpoint)
{
	int changed = tool_set_review(&endpoint->tools);

	if (changed > 0)
		tell_tools(endpoint, 0);
	return changed < 0 ? changed : 0;
}

/* True: its tools are others. */
static bool note_scopes(struct endpoint *endpoint, int64_t client_id, unsigned scopes)
{
	struct watcher *watcher;
	struct session *session;
	bool differ = false;

	LIST_FOREACH (watcher, &endpoint->watchers, link) {
		if (watcher->client_id != client_id)
			continue;
		differ |= !tool_set_is_same(&endpoint->tools, watcher->scopes, scopes);
		watcher->scopes = scopes;
	}
	TAILQ_FOREACH (session, &endpoint->sessions.list, link) {
		if (session->client_id != client_id)
			continue;
		differ |= !tool_set_is_same(&endpoint->tools, session->scopes, scopes);
		session->scopes = scopes;
	}
	return differ;
}

struct reader {
	const struct resource *const *resources;
	unsigned scopes;
};

static bool may_read(const void *data, const char *subject)
{
	const struct reader *reader = data;

	return permission_covers(reader->scopes,
				 resource_scopes(reader->resources, subject));
}

static void end_subscriptions(struct endpoint *endpoint, const struct client *client)
{
	const struct reader reader = { endpoint->offer.resources, client->scopes };
	struct session *session;

	TAILQ_FOREACH (session, &endpoint->sessions.list, link) {
		if (session->client_id == client->id)
			session_keep_subscriptions(session, may_read, &reader);
	}
}

void endpoint_end_streams(struct endpoint *endpoint, int64_t client_id)
{
	const struct change change = { CHANGE_CUT, .client_id = client_id };
	struct session *session;

	TAILQ_FOREACH (session, &endpoint->sessions.list, link) {
		if (session->client_id != client_id)
			continue;
		session_streams_end(session);
		replies_end(&endpoint->sessions, session);
	}
	if (endpoint->offer.changes && client_id)
		observers_notify(endpoint->offer.changes, &change);
}

void endpoint_review_client(struct endpoint *endpoint, int64_t client_id)
{
	const struct endpoint_offer *offer = &endpoint->offer;
	struct client client = { .id = client_id };
	bool is_there;

	if (!offer->find_client || !client_id) /* whom nobody changes */
		return;
	is_there = offer->find_client(offer->clients, client_id, &client);
	if (note_scopes(endpoint, client_id, client.scopes))
		tell_tools(endpoint, client_id);
	end_subscriptions(endpoint, &client);
	if (is_there)
		return;
	endpoint_end_streams(endpoint, client_id);
	sessions_end_client(&endpoint->sessions, client_id);
}

const struct tool *const *endpoint_tools(const struct endpoint *endpoint)
{
	return endpoint->tools.offered;
}

const struct resource *const *endpoint_resources(const struct endpoint *endpoint)
{
	return endpoint->offer.resources;
}

const struct task_kind *const *endpoint_tasks(const struct endpoint *endpoint)
{
	return endpoint->offer.tasks;
}

void *endpoint_services(const struct endpoint *endpoint)
{
	return endpoint->offer.services;
}

const struct buffer *endpoint_tool_list(struct endpoint *endpoint, unsigned scopes)
{
	return tool_set_list(&endpoint->tools, scopes);
}

struct session *endpoint_find_session(struct endpoint *endpoint,
				      const struct client *client, const char *id)
{
	return session_find(&endpoint->sessions, client, id);
}

struct session *endpoint_session(struct endpoint *endpoint, struct exchange *exchange,
				 bool *named_out)
{
	bool conflict = false;
	const char *id = exchange_header(exchange, "Mcp-Session-Id", &conflict);

	*named_out = id != NULL;
	if (!id || conflict)
		return NULL;
	return endpoint_find_session(endpoint, exchange_client(exchange), id);
}

struct sessions *endpoint_sessions(struct endpoint *endpoint)
{
	return &endpoint->sessions;
}

struct asking *endpoint_asking(struct endpoint *endpoint)
{
	return &endpoint->offer.asking;
}

struct request_list *endpoint_cancellable(struct endpoint *endpoint)
{
	return &endpoint->cancellable;
}

struct watcher_list *endpoint_watchers(struct endpoint *endpoint)
{
	return &endpoint->watchers;
}

struct task_alarms *endpoint_task_alarms(struct endpoint *endpoint)
{
	return &endpoint->alarms;
}

struct batch_turns *endpoint_batch_turns(struct endpoint *endpoint)
{
	return &endpoint->batches;
}

struct observers *endpoint_changes(const struct endpoint *endpoint)
{
	return endpoint->offer.changes;
}
