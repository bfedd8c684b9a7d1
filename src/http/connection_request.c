/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The request that libmicrohttpd has: gates, exchange, and the answer.
 *
 *   head -> gates -> exchange_begin() -> body -> end -> exchange_complete() -> answer or wait
 *
 * When to answer: libmicrohttpd takes an answer either when the headers are in, and then closes the
 * connection afterwards, or when the request is complete. So a refusal is queued at once only when
 * a body would follow, because the peer may wait for "100 Continue". Otherwise it is kept until the
 * last call, and the connection stays open. While the body arrives no answer can be given: a body
 * that is too long is dropped until it ends, or the connection is closed. Outside these calls an
 * answer can only be given while the connection is suspended (CONNECTION_WAITING,
 * CONNECTION_DELAYED).
 *
 * Streams: libmicrohttpd asks for the next piece once it has written the one before. While nothing
 * waits, the connection is suspended and has no deadline. Otherwise each piece has a deadline of its
 * own (tests/unit/test_stream.c).
 */
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "http/connection.h"

enum {
	/* A refusal that is held back uses up a connection; others go out at once. */
	CONNECTION_REQUEST_DELAYED_MAX = 32,
	CONNECTION_REQUEST_DELAY_ACCURACY_US = 10 * 1000,
	/* Smaller answers, such as the list of tools, are not charged to the budget. */
	CONNECTION_REQUEST_FREE_BYTES = 48 * 1024,
	/* A peer that acknowledges no byte of a stream for so long is gone. */
	CONNECTION_REQUEST_UNACKNOWLEDGED_MS = 30 * 1000,
	/* A body is dropped up to here, so that the peer reads why it was refused. */
	CONNECTION_REQUEST_DROPPED_BYTES_MAX = 1024 * 1024,
};

/* Answers */

/* libmicrohttpd 0.9.75 reads heads and chunks less strictly than 1.0 and later. */
static bool connection_request_parser_is_lax(void)
{
	return *MHD_get_version() == '0';
}

/* Its chunks could hide another request: bare LF between them, or anything behind their sizes. */
static bool connection_request_has_lax_chunks(const struct connection *connection)
{
	return connection->head.body_length == REQUEST_HEAD_BODY_CHUNKED &&
	       connection_request_parser_is_lax();
}

/* Completes the response: connection->response, or NULL without memory. */
static void connection_request_set_response(struct connection *connection,
					    unsigned status, struct response *response)
{
	for (size_t at = 0; at < EXCHANGE_HEADERS_MAX && connection->headers[at].name;
	     at++)
		response_header(response, connection->headers[at].name,
				connection->headers[at].value);
	if (connection->connections->stopping || connection->yields ||
	    connection_request_has_lax_chunks(connection))
		response_header(response, "Connection", "close");
	assert(status <= HTTP_SERVER_STATUS_MAX);
	connection->status = status;
	connection->response = response->message;
}

/* Hands the response to libmicrohttpd. */
static enum MHD_Result connection_request_queue(struct connection *connection)
{
	enum MHD_Result result = MHD_queue_response(connection->mhd, connection->status,
						    connection->response);

	connection->connections->counts.answers[connection->status]++;
	MHD_destroy_response(connection->response);
	connection->response = NULL;
	connection->state =
		connection->stream ? CONNECTION_STREAMING : CONNECTION_ANSWERING;
	deadline_set(&connection->connections->deadlines, &connection->deadline,
		     DEADLINE_REQUEST);
	return result;
}

void connection_request_end_delay(struct connection *connection)
{
	bool queued = connection_request_queue(connection) == MHD_YES;

	connection->delay = sd_event_source_disable_unref(connection->delay);
	connection->connections->delayed_count--;
	connection_resume(connection);
	if (!queued)
		connection_close(connection);
}

static int connection_request_on_delay(sd_event_source *source, uint64_t due_us,
				       void *data)
{
	connection_request_end_delay(data);
	return 0;
}

static enum MHD_Result connection_request_queue_or_delay(struct connection *connection)
{
	struct connections *all = connection->connections;

