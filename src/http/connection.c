/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life of a connection:
 *
 *   IDLE -> LINE -> BODY -> ANSWERING or STREAMING -> IDLE ...
 *                    |  ^
 *         WAITING or DELAYED (suspended in libmicrohttpd: it neither reads nor times out)
 *
 * and CLOSING from everywhere, once we shut the socket down. Every state but WAITING, DELAYED,
 * which has a timer of its own, and CLOSING has a deadline; how STREAMING has one,
 * connection_stream.c tells. libmicrohttpd is the one that closes and frees: what we do is
 * shutdown(), and it then finds out.
 *
 * An answer can be handed to libmicrohttpd when the headers are in, which makes it close
 * the connection afterwards, or when the request is whole. So a refusal is sent at once only
 * when a body would follow (the peer may wait for "100 Continue"); else it is kept for the
 * second call and the connection lives on.
 *
 * What happens when the peer leaves, connection_peer.c tells.
 */
#include "http/connection_private.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/address.h"
#include "base/log.h"
#include "http/admission.h"
#include "http/gate.h"
#include "http/header_lines.h"
#include "http/refusal.h"

void connection_hang_up(struct connection *connection)
{
	connection->state = CONNECTION_CLOSING;
	connections_retire(connection->connections, connection);
	deadline_clear(&connection->connections->deadlines, &connection->deadline);
	shutdown(connection->fd, SHUT_RDWR);
	pump_kick(connection->pump);
}

/* The exchange's side */

