/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life of a connection:
 *
 *   HANDSHAKE -> IDLE -> HEAD -> BODY -> ANSWERING or STREAMING -> IDLE ...
 *                                 |  ^
 *                      WAITING or DELAYED (suspended in libmicrohttpd)
 *
 * LINGERING and then CLOSED from everywhere. Every state but WAITING, DELAYED, which has a timer of
 * its own, and CLOSED has a deadline that dripping bytes do not move; how STREAMING has one is in
 * connection_stream.c.
 *
 * A connection has two sockets: `network`, the peer's, and `pair`, whose other end libmicrohttpd
 * has. It joins libmicrohttpd with its first request. When our side is closed, libmicrohttpd
 * finds out in its next run, and only then the connection is freed.
 *
 * When the peer leaves, who waits for an answer is abandoned at once; requests that came in whole
 * before are still answered
 * (tests/integration/test_slow_clients.py::test_who_leaves_in_the_middle_frees_the_slot).
 */
#include "http/connection_private.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "http/admission.h"
#include "http/listener.h"
#include "http/refusal.h"

enum {
	LINGERING_MAX = 16, /* others are closed at once */
	DROPPED_BYTES_MAX = 1024 * 1024,
};

bool connection_is_open_ended(const struct connection *connection)
{
	return connection->state == CONNECTION_WAITING ||
	       (connection->state == CONNECTION_STREAMING &&
		!stream_is_ended(connection->stream));
}

void connection_mark(struct connection *connection)
{
	if (connection->marked)
		return;
	connection->marked = true;
	connections_settle_later(connection->connections, connection);
}

/* Closing */

void connection_close_pair(struct connection *connection)
{
	int fd = connection->pair.fd;

	socket_poll_remove(&connection->connections->poll, &connection->pair);
	held_bytes_clear(&connection->to_engine);
	if (fd < 0)
		return;
	close(fd);
	engine_kick(&connection->connections->engine); /* it lets go */
}

/* libmicrohttpd finds its end closed, when it looks: so it must not stay suspended. */
static void leave_engine(struct connection *connection)
{
	struct connections *all = connection->connections;

	connection_close_pair(connection);
	if (connection->engine != CONNECTION_JOINED)
		return;
	if (connection->state == CONNECTION_DELAYED)
		connection_delay_forget(connection);
	else if (connection->state == CONNECTION_WAITING || connection->asleep)
		MHD_resume_connection(connection->mhd);
	connection->asleep = false;
	engine_kick(&all->engine);
}

static void linger_end(struct connection *connection)
{
	if (connection->state == CONNECTION_LINGERING)
		connection->connections->lingering--;
}

void connection_close(struct connection *connection)
{
	struct connections *all = connection->connections;

	if (connection->state == CONNECTION_CLOSED)
		return;
	linger_end(connection);
	leave_engine(connection);
	connection->state = CONNECTION_CLOSED;
	connections_retire(all, connection);
	deadline_clear(&all->deadlines, &connection->deadline);
	socket_poll_remove(&all->poll, &connection->network);
	transport_close(&connection->transport);
	held_bytes_clear(&connection->to_peer);
	connection_mark(connection);
}

/* Whether the peer reads to the end what was written, also when it still sends: RFC 9112 9.6 */
static bool may_linger(const struct connection *connection)
{
	return !connection->ended && connection->connections->lingering < LINGERING_MAX;
}

void connection_finish(struct connection *connection)
{
	struct connections *all = connection->connections;

	if (connection->state == CONNECTION_LINGERING ||
	    connection->state == CONNECTION_CLOSED)
		return;
	if (!connection->to_peer.data)
		transport_finish(&connection->transport);
	if (!may_linger(connection)) {
		connection_close(connection);
		return;
	}
	leave_engine(connection);
	connection->state = CONNECTION_LINGERING;
	all->lingering++;
	connections_retire(all, connection);
	deadline_set(&all->deadlines, &connection->deadline, DEADLINE_DRAIN);
	connection_mark(connection);
}

void connection_refuse_now(struct connection *connection, unsigned status,
			   const char *text)
{
	char message[REFUSAL_BYTES_MAX];
	size_t length = refusal_write(message, connection->route, status, text);

	connections_count_answer(connection->connections, status);
	if (connection->transport.shaken && length && connection_relay(connection))
		connection_write(connection, message, length);
	connection_finish(connection);
}

void connection_abandon(struct connection *connection)
{
	struct exchange *exchange = connection->exchange;

	connection_close(connection);
	if (exchange)
		exchange_abandon(exchange);
}

/* What the peer sends after all was said */
static void drop_input(struct connection *connection)
{
	char dropped[4096];
	ssize_t length;

	if (connection->to_peer.data && !connection_relay(connection))
		return; /* it still reads */
	while (connection->network.readable) {
		length = recv(connection->transport.fd, dropped, sizeof(dropped),
			      MSG_DONTWAIT);
		if (length == -1 && errno == EAGAIN) {
			connection->network.readable = false;
			return;
		}
		connection->dropped += length > 0 ? (size_t)length : 0;
		if (length <= 0 || connection->dropped > DROPPED_BYTES_MAX) {
			connection_close(connection);
			return;
		}
	}
}

