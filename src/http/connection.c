/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life of a connection:
 *
 *   HANDSHAKE -> IDLE -> HEAD -> BODY -> ANSWERING or STREAMING -> IDLE ...
 *                                 |  ^
 *                      WAITING or DELAYED (suspended in libmicrohttpd)
 *
 * Every state may lead to LINGERING and then CLOSED. Every state has a deadline that slowly arriving
 * bytes do not move, except WAITING, CLOSED and DELAYED, which has a timer of its own. For the
 * deadline of STREAMING see connection_request.c.
 *
 * A connection has two sockets: `network` is the peer's, `link.pair` leads to libmicrohttpd, which
 * it joins with its first request. Closing our end of the pair is noticed by libmicrohttpd in its
 * next run; only then the connection is freed.
 *
 * When the peer hangs up, a waiting exchange is abandoned at once. Complete requests that arrived
 * before are still answered
 * (tests/integration/test_slow_clients.py::test_an_aborted_request_frees_its_slot).
 */
#include "http/connection.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	CONNECTION_LINGERING_MAX = 16, /* others are closed at once */
	CONNECTION_YIELDING_MAX = 32,  /* likewise, among those that are closing */
	CONNECTION_DISCARD_BYTES_MAX = 1024 * 1024,
};

bool connection_is_open_ended(const struct connection *connection)
{
	return connection->state == CONNECTION_WAITING ||
	       (connection->state == CONNECTION_STREAMING &&
		!stream_is_ended(connection->stream));
}

void connection_settle_later(struct connection *connection)
{
	struct connections *all = connection->connections;

	if (connection->settles)
		return;
	connection->settles = true;
	TAILQ_INSERT_TAIL(&all->settle, connection, settle_link);
	if (all->settling || all->poll.in_batch || all->engine.running)
		return; /* it follows at the end of that */
	if (all->settle_turn &&
	    sd_event_source_set_enabled(all->settle_turn, SD_EVENT_ONESHOT) < 0)
		log_error("http: cannot schedule work");
}

/* A connection may bring tokens of several clients, one after the other. */
static bool connection_set_holder(struct connection *connection, int64_t client_id)
{
	struct admission_client *holder = connection->holder;

	if (holder && holder->client_id == client_id)
		return true;
	holder = admission_client_hold(&connection->connections->clients, client_id);
	if (!holder)
		return false;
	admission_client_release(connection->holder);
	connection->holder = holder;
	return true;
}

void connection_trust(struct connection *connection, int64_t client_id)
{
	if (!connection_set_holder(connection, client_id))
		return;
	connection->client_id = client_id;
	if (connection->trusted)
		return;
	connection->trusted = true;
	if (connection->served)
		connection->usage->untrusted--;
}

void connection_distrust(struct connection *connection)
{
	if (!connection->trusted)
		return;
	connection->trusted = false;
	if (connection->served)
		connection->usage->untrusted++;
}

void connection_count_answer(struct connection *connection, unsigned status)
{
	assert(status <= HTTP_SERVER_STATUS_MAX);
	connection->connections->counts.answers[status]++;
}

/* Closing */

/* From now on it is closing, and does not count towards the limits. */
static void connection_stop_serving(struct connection *connection)
{
	if (!connection->served)
		return;
	connection->served = false;
	connection->usage->served--;
	connection->usage->untrusted -= !connection->trusted;
	connection->connections->served_count--;
}

/* libmicrohttpd notices the closed pair only when it runs the connection, so resume it. */
static void connection_leave_engine(struct connection *connection)
{
	engine_link_close(&connection->link);
	if (connection->link.state != ENGINE_LINK_JOINED)
		return;
	if (connection->state == CONNECTION_DELAYED)
		connection_request_cancel_delay(connection);
	engine_link_resume(&connection->link);
	engine_kick(&connection->connections->engine);
}

void connection_close(struct connection *connection)
{
	struct connections *all = connection->connections;

	if (connection->state == CONNECTION_CLOSED)
		return;
	if (connection->state == CONNECTION_LINGERING)
		all->lingering_count--;
	connection_leave_engine(connection);
	connection->state = CONNECTION_CLOSED;
	connection_stop_serving(connection);
	deadline_clear(&all->deadlines, &connection->deadline);
	socket_poll_remove(&all->poll, &connection->network);
	transport_close(&connection->transport);
	transport_bytes_clear(&connection->unsent);
	connection_settle_later(connection);
}

/*
 * Answers nothing more, but lets the peer read what was written. The socket stays open for a
 * while, so that the peer can read everything even when it is still sending. Closing with
 * unread input would reset the connection (RFC 9112 section 9.6).
 */
static void connection_finish(struct connection *connection)
{
	struct connections *all = connection->connections;

	if (connection->state == CONNECTION_LINGERING ||
	    connection->state == CONNECTION_CLOSED)
		return;
	if (!connection->unsent.data)
		transport_finish(&connection->transport);
	if (connection->input_ended || all->lingering_count >= CONNECTION_LINGERING_MAX) {
		connection_close(connection);
		return;
	}
	connection_leave_engine(connection);
	connection->state = CONNECTION_LINGERING;
	all->lingering_count++;
	connection_stop_serving(connection);
	deadline_set(&all->deadlines, &connection->deadline, DEADLINE_DRAIN);
	connection_settle_later(connection);
}

void connection_refuse(struct connection *connection, unsigned status, const char *text)
{
	char message[RESPONSE_REFUSAL_BYTES_MAX];
	size_t length = response_write_refusal(message, connection->route, status, text);

	connection_count_answer(connection, status);
	if (connection->transport.handshaken && length && connection_io_relay(connection))
		connection_io_write(connection, message, length);
	connection_finish(connection);
}