	if (!connection->delay_ms ||
	    all->delayed_count == CONNECTION_REQUEST_DELAYED_MAX || all->stopping ||
	    sd_event_add_time_relative(all->loop, &connection->delay, CLOCK_MONOTONIC,
				       (uint64_t)connection->delay_ms * 1000,
				       CONNECTION_REQUEST_DELAY_ACCURACY_US,
				       connection_request_on_delay, connection) < 0)
		return connection_request_queue(connection);
	all->delayed_count++;
	connection_suspend(connection);
	connection->state = CONNECTION_DELAYED;
	deadline_clear(&all->deadlines, &connection->deadline);
	return MHD_YES;
}

/*
 * Inside a callback of libmicrohttpd the response is queued when that ends. While the connection
 * waits it is queued now.
 */
static void connection_request_answer(struct connection *connection, unsigned status,
				      struct response *response)
{
	if (connection->allowed_origin)
		response_allow_origin(response, connection->allowed_origin);
	connection_request_set_response(connection, status, response);
	if (connection->state != CONNECTION_WAITING)
		return;
	if (!connection->response || connection_request_queue(connection) != MHD_YES) {
		connection_close(connection);
		return;
	}
	connection_resume(connection);
}

/* Refuses the request for a reason that came up after the gates. */
static void connection_request_refuse(struct connection *connection, unsigned status,
				      const char *text)
{
	struct buffer body = BUFFER_INIT;
	struct response response;

	response_write_refusal_body(&body, connection->route, status, text);
	response = response_make("application/json", &body);
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
		response_header(&response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
	connection_request_answer(connection, status, &response);
}

static void connection_request_refuse_no_memory(struct connection *connection)
{
	connection_request_refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				  CONNECTION_NO_MEMORY);
}

/* Streams */

/* connection_request_read_stream() follows, and sets the deadline. */
static void connection_request_on_stream_filled(void *data)
{
	connection_resume(data);
}

static void connection_request_on_stream_overrun(void *data)
{
	struct connection *connection = data;

	log_info("http: connection %d: does not read its stream; closed", connection->fd);
	connection_close(connection);
}

/* libmicrohttpd has written the piece before and asks for the next. */
static ssize_t connection_request_read_stream(void *data, uint64_t position, char *to,
					      size_t room)
{
	struct connection *connection = data;
	struct deadlines *deadlines = &connection->connections->deadlines;
	size_t length;

	engine_heard(connection->engine);
	if (connection->state != CONNECTION_STREAMING)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	length = stream_read(connection->stream, to, room);
	if (length || stream_is_ended(connection->stream)) {
		deadline_set(deadlines, &connection->deadline, DEADLINE_REQUEST);
		return length ? (ssize_t)length : MHD_CONTENT_READER_END_OF_STREAM;
	}
	deadline_clear(deadlines, &connection->deadline);
	connection_suspend(connection);
	return 0;
}

/* Callbacks of the exchange */

static const char *connection_request_on_header(void *data, const char *name,
						bool *conflict_out)
{
	const struct connection *connection = data;

	return request_head_find(&connection->head, name, conflict_out);
}

static bool connection_request_on_header_has(void *data, const char *name,
					     const char *text)
{
	const struct connection *connection = data;

	return request_head_has(&connection->head, name, text);
}

static void connection_request_on_header_added(void *data, const char *name,
					       const char *value)
{
	struct connection *connection = data;
	size_t at = 0;

	while (at < EXCHANGE_HEADERS_MAX && connection->headers[at].name)
		at++;
	assert(at < EXCHANGE_HEADERS_MAX);
	connection->headers[at].name = name;
	connection->headers[at].value = value;
}

static struct stream *connection_request_on_stream(void *data)
{
	static const struct streams_carrier carrier = {
		.filled = connection_request_on_stream_filled,
		.overrun = connection_request_on_stream_overrun,
	};
	const int timeout_ms = CONNECTION_REQUEST_UNACKNOWLEDGED_MS;
	struct connection *connection = data;
	struct response response;

	connection->stream =
		stream_new(&connection->connections->streams, &carrier, connection);
	if (!connection->stream)
		return NULL;
	setsockopt(connection->fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms,
		   sizeof(timeout_ms));
	response = response_make_stream(connection_request_read_stream, connection,
					!connection->head.is_http_1_0);
	connection_request_answer(connection, MHD_HTTP_OK, &response);
	return connection->stream;
}