/* Going on */

static void shake(struct connection *connection)
{
	int result = transport_shake(&connection->transport);

	if (result == 0)
		connection->state = CONNECTION_IDLE;
	else if (result != -EAGAIN || connection->network.left)
		connection_close(connection);
}

static void rest(struct connection *connection)
{
	struct connections *all = connection->connections;

	connection->completed = false;
	connection->judged = false;
	connection->state = CONNECTION_IDLE;
	deadline_set(&all->deadlines, &connection->deadline, DEADLINE_IDLE);
	connection_next_input(connection);
}

/* libmicrohttpd has written all of its answer, or has closed its end. */
static bool has_lost_engine(const struct connection *connection)
{
	return connection->engine == CONNECTION_PARTED ||
	       (connection->engine == CONNECTION_JOINED && connection->pair.fd < 0);
}

static bool is_over(const struct connection *connection)
{
	return (connection->completed || has_lost_engine(connection)) &&
	       connection->state != CONNECTION_LINGERING &&
	       connection->state != CONNECTION_CLOSED;
}

static void answer_over(struct connection *connection)
{
	if (!connection_relay(connection))
		return;
	if (has_lost_engine(connection) || connection->connections->stopping)
		connection_finish(connection);
	else
		rest(connection);
}

static void peer_left(struct connection *connection)
{
	if (!connection->put_off && connection_is_open_ended(connection))
		connection_abandon(connection);
}

void connection_progress(struct connection *connection)
{
	if (connection->network.left)
		peer_left(connection);
	if (connection->state == CONNECTION_HANDSHAKE)
		shake(connection);
	if (is_over(connection))
		answer_over(connection);
	if (connection->state == CONNECTION_IDLE || connection->state == CONNECTION_HEAD)
		connection_read_head(connection);
	if (connection->state == CONNECTION_BODY)
		connection_read_body(connection);
	if (connection->state == CONNECTION_LINGERING)
		drop_input(connection);
	else if (connection->pair.readable || connection->to_peer.data)
		connection_relay(connection);
	if (connection->state == CONNECTION_IDLE && has_lost_engine(connection))
		connection_finish(connection);
}

void connection_ready(void *data)
{
	struct connection *connection = data;

	if (connection->state != CONNECTION_CLOSED)
		connection_progress(connection);
}

static void on_expired(struct deadline *deadline)
{
	struct connection *connection =
		(struct connection *)((char *)deadline -
				      offsetof(struct connection, deadline));

	log_debug("http: connection %d: time is over", connection->transport.fd);
	if (connection->state == CONNECTION_HEAD || connection->state == CONNECTION_BODY)
		connection_refuse_now(connection, MHD_HTTP_REQUEST_TIMEOUT,
				      "the request did not arrive in time");
	else if (connection->state == CONNECTION_IDLE)
		connection_finish(connection);
	else
		connection_close(connection);
}

/* Coming and going */

static struct connection *connection_new(struct connections *all, int fd,
					 const struct address *peer,
					 const struct listener *listener)
{
	const struct address_source source = address_source(peer);
	struct share *share = share_hold(&all->shares, &source);
	struct connection *connection = share ? calloc(1, sizeof(*connection)) : NULL;

	if (!connection) {
		if (share)
			share_release(share);
		close(fd);
		return NULL;
	}
	connection->connections = all;
	connection->listener = listener;
	connection->peer = *peer;
	connection->share = share;
	connection->network.fd = connection->pair.fd = -1;
	connection->deadline.expired = on_expired;
	connection->state = listener->tls ? CONNECTION_HANDSHAKE : CONNECTION_IDLE;
	connections_join(all, connection);
	deadline_set(&all->deadlines, &connection->deadline, DEADLINE_REQUEST);
	if (transport_init(&connection->transport, fd, listener->tls) < 0 ||
	    socket_poll_add(&all->poll, &connection->network, fd, connection) < 0) {
		connection_close(connection);
		return NULL;
	}
	connection->network.readable = true; /* perhaps */
	return connection;
}

void connection_accept(struct connections *all, int fd, const struct address *peer,
		       const struct listener *listener)
{
	const int on = 1;
	struct connection *connection;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	connection = connection_new(all, fd, peer, listener);
	if (!connection)
		return;
	if (!network_interfaces_admit(&all->interfaces, fd))
		connection_close(connection);
	else if (admission_admit(all, connection))
		connection_progress(connection);
}

void connection_free(struct connection *connection)
{
	struct connections *all = connection->connections;
	struct share *share = connection->share;

	connection_end_request(connection);
	connection_forget_input(connection);
	all->refused -= connection->refused;
	connections_leave(all, connection);
	share_release(share);
	free(connection);
}