void connection_abandon(struct connection *connection)
{
	struct exchange *exchange = connection->exchange;

	connection_close(connection);
	if (exchange)
		exchange_abandon(exchange);
}

void connection_yield(struct connection *connection)
{
	struct connections *all = connection->connections;

	connection->yields = true;
	connection_stop_serving(connection);
	exchange_stop(connection->exchange); /* and not abandon: that may cancel */
	if (connection_is_open_ended(connection))
		connection_abandon(connection);
	/* a peer that does not read its answer keeps the descriptor until the deadline */
	else if (all->count - all->served_count > CONNECTION_YIELDING_MAX)
		connection_close(connection);
}

static void connection_discard_input(struct connection *connection)
{
	char discarded[4096];
	ssize_t length;

	if (connection->unsent.data && !connection_io_relay(connection))
		return; /* the peer is still reading */
	while (connection->network.readable) {
		length = recv(connection->transport.fd, discarded, sizeof(discarded),
			      MSG_DONTWAIT);
		if (length == -1 && errno == EAGAIN) {
			connection->network.readable = false;
			return;
		}
		connection->discarded_bytes += length > 0 ? (size_t)length : 0;
		if (length <= 0 ||
		    connection->discarded_bytes > CONNECTION_DISCARD_BYTES_MAX) {
			connection_close(connection);
			return;
		}
	}
}

/* Progress */

static void connection_handshake(struct connection *connection)
{
	int result = transport_handshake(&connection->transport);

	if (result == 0)
		connection->state = CONNECTION_IDLE;
	else if (result != -EAGAIN || connection->network.hung_up)
		connection_close(connection);
}

/* libmicrohttpd has written all of its answer, or has closed its end. */
static bool connection_is_answered(const struct connection *connection)
{
	return (connection->completed || engine_link_is_broken(&connection->link)) &&
	       connection->state != CONNECTION_LINGERING &&
	       connection->state != CONNECTION_CLOSED;
}

/* Waits for the next request once the answer has gone out. */
static void connection_end_answer(struct connection *connection)
{
	struct connections *all = connection->connections;

	if (!connection_io_relay(connection))
		return;
	if (engine_link_is_broken(&connection->link) || all->stopping ||
	    connection->yields) {
		connection_finish(connection);
		return;
	}
	connection->completed = false;
	connection->gated = false;
	connection->state = CONNECTION_IDLE;
	deadline_set(&all->deadlines, &connection->deadline, DEADLINE_IDLE);
	connection_io_next_request(connection);
}

void connection_progress(struct connection *connection)
{
	if (connection->network.hung_up && !connection->postponed &&
	    connection_is_open_ended(connection))
		connection_abandon(connection);
	if (connection->state == CONNECTION_HANDSHAKE)
		connection_handshake(connection);
	if (connection_is_answered(connection))
		connection_end_answer(connection);
	if (connection->state == CONNECTION_IDLE || connection->state == CONNECTION_HEAD)
		connection_io_read_head(connection);
	if (connection->state == CONNECTION_BODY)
		connection_io_read_body(connection);
	if (connection->state == CONNECTION_LINGERING)
		connection_discard_input(connection);
	else if (connection->link.pair.readable || connection->unsent.data)
		connection_io_relay(connection);
	if (connection->state == CONNECTION_IDLE &&
	    engine_link_is_broken(&connection->link))
		connection_finish(connection);
}

void connection_on_ready(void *data)
{
	struct connection *connection = data;

	if (connection->state != CONNECTION_CLOSED)
		connection_progress(connection);
}

static void connection_on_deadline(struct deadline *deadline)
{
	struct connection *connection =
		(struct connection *)((char *)deadline -
				      offsetof(struct connection, deadline));

	log_debug("http: connection %d: deadline passed", connection->transport.fd);
	if (connection->state == CONNECTION_HEAD || connection->state == CONNECTION_BODY)
		connection_refuse(connection, MHD_HTTP_REQUEST_TIMEOUT,
				  "the request did not arrive in time");
	else if (connection->state == CONNECTION_IDLE)
		connection_finish(connection);
	else
		connection_close(connection);
}

/* Beginning and end */

/* Puts it into the list and counts it. */
static void connection_join(struct connection *connection)
{
	struct connections *all = connection->connections;

	TAILQ_INSERT_TAIL(&all->list, connection, list_link);
	all->count++;
	all->served_count++;
	connection->usage->served++;
	connection->usage->untrusted++;
	connection->served = true;
	all->counts.connections++;
	if (all->count > all->peak_count)
		all->peak_count = all->count;
}

struct connection *connection_new(struct connections *all, int fd,
				  const struct address *peer,
				  const struct listener *listener,
				  struct admission_usage *usage)
{
	struct connection *connection = calloc(1, sizeof(*connection));

	if (!connection) {
		close(fd);
		return NULL;
	}
	connection->connections = all;
	connection->listener = listener;
	connection->peer = *peer;
	connection->usage = usage;
	connection->network.fd = -1;
	engine_link_init(&connection->link, &all->engine, connection);
	connection->deadline.expired = connection_on_deadline;
	connection->state = listener->tls ? CONNECTION_HANDSHAKE : CONNECTION_IDLE;
	connection_join(connection);
	deadline_set(&all->deadlines, &connection->deadline, DEADLINE_REQUEST);
	if (transport_init(&connection->transport, fd, listener->tls ? &all->tls : NULL) <
		    0 ||
	    socket_poll_add(&all->poll, &connection->network, fd, connection) < 0)
		connection_close(connection);
	else
		connection->network.readable = true; /* perhaps: only a read can tell */
	return connection;
}

void connection_free(struct connection *connection)
{
	connection_request_end(connection);
	connection_io_clear_input(connection);
	admission_client_release(connection->holder);
	free(connection->local_name);
	free(connection);
}