static void connection_request_on_answer(void *data, unsigned status,
					 const char *content_type, struct buffer *body)
{
	struct connection *connection = data;
	struct response response;
	size_t charge = 0;

	if (body && body->length > CONNECTION_REQUEST_FREE_BYTES)
		charge = body->length;
	/* a handler without memory answers 503 without a body */
	if ((status == MHD_HTTP_SERVICE_UNAVAILABLE && !body) ||
	    !arena_budget_take(connection->connections->budget, charge)) {
		if (body)
			buffer_deinit(body);
		connection_request_refuse_no_memory(connection);
		return;
	}
	connection->charged_bytes += charge;
	response = response_make(content_type, body);
	connection_request_answer(connection, status, &response);
}

/* Head */

/* Returns false if it cannot be trusted, and the answer says why. */
static bool connection_request_read_head(struct connection *connection,
					 const char *method, const char *path,
					 const char *version)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	size_t length = info ? info->header_size : 0;
	struct request_head_error error = { MHD_HTTP_BAD_REQUEST,
					    "header lines must end in CRLF: send no "
					    "folded line, bare LF, bare CR or NUL" };
	struct request_head *head = &connection->head;

	head->method = method;
	head->length = length;
	head->path = path;
	head->version = version;
	if (!request_head_read_lines(head, connection->mhd)) {
		connection_request_refuse_no_memory(connection);
		return false;
	}
	if (!length || length > REQUEST_HEAD_BYTES_MAX)
		error = (struct request_head_error){
			MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE,
			"the request line and the header lines together are longer than "
			"8192 bytes: send less"
		};
	else if ((!connection_request_parser_is_lax() || request_head_is_whole(head)) &&
		 request_head_check(head, &error))
		return true;
	connection_request_refuse(connection, error.status, error.text);
	return false;
}

static void connection_request_start_exchange(struct connection *connection,
					      const struct gate_verdict *verdict)
{
	static const struct exchange_carrier carrier = {
		.header = connection_request_on_header,
		.header_has = connection_request_on_header_has,
		.header_added = connection_request_on_header_added,
		.streamed = connection_request_on_stream,
		.answered = connection_request_on_answer,
	};
	uint64_t length = connection->head.body_length;
	struct exchange_carrier_request request = {
		.handler = verdict->route->handler,
		.handler_data = verdict->route->data,
		.method = connection->head.method,
		.client = &verdict->client,
		.peer = &connection->peer,
		.encrypted = connection->engine->tls,
		.body_length = length == REQUEST_HEAD_BODY_CHUNKED ? UINT64_MAX : length,
		.budget = connection->connections->budget,
	};

	connection->exchange = exchange_new(&carrier, connection, &request);
	if (connection->exchange)
		exchange_begin(connection->exchange);
	else
		connection_request_refuse_no_memory(connection);
}

/* A wrong token is refused later each time, and finally with 429. */
static void connection_request_check_token(struct connection *connection,
					   struct gate_verdict *verdict)
{
	struct lockout *lockout = &connection->connections->lockout;
	struct lockout_verdict locked;

	if (verdict->right_token && verdict->client.id)
		connection_trust(connection, verdict->client.id);
	if (!verdict->status && verdict->client.id)
		lockout_clear(lockout, &connection->peer);
	if (!verdict->wrong_token)
		return;
	locked = lockout_add_failure(lockout, &connection->peer);
	connection->delay_ms = locked.delay_ms;
	if (!locked.retry_after_seconds)
		return;
	verdict->status = MHD_HTTP_TOO_MANY_REQUESTS;
	verdict->text = "too many wrong tokens came from this address: wait as long as "
			"Retry-After says; a right token is accepted at any time";
	verdict->retry_after_seconds = locked.retry_after_seconds;
}

static void connection_request_pass_gates(struct connection *connection,
					  struct gate_verdict *verdict)
{
	const struct connections *all = connection->connections;
	const struct gate_request request = {
		.head = &connection->head,
		.config = all->config,
		.routes = all->routes,
		.auth = all->auth,
		.local = address_is_loopback(&connection->peer),
		.local_name = connection->local_name,
		.verdict = verdict,
	};
	char source[ADDRESS_TEXT_BYTES];

