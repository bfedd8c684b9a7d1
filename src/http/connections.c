/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hang-ups: libmicrohttpd does not see that a peer has left when the FIN came together with bytes of
 * a request, or while the connection is suspended. So an epoll set of our own reports it.
 *
 * Postponed requests: everything that is ready is served in one turn of the loop, so hundreds of
 * requests that take a millisecond each would hold up all others. Once a turn has taken
 * CONNECTIONS_TURN_MS, the remaining complete requests wait for a later turn. The connection whose
 * address has the fewest connections goes first
 * (tests/unit/test_http_server.c::test_a_modest_client_is_not_behind_a_greedy_one).
 */
#include "http/connection.h"

#include <assert.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/config.h"

enum {
	CONNECTIONS_LINGER_MS = 2000,
	CONNECTIONS_TURN_ACCURACY_US = 1,
	CONNECTIONS_HANG_UPS_MAX = 32, /* in one turn of the loop */
	/* closed connections that libmicrohttpd does not know to be closed yet */
	CONNECTIONS_ENGINE_EXTRA = 1024,
};

/* Hang-ups */

static int connections_on_hang_up(sd_event_source *source, int fd, uint32_t events,
				  void *data)
{
	struct epoll_event found[CONNECTIONS_HANG_UPS_MAX];
	int count = epoll_wait(fd, found, CONNECTIONS_HANG_UPS_MAX, 0);

	for (int at = 0; at < count; at++)
		connection_hang_up(found[at].data.ptr);
	return count;
}

void connections_flush(struct connections *all)
{
	while (connections_on_hang_up(all->hang_up, all->hang_ups, EPOLLIN, all) > 0)
		;
	engine_run(&all->plain);
	engine_run(&all->encrypted);
}

/* Callbacks of libmicrohttpd */

static struct connection *connections_find(struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* Returns the latest connection with this descriptor: libmicrohttpd takes it just now. */
static struct connection *connections_find_new(const struct connections *all,
					       struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
	int fd = info->connect_fd; /* the next call may overwrite it */
	struct connection *connection = TAILQ_LAST(&all->list, connections_list);

	while (connection && (connection->fd != fd || connection->mhd))
		connection = TAILQ_PREV(connection, connections_list, list_link);
	assert(connection);
	return connection;
}

static void connections_on_notified(void *data, struct MHD_Connection *mhd,
				    void **socket_context,
				    enum MHD_ConnectionNotificationCode code)
{
	struct connection *connection = *socket_context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		connection = connections_find_new(data, mhd);
		*socket_context = connection;
		connection_begin(connection, mhd);
		engine_kick(connection->engine); /* 1.0.1 reads only in its next run */
	}
	engine_heard(connection->engine);
	if (code == MHD_CONNECTION_NOTIFY_CLOSED)
		connection_free(connection);
}

static void *connections_on_requested(void *data, const char *target,
				      struct MHD_Connection *mhd)
{
	return connection_request_begin(connections_find(mhd), target);
}

/* Postponed requests */

/* Returns NULL if none is left. */
static struct connection *connections_next_postponed(const struct connections *all)
{
	struct connection *connection, *found = TAILQ_FIRST(&all->postponed);

	TAILQ_FOREACH (connection, &all->postponed, postponed_link) {
		if (connection->usage->served < found->usage->served)
			found = connection;
	}
	return found;
}

static int connections_on_postponed_turn(sd_event_source *source, uint64_t due_us,
					 void *data)
{
	struct connections *all = data;
	int64_t began_ms = clock_monotonic_ms();
	struct connection *connection;

	while ((connection = connections_next_postponed(all)) &&
	       clock_monotonic_ms() - began_ms < CONNECTIONS_TURN_MS)
		connection_request_run_postponed(connection);
	if (connection)
		connection_request_schedule_postponed(all);
	return 0;
}

static int connections_add_sources(struct connections *all)
{
	int error = sd_event_add_io(all->loop, &all->hang_up, all->hang_ups, EPOLLIN,
				    connections_on_hang_up, all);

	if (error >= 0)
		error = sd_event_add_time(
			all->loop, &all->postponed_turn, CLOCK_MONOTONIC, UINT64_MAX,
			CONNECTIONS_TURN_ACCURACY_US, connections_on_postponed_turn, all);
	if (error >= 0)
		error = sd_event_source_set_enabled(all->postponed_turn, SD_EVENT_OFF);
	return error < 0 ? error : 0;
}

static int connections_start_engines(struct connections *all)
{
	static const struct engine_callbacks callbacks = {
		.notified = connections_on_notified,
		.requested = connections_on_requested,
		.handle = connection_request_handle,
		.completed = connection_request_completed,
	};
	unsigned limit =
		(unsigned)all->config->max_connections + CONNECTIONS_ENGINE_EXTRA;
	int error = engine_init(&all->plain, all->loop, false, limit, &callbacks, all);

	tls_serve(&all->tls);
	return error ? error
		     : engine_init(&all->encrypted, all->loop, true, limit, &callbacks,
				   all);
}

