/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The request that libmicrohttpd has: its callbacks, the gates and the exchange.
 *
 * An answer can be handed to libmicrohttpd when the headers are in, which makes it close
 * the connection afterwards, or when the request is whole. So a refusal is sent at once only
 * when a body would follow (the peer may wait for "100 Continue"); otherwise it is kept for the
 * second call and the connection lives on.
 */
#include "http/connection_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "http/gate.h"
#include "http/refusal.h"

/* The exchange's side */

static const char *carry_header(void *data, const char *name, bool *conflict_out)
{
	const struct connection *connection = data;

	return request_head_find(connection->head, name, conflict_out);
}

static void carry_header_added(void *data, const char *name, const char *value)
{
	connection_add_header(data, name, value);
}

static struct stream *carry_stream(void *data)
{
	return connection_stream(data);
}

/* A handler that lacked the memory says 503 and nothing else. */
static void carry_answer(void *data, unsigned status, const char *content_type,
			 struct buffer *body)
{
	struct connection *connection = data;
	struct response response;

	if (!connection_charge(connection, body) ||
	    (status == MHD_HTTP_SERVICE_UNAVAILABLE && !body)) {
		connection_answer_no_room(connection, body);
		return;
	}
	response = response_make(content_type, body);
	connection_answer(connection, status, &response);
}

static const struct exchange_carrier connection_carrier = {
	.header = carry_header,
	.header_added = carry_header_added,
	.streamed = carry_stream,
	.answered = carry_answer,
};

enum MHD_Result connection_wait(struct connection *connection)
{
	if (connection->network.left)
		return MHD_NO;
	MHD_suspend_connection(connection->mhd);
	connection->state = CONNECTION_WAITING;
	deadline_clear(&connection->connections->deadlines, &connection->deadline);
	return MHD_YES;
}

/* The head */

static enum MHD_Result exchange_start(struct connection *connection,
				      const struct gate_verdict *verdict)
{
	uint64_t length = connection->head->body_length;
	struct exchange_request request = {
		.handler = verdict->route->handler,
		.handler_data = verdict->route->data,
		.method = connection->head->method,
		.client = &verdict->client,
		.encrypted = connection->transport.encrypted,
		.body_length = length == REQUEST_BODY_CHUNKED ? UINT64_MAX : length,
		.budget = connection->connections->budget,
	};

	connection->exchange = exchange_new(&connection_carrier, connection, &request);
	if (!connection->exchange)
		return connection_no_room(connection);
	exchange_begin(connection->exchange);
	return MHD_YES;
}

static void refuse(struct connection *connection, const struct gate_verdict *verdict)
{
	struct response response = refusal_response(verdict);

	/* nothing of what was sent: some put tokens into paths, too */
	if (verdict->status != MHD_HTTP_NO_CONTENT)
		log_debug("http: %s: %u, %s",
			  verdict->route ? verdict->route->path : "another path",
			  verdict->status, verdict->text);
	connection_respond(connection, verdict->status, &response);
}

/* Who fails is told later and later, and then only how long to wait. */
static void judge_token(struct connection *connection, struct gate_verdict *verdict)
{
	struct lockout *lockout = &connection->connections->lockout;
	struct lockout_verdict locked;

	if (verdict->right_token && verdict->client.id)
		connections_prove(connection, verdict->client.id);
	if (!verdict->status && verdict->client.id)
		lockout_right(lockout, &connection->peer.any);
	if (!verdict->wrong_token)
		return;
	locked = lockout_wrong(lockout, &connection->peer.any);
	connection->delay_ms = locked.delay_ms;
	if (!locked.retry_after_seconds)
		return;
	verdict->status = MHD_HTTP_TOO_MANY_REQUESTS;
	verdict->text = "too many wrong tokens came from this address: wait as long as "
			"Retry-After says; a right token is taken at any time";
	verdict->retry_after_seconds = locked.retry_after_seconds;
}

static enum MHD_Result handle_head(struct connection *connection)
{
	const struct connections *all = connection->connections;
	const struct gate_request request = {
		.head = connection->head,
		.local = address_is_loopback(&connection->peer),
	};
	struct gate_verdict verdict;

	connection->judged = true;
	gate_check(&request, all->config, all->routes, all->auth, &verdict);
	request_head_forget_secrets(connection->head);
	judge_token(connection, &verdict);
	if (verdict.status == MHD_HTTP_UNAUTHORIZED || verdict.wrong_token)
		auth_tell_failed(all->auth, &connection->peer.any);
	connection->origin = verdict.origin;
	connection->route = verdict.route;
	if (verdict.status)
		refuse(connection, &verdict);
	else if (exchange_start(connection, &verdict) != MHD_YES)
		return MHD_NO;
	if (!connection->response || (!connection->head->body_length && !verdict.close))
		return MHD_YES;
	return connection_send_or_delay(connection);
}