	gate_check(&request);
	request_head_clear_secrets(&connection->head,
				   verdict->route && verdict->route->reads_cookie);
	connection_request_check_token(connection, verdict);
	if (all->auth->failed &&
	    (verdict->status == MHD_HTTP_UNAUTHORIZED || verdict->wrong_token)) {
		address_format_host(&connection->peer, source);
		all->auth->failed(all->auth->failed_data, source);
	}
	connection->allowed_origin = verdict->origin;
	connection->route = verdict->route;
}

/* Only a request that will be answered in the last call keeps the connection. */
static enum MHD_Result connection_request_handle_head(struct connection *connection,
						      const char *method,
						      const char *path,
						      const char *version)
{
	struct gate_verdict verdict;

	if (!connection_request_read_head(connection, method, path, version))
		return connection_request_queue(connection);
	connection_request_pass_gates(connection, &verdict);
	if (verdict.status) {
		struct response response = response_make_refusal(&verdict);

		/* log no path that was sent: some clients put tokens into it */
		if (verdict.status != MHD_HTTP_NO_CONTENT)
			log_debug("http: %s: %u, %s",
				  verdict.route ? verdict.route->path : "another path",
				  verdict.status, verdict.text);
		connection_request_set_response(connection, verdict.status, &response);
	} else {
		connection_request_start_exchange(connection, &verdict);
	}
	if (!connection->response || (!connection->head.body_length && !verdict.close))
		return MHD_YES;
	return connection_request_queue_or_delay(connection);
}

/* Body and end */

static void connection_request_end_exchange(struct connection *connection)
{
	struct exchange *exchange = connection->exchange;

	connection->exchange = NULL;
	exchange_free(exchange);
}

static enum MHD_Result connection_request_handle_body(struct connection *connection,
						      const char *data, size_t length)
{
	int error;

	connection->received_bytes += length;
	if (connection->received_bytes > CONNECTION_REQUEST_DROPPED_BYTES_MAX)
		return MHD_NO;
	if (!connection->exchange || exchange_is_answered(connection->exchange))
		return MHD_YES; /* not needed: the answer waits for the request's end */
	error = exchange_receive(connection->exchange, data, length);
	if (!error)
		return MHD_YES;
	connection_request_end_exchange(connection);
	if (error == -EMSGSIZE)
		connection_request_refuse(connection, MHD_HTTP_CONTENT_TOO_LARGE,
					  GATE_BODY_TOO_LONG);
	else
		connection_request_refuse_no_memory(connection);
	return MHD_YES;
}

/* Sets a timer that is due at once; engine.c explains why it is not a deferred source. */
void connection_request_schedule_postponed(struct connections *all)
{
	if (sd_event_source_set_time(all->postponed_turn, 0) < 0 ||
	    sd_event_source_set_enabled(all->postponed_turn, SD_EVENT_ONESHOT) < 0)
		log_error("http: cannot schedule requests");
}

static void connection_request_postpone(struct connection *connection)
{
	struct connections *all = connection->connections;

	connection->postponed = true;
	TAILQ_INSERT_TAIL(&all->postponed, connection, postponed_link);
	connection_request_schedule_postponed(all);
}

void connection_request_unpostpone(struct connection *connection)
{
	connection->postponed = false;
	TAILQ_REMOVE(&connection->connections->postponed, connection, postponed_link);
}

/* Suspends the connection until the exchange answers, or until a later turn completes it. */
static enum MHD_Result connection_request_wait(struct connection *connection,
					       bool postponed)
{
	if (connection->hung_up)
		return MHD_NO;
	connection_suspend(connection);
	connection->state = CONNECTION_WAITING;
	deadline_clear(&connection->connections->deadlines, &connection->deadline);
	if (postponed)
		connection_request_postpone(connection);
	return MHD_YES;
}

static enum MHD_Result connection_request_handle_end(struct connection *connection)
{
	const struct connections *all = connection->connections;
	struct exchange *exchange = connection->exchange;