int connections_init(struct connections *all)
{
	const struct config *config = all->config;
	const uint64_t period_ms[DEADLINE_KINDS] = {
		[DEADLINE_REQUEST] = (uint64_t)config->request_timeout_seconds * 1000,
		[DEADLINE_IDLE] = (uint64_t)config->idle_timeout_seconds * 1000,
		[DEADLINE_LINGER] = CONNECTIONS_LINGER_MS,
	};
	int error;

	TAILQ_INIT(&all->list);
	TAILQ_INIT(&all->postponed);
	LIST_INIT(&all->usages);
	LIST_INIT(&all->clients);
	all->lingers =
		(struct lingers){ .loop = all->loop, .deadlines = &all->deadlines };
	all->budget = arena_budget_new(CONNECTIONS_MEMORY_BYTES);
	all->hang_ups = epoll_create1(EPOLL_CLOEXEC);
	network_interfaces_init(&all->interfaces, config);
	error = all->hang_ups < 0 ? -errno : connections_add_sources(all);
	if (error >= 0)
		error = connections_start_engines(all);
	/* the rest is for requests: streams alone must not use up all connections */
	if (error >= 0)
		error = streams_init(&all->streams, all->loop,
				     (unsigned)(config->max_connections * 3 / 4));
	if (error < 0)
		return error;
	if (!all->budget)
		return -ENOMEM;
	all->streams.budget = all->budget;
	return deadlines_init(&all->deadlines, all->loop, period_ms);
}

void connections_deinit(struct connections *all)
{
	connections_close(all, NULL);
	engine_deinit(&all->plain);
	engine_deinit(&all->encrypted);
	lingers_close(&all->lingers);
	assert(TAILQ_EMPTY(&all->list));
	all->hang_up = sd_event_source_disable_unref(all->hang_up);
	all->postponed_turn = sd_event_source_disable_unref(all->postponed_turn);
	if (all->hang_ups >= 0)
		close(all->hang_ups);
	network_interfaces_deinit(&all->interfaces);
	streams_deinit(&all->streams);
	deadlines_deinit(&all->deadlines);
	arena_budget_drop(all->budget);
}

/*
 * Before anyone has to make room: some peer may have left, and an idle connection may have a
 * request that we have not read.
 */
static void connections_look_when_full(struct connections *all,
				       const struct admission_usage *usage)
{
	if (all->served_count >= all->config->max_connections ||
	    usage->served >= all->config->max_connections_per_address)
		connections_flush(all);
}

/* Tells the peer why, unless that would need a handshake first. */
static void connections_refuse(struct connections *all, int fd, bool encrypted,
			       const char *reason)
{
	char message[RESPONSE_REFUSAL_BYTES_MAX];
	size_t length = encrypted ? 0 : response_write_no_room(message, reason);

	log_debug("http: connection %d is refused: %s", fd, reason);
	connection_count_answer(all, MHD_HTTP_SERVICE_UNAVAILABLE);
	if (length &&
	    send(fd, message, length, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)length)
		linger_start(&all->lingers, fd);
	else
		close(fd);
}

static bool connections_may_serve(struct connections *all, int fd, const char *local_name)
{
	return local_name ? !all->stopping
			  : network_interfaces_admit(&all->interfaces, fd);
}

void connections_accept(struct connections *all, int fd, const struct address *peer,
			const struct listener *listener, const char *local_name)
{
	const int on = 1;
	const struct address_source source = address_source(peer);
	struct admission_usage *usage = admission_usage_hold(&all->usages, &source);
	char *name = local_name ? strdup(local_name) : NULL;
	const char *reason;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (!usage || (local_name && !name) ||
	    !connections_may_serve(all, fd, local_name)) {
		close(fd);
	} else {
		connections_look_when_full(all, usage);
		reason = admission_refusal(all, usage);
		if (reason)
			connections_refuse(all, fd, listener->tls, reason);
		else if (connection_start(all, fd, peer, listener, usage, name))
			return;
		else
			close(fd);
	}
	free(name);
	if (usage)
		admission_usage_release(usage);
}

void connections_stop(struct connections *all)
{
	struct connection *connection;

	all->stopping = true;
	lingers_close(&all->lingers);
	TAILQ_FOREACH (connection, &all->list, list_link) {
		if (connection->state == CONNECTION_IDLE)
			connection_close(connection);
		else if (connection->state == CONNECTION_DELAYED)
			connection_request_end_delay(connection);
		else if (connection_is_open_ended(connection))
			exchange_stop(connection->exchange);
	}
}

static bool connections_is_under_way(const struct connection *connection,
				     int64_t client_id)
{
	return connection->exchange &&
	       exchange_client(connection->exchange)->id == client_id &&
	       (connection->state == CONNECTION_BODY ||
		connection_is_open_ended(connection));
}

void connections_cut_client(struct connections *all, int64_t client_id)
{
	struct connection *connection;

	TAILQ_FOREACH (connection, &all->list, list_link) {
		if (connections_is_under_way(connection, client_id))
			connection_abandon(connection);
		else if (connection->client_id == client_id)
			connection_distrust(connection);
	}
}

void connections_close(struct connections *all, const struct listener *listener)
{
	struct connection *connection;

	TAILQ_FOREACH (connection, &all->list, list_link) {
		if (listener && connection->listener != listener)
			continue;
		if (connection_is_open_ended(connection))
			connection_abandon(connection);
		else
			connection_close(connection);
	}
	connections_flush(all); /* libmicrohttpd lets go of them */
}