/* The body */

static enum MHD_Result handle_body(struct connection *connection, const char *data,
				   size_t length)
{
	if (!connection->exchange || exchange_answered(connection->exchange))
		return MHD_YES; /* thrown away: the answer waits for the request's end */
	return exchange_receive(connection->exchange, data, length)
		       ? connection_no_room(connection)
		       : MHD_YES;
}

static enum MHD_Result handle_end(struct connection *connection)
{
	struct exchange *exchange = connection->exchange;

	if (exchange && !exchange_answered(exchange)) {
		if (!connection_is_in_time(connection))
			return connection_put_off(connection);
		exchange_complete(exchange);
		if (connection->connections->stopping)
			exchange_stop(exchange);
	}
	if (connection->response)
		return connection_send_or_delay(connection);
	if (!exchange || exchange_answered(exchange))
		return MHD_NO; /* no memory for the answer */
	return connection_wait(connection);
}

/* Callbacks of libmicrohttpd */

enum MHD_Result connection_handle(void *all, struct MHD_Connection *mhd, const char *path,
				  const char *method, const char *version,
				  const char *data, size_t *length, void **request)
{
	struct connection *connection = *request;
	size_t received = *length;

	(void)all;
	(void)mhd;
	(void)path;
	(void)method;
	(void)version;
	*length = 0;
	if (!connection || connection->state != CONNECTION_BODY)
		return MHD_NO; /* abandoned, and resumed to be closed */
	if (!connection->judged)
		return handle_head(connection);
	if (received)
		return handle_body(connection, data, received);
	return handle_end(connection);
}

void *connection_begin(void *all, const char *uri, struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	(void)all;
	(void)uri;
	return info ? info->socket_context : NULL;
}

void connection_end_request(struct connection *connection)
{
	struct exchange *exchange = connection->exchange;

	connection_later_forget(connection);
	connection->exchange = NULL;
	exchange_free(exchange);
	if (connection->response)
		MHD_destroy_response(connection->response);
	connection->response = NULL;
	stream_free(connection->stream);
	connection->stream = NULL;
	connection->unsent = NULL;
	memory_budget_give(connection->connections->budget, connection->charged);
	connection->charged = 0;
	connection->asleep = false;
	memset(connection->headers, 0, sizeof(connection->headers));
	connection->delay_ms = 0;
	connection->origin = NULL;
	connection->route = NULL;
	free(connection->head);
	connection->head = NULL;
}

void connection_completed(void *all, struct MHD_Connection *mhd, void **request,
			  enum MHD_RequestTerminationCode code)
{
	struct connections *connections = all;
	struct connection *connection = *request;

	(void)mhd;
	if (!connection)
		return;
	/* where no token is asked for, a whole exchange is all that can be had */
	if (connections->auth->open && connection->exchange &&
	    code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		connections_prove(connection, 0);
	if (connection->pair.fd < 0)
		engine_kick(
			&connections
				 ->engine); /* it lets go, at the latest in one more run */
	connection_end_request(connection);
	connection->completed = true;
	if (connection->state == CONNECTION_STREAMING)
		connection->state = CONNECTION_ANSWERING;
	connection_mark(connection);
}

static struct connection *find_joining(const struct connections *connections,
				       struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct connection *connection;

	TAILQ_FOREACH (connection, &connections->joining, joining_link)
		if (connection->engine_fd == info->connect_fd)
			break;
	assert(connection);
	return connection;
}

void connection_part(struct connection *connection)
{
	if (connection->engine == CONNECTION_JOINING)
		TAILQ_REMOVE(&connection->connections->joining, connection, joining_link);
	connection->engine = CONNECTION_PARTED;
	connection->mhd = NULL;
	connection_mark(connection);
}

void connection_notify(void *all, struct MHD_Connection *mhd, void **socket_context,
		       enum MHD_ConnectionNotificationCode code)
{
	struct connections *connections = all;
	struct connection *connection = *socket_context;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		connection_part(connection);
		return;
	}
	connection = find_joining(connections, mhd);
	TAILQ_REMOVE(&connections->joining, connection, joining_link);
	connection->engine = CONNECTION_JOINED;
	connection->mhd = mhd;
	*socket_context = connection;
	engine_kick(&connections->engine); /* 1.0.1 looks at its socket in the next run */
}
