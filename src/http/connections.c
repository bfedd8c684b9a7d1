/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settling: inside callbacks a connection is never freed or advanced behind its caller's back. It
 * is put into the list `settle`, which is worked off after a batch of socket events, after a run of
 * libmicrohttpd, or in a turn of the loop of its own. Closed connections that libmicrohttpd has let
 * go of are freed there and nowhere else.
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
#include <malloc.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/config.h"

enum {
	CONNECTIONS_DRAIN_MS = 2000,
	CONNECTIONS_TURN_ACCURACY_US = 1,
	CONNECTIONS_TRIM_MIN = 32, /* fewer are not worth returning memory for */
	/* closed connections that libmicrohttpd does not know to be closed yet */
	CONNECTIONS_ENGINE_EXTRA = 64,
};

/* malloc keeps freed memory for new connections. Return it when three quarters have gone. */
static void connections_trim_memory(struct connections *all)
{
	if (all->peak_count < CONNECTIONS_TRIM_MIN || all->count > all->peak_count / 4)
		return;
	malloc_trim(0);
	all->peak_count = all->count;
}

static void connections_remove(struct connection *connection)
{
	struct connections *all = connection->connections;
	struct admission_usage *usage = connection->usage;

	TAILQ_REMOVE(&all->list, connection, list_link);
	all->count--;
	all->refused_count -= connection->refused;
	connection_free(connection);
	admission_usage_release(usage);
	connections_trim_memory(all);
	if (!all->count)
		all->emptied(all->data);
}

static void connections_settle(struct connections *all)
{
	struct connection *connection;

	if (all->settling)
		return;
	all->settling = true;
	while ((connection = TAILQ_FIRST(&all->settle))) {
		TAILQ_REMOVE(&all->settle, connection, settle_link);
		connection->settles = false;
		if (connection->state != CONNECTION_CLOSED)
			connection_progress(connection);
		else if (connection->link.state == ENGINE_LINK_NEW ||
			 connection->link.state == ENGINE_LINK_PARTED)
			connections_remove(connection);
	}
	all->settling = false;
}

static int connections_on_settle_turn(sd_event_source *source, void *data)
{
	connections_settle(data);
	return 0;
}

void connections_flush(struct connections *all)
{
	connections_settle(all);
	engine_flush(&all->engine);
}

static void connections_on_batch_done(void *data)
{
	connections_flush(data);
}

static void connections_on_engine_ran(void *data)
{
	connections_settle(data);
}

static void connections_on_parted(void *owner)
{
	connection_settle_later(owner);
}

/* NULL: none is left. */
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
	int error = sd_event_add_defer(all->loop, &all->settle_turn,
				       connections_on_settle_turn, all);

	if (error >= 0)
		error = sd_event_source_set_enabled(all->settle_turn, SD_EVENT_OFF);
	if (error >= 0)
		error = sd_event_add_time(
			all->loop, &all->postponed_turn, CLOCK_MONOTONIC, UINT64_MAX,
			CONNECTIONS_TURN_ACCURACY_US, connections_on_postponed_turn, all);
	if (error >= 0)
		error = sd_event_source_set_enabled(all->postponed_turn, SD_EVENT_OFF);
	return error < 0 ? error : 0;
}

int connections_init(struct connections *all)
{
	static const struct engine_callbacks callbacks = {
		.handle = connection_request_handle,
		.completed = connection_request_completed,
		.parted = connections_on_parted,
		.ran = connections_on_engine_ran,
	};
	const struct config *config = all->config;
	const uint64_t period_ms[DEADLINE_KINDS] = {
		[DEADLINE_REQUEST] = (uint64_t)config->request_timeout_seconds * 1000,
		[DEADLINE_IDLE] = (uint64_t)config->idle_timeout_seconds * 1000,
		[DEADLINE_DRAIN] = CONNECTIONS_DRAIN_MS,
	};
	int error;

	TAILQ_INIT(&all->list);
	TAILQ_INIT(&all->settle);
	TAILQ_INIT(&all->postponed);
	LIST_INIT(&all->usages);
	LIST_INIT(&all->clients);
	all->poll.fd = -1;
	all->budget = arena_budget_new(CONNECTIONS_MEMORY_BYTES);
	network_interfaces_init(&all->interfaces, config);
	error = socket_poll_init(&all->poll, all->loop, connection_on_ready,
				 connections_on_batch_done, all);
	if (error >= 0)
		error = engine_init(&all->engine, all->loop, &all->poll,
				    (unsigned)config->max_connections +
					    CONNECTIONS_ENGINE_EXTRA,
				    &callbacks, all);
	if (error >= 0)
		error = connections_add_sources(all);
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
	engine_deinit(&all->engine);
	connections_settle(all);
	assert(TAILQ_EMPTY(&all->list));
	all->settle_turn = sd_event_source_disable_unref(all->settle_turn);
	all->postponed_turn = sd_event_source_disable_unref(all->postponed_turn);
	network_interfaces_deinit(&all->interfaces);
	socket_poll_deinit(&all->poll);
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
		socket_poll_look(&all->poll, 2 * all->count);
}

void connections_accept(struct connections *all, int fd, const struct address *peer,
			const struct listener *listener, const char *local_name)
{
	const int on = 1;
	const struct address_source source = address_source(peer);
	struct admission_usage *usage = admission_usage_hold(&all->usages, &source);
	struct connection *connection;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (!usage) {
		close(fd);
		return;
	}
	connections_look_when_full(all, usage);
	connection = connection_new(all, fd, peer, listener, usage);
	if (!connection) {
		admission_usage_release(usage);
		return;
	}
	if (connection->state == CONNECTION_CLOSED)
		return;
	connection->local_name = local_name ? strdup(local_name) : NULL;
	if (local_name ? !connection->local_name || all->stopping
		       : !network_interfaces_admit(&all->interfaces, fd))
		connection_close(connection);
	else if (admission_admit(all, connection))
		connection_progress(connection);
}

void connections_stop(struct connections *all)
{
	struct connection *connection;

	all->stopping = true;
	TAILQ_FOREACH (connection, &all->list, list_link) {
		if (connection->state == CONNECTION_HANDSHAKE ||
		    connection->state == CONNECTION_IDLE || connection->refused)
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