	if (exchange && !exchange_is_answered(exchange)) {
		if (!connection->hung_up &&
		    clock_monotonic_ms() - connection->engine->run_began_ms >=
			    CONNECTIONS_TURN_MS)
			return connection_request_wait(connection, true);
		exchange_complete(exchange);
		if (all->stopping)
			exchange_stop(exchange);
	}
	if (connection->response)
		return connection_request_queue_or_delay(connection);
	if (!exchange || exchange_is_answered(exchange))
		return MHD_NO; /* no memory for the answer */
	return connection_request_wait(connection, false);
}

/* Frees everything of the current request. */
static void connection_request_end(struct connection *connection)
{
	if (connection->postponed)
		connection_request_unpostpone(connection);
	connection_request_end_exchange(connection);
	if (connection->response)
		MHD_destroy_response(connection->response);
	connection->response = NULL;
	stream_free(connection->stream);
	connection->stream = NULL;
	arena_budget_give(connection->connections->budget, connection->charged_bytes);
	connection->charged_bytes = 0;
	memset(connection->headers, 0, sizeof(connection->headers));
	connection->received_bytes = 0;
	connection->delay_ms = 0;
	connection->allowed_origin = NULL;
	connection->route = NULL;
	free(connection->head.lines);
	connection->head = (struct request_head){ .method = NULL };
}

/* Callbacks of libmicrohttpd */

void *connection_request_begin(void *all, const char *target, struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct connection *connection = info->socket_context;

	engine_heard(connection->engine);
	connection->head.target = target;
	connection->head.target_length = strlen(target);
	/* libmicrohttpd cuts the query into pieces later */
	connection->head.target_is_clean = request_head_target_is_clean(target);
	if (connection->state == CONNECTION_CLOSED)
		return connection;
	connection->state = CONNECTION_HEAD;
	/* a new connection has had this deadline since it was accepted */
	if (!connection->hung_up && connection->deadline.kind != DEADLINE_REQUEST)
		deadline_set(&connection->connections->deadlines, &connection->deadline,
			     DEADLINE_REQUEST);
	return connection;
}

enum MHD_Result connection_request_handle(void *all, struct MHD_Connection *mhd,
					  const char *path, const char *method,
					  const char *version, const char *data,
					  size_t *length, void **request)
{
	struct connection *connection = *request;
	size_t received = *length;

	*length = 0;
	engine_heard(connection->engine);
	if (connection->state == CONNECTION_HEAD) {
		connection->state = CONNECTION_BODY;
		return connection_request_handle_head(connection, method, path, version);
	}
	if (connection->state != CONNECTION_BODY)
		return MHD_NO; /* closed, or an answer could not be queued */
	if (received)
		return connection_request_handle_body(connection, data, received);
	return connection_request_handle_end(connection);
}

/* Returns to waiting for a request; if the connection closes, that follows in this run. */
void connection_request_completed(void *all, struct MHD_Connection *mhd, void **request,
				  enum MHD_RequestTerminationCode code)
{
	struct connections *connections = all;
	struct connection *connection = *request;

	engine_heard(connection->engine);
	/* in open mode a complete exchange is the only proof of good intent */
	if (connections->auth->open && connection->exchange &&
	    code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		connection_trust(connection, 0);
	if (connection->head.method)
		request_head_clear(&connection->head);
	connection_request_end(connection);
	/* after an error, libmicrohttpd lets go of the connection only in another run */
	if (code != MHD_REQUEST_TERMINATED_COMPLETED_OK)
		engine_kick(connection->engine);
	if (connection->state == CONNECTION_CLOSED)
		return;
	connection->state = CONNECTION_IDLE;
	deadline_set(&connections->deadlines, &connection->deadline,
		     connection->hung_up ? DEADLINE_LINGER : DEADLINE_IDLE);
	if (connections->stopping || connection->yields)
		connection_close(connection);
}

void connection_request_notified(void *all, struct MHD_Connection *mhd,
				 void **socket_context,
				 enum MHD_ConnectionNotificationCode code)
{
	struct connection *connection = *socket_context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		*socket_context = connection = connection_take(all, mhd);
	engine_heard(connection->engine);
	if (code != MHD_CONNECTION_NOTIFY_CLOSED)
		return;
	connection_request_end(connection);
	connection_free(connection);
}