static const char *carry_header(void *data, const char *name, bool *conflict_out)
{
	const struct connection *connection = data;

	return header_lines_find(connection->mhd, name, conflict_out);
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

/* Waiting */

bool connection_is_open_ended(const struct connection *connection)
{
	return connection->state == CONNECTION_WAITING ||
	       (connection->state == CONNECTION_STREAMING &&
		!stream_is_ended(connection->stream));
}

void connection_abandon(struct connection *connection)
{
	if (connection->state == CONNECTION_WAITING)
		connection->asleep = true;
	connection_hang_up(connection);
	exchange_abandon(connection->exchange);
	connection_awake(connection);
}

enum MHD_Result connection_wait(struct connection *connection)
{
	if (connection->peer_gone || !connection_watch(connection))
		return MHD_NO;
	MHD_suspend_connection(connection->mhd);
	connection->state = CONNECTION_WAITING;
	deadline_clear(&connection->connections->deadlines, &connection->deadline);
	return MHD_YES;
}

/* Requests */

static enum MHD_Result exchange_start(struct connection *connection,
				      const struct gate_verdict *verdict,
				      const char *method)
{
	struct exchange_request request = {
		.handler = verdict->route->handler,
		.handler_data = verdict->route->data,
		.method = method,
		.client = &verdict->client,
		.encrypted = MHD_get_connection_info(
				     connection->mhd,
				     MHD_CONNECTION_INFO_GNUTLS_SESSION) != NULL,
		.body_length = verdict->body_length,
		.budget = connection->connections->budget,
	};

	connection->exchange = exchange_new(&connection_carrier, connection, &request);
	if (!connection->exchange)
		return connection_no_room(connection);
	exchange_begin(connection->exchange);
	return MHD_YES;
}

static void connection_refuse(struct connection *connection,
			      const struct gate_verdict *verdict)
{
	struct response response = refusal_response(verdict);

	/* nothing of what was sent: some put tokens into paths, too */
	if (verdict->status != MHD_HTTP_NO_CONTENT)
		log_debug("http: %s: %u, %s",
			  verdict->route ? verdict->route->path : "another path",
			  verdict->status, verdict->text);
	connection_respond(connection, verdict->status, &response);
}

static void tell_failed(struct connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection->mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	if (info)
		auth_tell_failed(connection->connections->auth, info->client_addr);
}

/* Who fails is told later and later, and then only how long to wait. */
static void token_judge(struct connection *connection, struct gate_verdict *verdict)
{
	struct lockout *lockout = &connection->connections->lockout;
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection->mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct lockout_verdict locked;

	if (!verdict->status && verdict->client.id)
		lockout_right(lockout, info->client_addr);
	if (!verdict->wrong_token)
		return;
	locked = lockout_wrong(lockout, info->client_addr);
	connection->delay_ms = locked.delay_ms;
	if (!locked.retry_after_seconds)
		return;
	verdict->status = MHD_HTTP_TOO_MANY_REQUESTS;
	verdict->text = "too many wrong tokens came from this address: wait as long as "
			"Retry-After says; a right token is taken at any time";
	verdict->retry_after_seconds = locked.retry_after_seconds;
}

/* libmicrohttpd takes no answer any more, or not yet. */
static void refuse_late(struct connection *connection, unsigned status, const char *text)
{
	connections_count_answer(connection->connections, status);
	refusal_send(connection->mhd, connection->route, status, text);
}

static enum MHD_Result handle_headers(struct connection *connection,
				      struct gate_request *request)
{
	const struct connections *all = connection->connections;
	struct gate_verdict verdict;

	if (!header_lines_fit(connection->mhd)) {
		header_lines_forget_token(connection->mhd, request);
		refuse_late(connection, 431, HEADER_TOO_LONG);
		connection->unread = true;
		return MHD_NO;
	}
	gate_check(request, all->config, all->routes, all->auth, &verdict);
	header_lines_forget_token(connection->mhd, request);
	token_judge(connection, &verdict);
	if (verdict.status == MHD_HTTP_UNAUTHORIZED || verdict.wrong_token)
		tell_failed(connection);
	connection->state = CONNECTION_BODY;
	connection->origin = verdict.origin;
	connection->route = verdict.route;
	if (verdict.status)
		connection_refuse(connection, &verdict);
	else if (exchange_start(connection, &verdict, request->method) != MHD_YES)
		return MHD_NO;
	if (!connection->response || (!verdict.body_length && !verdict.close))
		return MHD_YES;
	connection->unread = verdict.body_length > 0;
	return connection_send_or_delay(connection);
}

static enum MHD_Result handle_body(struct connection *connection, const char *data,
				   size_t length)
{
	int error;

	if (!connection->exchange || exchange_answered(connection->exchange))
		return MHD_YES; /* thrown away: the answer waits for the request's end */
	error = exchange_receive(connection->exchange, data, length);
	if (error == -ENOMEM)
		return connection_no_room(connection);
	if (error == -EMSGSIZE) {
		refuse_late(connection, 413,
			    "the body is longer than 65536 bytes: send less");
		connection->unread = true;
	}
	return error ? MHD_NO : MHD_YES;
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

/* Connections */

static void on_expired(struct deadline *deadline)
{
	struct connection *connection =
		(struct connection *)((char *)deadline -
				      offsetof(struct connection, deadline));

	if (deadline->kind == DEADLINE_GONE && !connection_is_lost(connection)) {
		deadline_set(&connection->connections->deadlines, deadline,
			     DEADLINE_DRAIN);
		return;
	}
	if (connection->state == CONNECTION_LINE || connection->state == CONNECTION_BODY)
		refuse_late(connection, 408,
			    connection->peer_gone ? "the request ended in its middle"
						  : "the request did not arrive in time");
	log_debug("http: connection %d: time is over", connection->fd);
	connection_hang_up(connection);
}

static void connection_new(struct connection_home *home, struct MHD_Connection *mhd,
			   void **socket_context)
{
	struct connections *all = home->connections;
	struct share *share = admission_share(all, mhd);
	struct connection *connection = share ? calloc(1, sizeof(*connection)) : NULL;
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
	const char *flaw;

	*socket_context = connection; /* NULL: its requests are turned down */
	if (!connection && share)
		share_release(share);
	if (!connection)
		return;
	connection->connections = all;
	connection->pump = home->pump;
	connection->mhd = mhd;
	connection->fd = info->connect_fd;
	connection->share = share;
	connection->deadline.expired = on_expired;
	deadline_set(&all->deadlines, &connection->deadline, DEADLINE_REQUEST);
	connections_join(all, connection);
	connection_watch(
		connection); /* without memory it is tried again when it matters */
	if (!network_interfaces_admit(&all->interfaces, connection->fd)) {
		connection_hang_up(connection);
		return;
	}
	flaw = admission_flaw(all, connection);
	if (flaw)
		admission_refuse(connection, flaw);
}

static void connection_free(struct connection *connection)
{
	struct connections *all = connection->connections;
	struct share *share = connection->share;

	if (connection->unread)
		drain_start(&all->drains, connection->fd);
	deadline_clear(&all->deadlines, &connection->deadline);
	if (connection->watched)
		peer_watch_remove(&all->peers, connection->fd);
	all->refused -= connection->refused;
	connections_leave(all, connection);
	share_release(share);
	free(connection);
}

/* The target up to its end, or to a character that may not be in it. */
static const char *target_end(const char *uri)
{
	while ((unsigned char)*uri > ' ' && *uri != 0x7f)
		uri++;
	return uri;
}

static bool is_local(struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct address address;

	if (!info)
		return false;
	address_take(&address, info->client_addr);
	return address_is_loopback(&address);
}

/* Callbacks of libmicrohttpd */

enum MHD_Result connection_handle(void *home, struct MHD_Connection *mhd,
				  const char *path, const char *method,
				  const char *version, const char *data, size_t *length,
				  void **request)
{
	struct connection_home *at = home;
	struct connection *connection = *request;
	size_t received = *length;

	at->pump->moved = true;
	*length = 0;
	if (!connection)
		return MHD_NO;
	if (connection->state == CONNECTION_LINE) {
		struct gate_request headers;

		headers.method = method;
		headers.path = path;
		headers.version = version;
		connection->in_chunks = strcmp(version, "HTTP/1.0") != 0;
		headers.local = is_local(mhd);
		header_lines_collect(mhd, connection->line_end, &headers);
		connection->header = method;
		connection->header_length = header_lines_length(mhd);
		return handle_headers(connection, &headers);
	}
	if (connection->state != CONNECTION_BODY)
		return MHD_NO; /* abandoned, and resumed to be closed */
	if (received)
		return handle_body(connection, data, received);
	return handle_end(connection);
}

void *connection_request_line(void *home, const char *uri, struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct connection *connection = info ? info->socket_context : NULL;
	struct connection_home *at = home;

	at->pump->moved = true;
	if (!connection || connection->state != CONNECTION_IDLE)
		return connection;
	connection->state = CONNECTION_LINE;
	connection->line_end = target_end(uri);
	if (!header_lines_fit_uri(uri)) {
		refuse_late(connection, 414, HEADER_TOO_LONG);
		connection->unread = true;
		connection_hang_up(connection);
		return connection;
	}
	/*
	 * A fresh connection has its deadline since it was accepted, and one whose peer left
	 * since then.
	 */
	if (!connection->peer_gone && connection->deadline.kind != DEADLINE_REQUEST)
		deadline_set(&connection->connections->deadlines, &connection->deadline,
			     DEADLINE_REQUEST);
	return connection;
}

void connection_completed(void *home, struct MHD_Connection *mhd, void **request,
			  enum MHD_RequestTerminationCode code)
{
	struct connection *connection = *request;
	struct exchange *exchange;

	(void)home;
	(void)mhd;
	if (!connection)
		return;
	exchange = connection->exchange;
	connection_later_forget(connection);
	connection->proven |= exchange && code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
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
	header_lines_forget(connection->header, connection->header_length);
	connection->header_length = 0;
	connection->delay_ms = 0;
	connection->origin = NULL;
	connection->route = NULL;
	if (connection->state == CONNECTION_CLOSING)
		return;
	connection_rest(connection);
	if (connection->connections->stopping)
		connection_hang_up(connection);
}

void connection_notify(void *home, struct MHD_Connection *mhd, void **socket_context,
		       enum MHD_ConnectionNotificationCode code)
{
	struct connection_home *at = home;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		connection_new(at, mhd, socket_context);
		return;
	}
	if (*socket_context)
		connection_free(*socket_context);
	pump_kick(at->pump); /* it accepts again only in a run after this one */
}
