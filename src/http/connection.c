/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life of a connection:
 *
 *   IDLE -> HEAD -> BODY -> ANSWERING or STREAMING -> IDLE ...
 *                    |  ^
 *         WAITING or DELAYED (suspended in libmicrohttpd)
 *
 * Every state may lead to CLOSED. Every state has a deadline that slowly arriving bytes do not move,
 * except WAITING, DELAYED, which has a timer of its own, and STREAMING, see connection_request.c. A
 * TLS handshake counts as IDLE, under the deadline of the first request.
 *
 * There is one way to end a connection early: connection_close() shuts the socket down, and resumes
 * the connection if it is suspended. In its next run libmicrohttpd finds that nothing can be read
 * or written and lets go of it; CONNECTION_CLOSED makes all callbacks refuse until then.
 *
 * When the peer hangs up, a waiting exchange is abandoned at once. Complete requests that arrived
 * before are still answered. libmicrohttpd does not see the end of the input when it came together
 * with bytes of a request, so a short deadline follows
 * (tests/integration/test_slow_clients.py::test_an_aborted_request_frees_its_slot).
 */
#include "http/connection.h"

#include <assert.h>
#include <fcntl.h>
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	CONNECTION_YIELDING_MAX = 32, /* others are closed at once */
	CONNECTION_TRIM_MIN = 32,     /* fewer are not worth returning memory for */
};

bool connection_is_open_ended(const struct connection *connection)
{
	return connection->state == CONNECTION_WAITING ||
	       (connection->state == CONNECTION_STREAMING &&
		!stream_is_ended(connection->stream));
}

void connection_suspend(struct connection *connection)
{
	MHD_suspend_connection(connection->mhd);
	connection->suspended = true;
}

void connection_resume(struct connection *connection)
{
	if (!connection->suspended)
		return;
	connection->suspended = false;
	MHD_resume_connection(connection->mhd);
	engine_kick(connection->engine);
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

void connection_count_answer(struct connections *all, unsigned status)
{
	assert(status <= HTTP_SERVER_STATUS_MAX);
	all->counts.answers[status]++;
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

static void connection_shut_down(struct connection *connection)
{
	shutdown(connection->fd, SHUT_RDWR);
	connection_resume(connection);
	deadline_clear(&connection->connections->deadlines, &connection->deadline);
}

void connection_close(struct connection *connection)
{
	if (connection->state == CONNECTION_CLOSED)
		return;
	if (connection->state == CONNECTION_DELAYED)
		connection->connections->delayed_count--;
	connection->delay = sd_event_source_disable_unref(connection->delay);
	connection->state = CONNECTION_CLOSED;
	connection_stop_serving(connection);
	/* until libmicrohttpd has taken it, the descriptor may already be another's */
	if (connection->mhd)
		connection_shut_down(connection);
}

void connection_abandon(struct connection *connection)
{
	connection_close(connection);
	if (connection->exchange)
		exchange_abandon(connection->exchange);
}

void connection_hang_up(struct connection *connection)
{
	connection->hung_up = true;
	if (connection_is_open_ended(connection) && !connection->postponed)
		connection_abandon(connection);
	else if (connection->state < CONNECTION_WAITING)
		deadline_set(&connection->connections->deadlines, &connection->deadline,
			     DEADLINE_LINGER);
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

static void connection_on_deadline(struct deadline *deadline)
{
	struct connection *connection =
		(struct connection *)((char *)deadline -
				      offsetof(struct connection, deadline));

	log_debug("http: connection %d: deadline passed", connection->fd);
	if (connection->mhd)
		connection_close(connection);
	else /* libmicrohttpd had no memory for it */
		connection_free(connection);
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
	deadline_set(&all->deadlines, &connection->deadline, DEADLINE_REQUEST);
}

bool connection_start(struct connections *all, int fd, const struct address *peer,
		      const struct listener *listener, struct admission_usage *usage,
		      char *local_name)
{
	struct connection *connection = calloc(1, sizeof(*connection));
	struct epoll_event event = { EPOLLRDHUP | EPOLLET, { .ptr = connection } };
	unsigned count;

	if (!connection || epoll_ctl(all->hang_ups, EPOLL_CTL_ADD, fd, &event) < 0) {
		free(connection);
		return false;
	}
	*connection = (struct connection){
		.connections = all,
		.engine = listener->tls ? &all->encrypted : &all->plain,
		.listener = listener,
		.fd = fd,
		.peer = *peer,
		.local_name = local_name,
		.usage = usage,
		.deadline.expired = connection_on_deadline,
	};
	connection_join(connection);
	count = all->count;
	/* if libmicrohttpd had begun with it, it has been freed */
	if (engine_add(connection->engine, fd, peer) < 0 && all->count == count)
		connection_free(connection);
	return true;
}

void connection_begin(struct connection *connection, struct MHD_Connection *mhd)
{
	connection->mhd = mhd;
	if (connection->state == CONNECTION_CLOSED)
		connection_shut_down(connection);
}

/* libmicrohttpd closes the socket after its last answer: let the peer read that. */
static void connection_linger(struct connection *connection)
{
	int fd = -1;

	epoll_ctl(connection->connections->hang_ups, EPOLL_CTL_DEL, connection->fd, NULL);
	if (connection->state != CONNECTION_CLOSED && !connection->hung_up)
		fd = fcntl(connection->fd, F_DUPFD_CLOEXEC, 0);
	if (fd >= 0)
		linger_start(&connection->connections->lingers, fd);
}

/* malloc keeps freed memory for new connections. Return it when three quarters have gone. */
static void connection_trim_memory(struct connections *all)
{
	if (all->peak_count < CONNECTION_TRIM_MIN || all->count > all->peak_count / 4)
		return;
	malloc_trim(0);
	all->peak_count = all->count;
}

void connection_free(struct connection *connection)
{
	struct connections *all = connection->connections;

	if (connection->mhd)
		connection_linger(connection);
	connection_stop_serving(connection);
	connection_request_end(connection);
	deadline_clear(&all->deadlines, &connection->deadline);
	TAILQ_REMOVE(&all->list, connection, list_link);
	all->count--;
	admission_client_release(connection->holder);
	admission_usage_release(connection->usage);
	free(connection->local_name);
	free(connection);
	connection_trim_memory(all);
	if (!all->count)
		all->emptied(all->data);
}
