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

/* Addresses */

struct connection_usage *connection_usage_hold(struct connection_usage_list *list,
					       const struct address_source *source)
{
	struct connection_usage *usage;

	LIST_FOREACH (usage, list, link) {
		if (address_source_is(&usage->source, source)) {
			usage->connections++;
			return usage;
		}
	}
	usage = calloc(1, sizeof(*usage));
	if (!usage)
		return NULL;
	usage->source = *source;
	usage->connections = 1;
	LIST_INSERT_HEAD(list, usage, link);
	return usage;
}

void connection_usage_release(struct connection_usage *usage)
{
	if (--usage->connections)
		return;
	LIST_REMOVE(usage, link);
	free(usage);
}

/* What admission.c and libmicrohttpd ask */

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

void connection_trust(struct connection *connection, int64_t client_id)
{
	connection->client_id = client_id;
	if (!connection->trusted && connection->served)
		connection->usage->untrusted--;
	connection->trusted = true;
}

void connection_distrust(struct connection *connection)
{
	if (connection->trusted && connection->served)
		connection->usage->untrusted++;
	connection->trusted = false;
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

/* End and beginning */

/* libmicrohttpd closes the socket after its last answer: let the peer read that. */
static void connection_linger(struct connection *connection)
{
	int fd = -1;

	epoll_ctl(connection->connections->hang_ups, EPOLL_CTL_DEL, connection->fd, NULL);
	if (connection->state != CONNECTION_CLOSED && !connection->hung_up)
		fd = fcntl(connection->fd, F_DUPFD_CLOEXEC, 0);
	if (fd >= 0)
		linger_start(connection->connections, fd);
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
	deadline_clear(&all->deadlines, &connection->deadline);
	TAILQ_REMOVE(&all->list, connection, list_link);
	all->count--;
	connection_usage_release(connection->usage);
	free(connection->local_name);
	free(connection);
	connection_trim_memory(all);
	if (!all->count)
		all->emptied(all->data);
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

bool connection_start(struct connections *all, int fd, const struct address *peer,
		      const struct listener *listener, struct connection_usage *usage,
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
		.served = true,
		.deadline.expired = connection_on_deadline,
	};
	TAILQ_INSERT_TAIL(&all->list, connection, list_link);
	count = ++all->count;
	all->served_count++;
	usage->served++;
	usage->untrusted++;
	all->counts.connections++;
	if (count > all->peak_count)
		all->peak_count = count;
	deadline_set(&all->deadlines, &connection->deadline, DEADLINE_REQUEST);
	engine_kick(connection->engine);
	/* if libmicrohttpd had begun with it, it has been freed */
	if (MHD_add_connection(connection->engine->daemon, fd, &peer->any,
			       peer->length) != MHD_YES &&
	    all->count == count)
		connection_free(connection);
	return true;
}

struct connection *connection_take(struct connections *all, struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
	int fd = info->connect_fd; /* the next call may overwrite it */
	struct connection *connection = TAILQ_LAST(&all->list, connections_list);

	while (connection && (connection->fd != fd || connection->mhd))
		connection = TAILQ_PREV(connection, connections_list, list_link);
	assert(connection);
	connection->mhd = mhd;
	if (connection->state == CONNECTION_CLOSED)
		connection_shut_down(connection);
	engine_kick(connection->engine); /* 1.0.1 reads only in its next run */
	return connection;
}
