/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/connections.h"

#include <assert.h>
#include <errno.h>
#include <malloc.h>

#include "base/log.h"
#include "http/connection_private.h"

enum {
	DRAIN_MS = 2000,
	CROWD_LEAST = 32,
	ENGINE_MORE =
		64, /* connections that are closed, and libmicrohttpd does not know yet */
};

/* The rest is for requests: streams alone must not shut everybody out. */
static unsigned streams_most(const struct config *config)
{
	return (unsigned)(config->max_connections * 3 / 4);
}

/*
 * What is closed and let go of is freed here and nowhere else, so nobody finds a connection
 * gone that it still looks at.
 */
static bool is_let_go(const struct connection *connection)
{
	return connection->engine == CONNECTION_UNKNOWN ||
	       connection->engine == CONNECTION_PARTED;
}

static void settle(void *data)
{
	struct connections *all = data;
	struct connection *connection;

	if (all->settling)
		return;
	all->settling = true;
	while ((connection = TAILQ_FIRST(&all->settle))) {
		TAILQ_REMOVE(&all->settle, connection, settle_link);
		connection->marked = false;
		if (connection->state != CONNECTION_CLOSED)
			connection_progress(connection);
		else if (is_let_go(connection))
			connection_free(connection);
	}
	all->settling = false;
}

/* A run takes all that are joining: whom it left it had no memory for. */
static void on_engine_ran(void *data)
{
	struct connections *all = data;
	struct connection *connection;

	while ((connection = TAILQ_FIRST(&all->joining)))
		connection_part(connection);
	settle(all);
}

void connections_flush(struct connections *connections)
{
	settle(connections);
	engine_flush(&connections->engine);
}

static void on_polled(void *data)
{
	connections_flush(data);
}

static int on_settle_turn(sd_event_source *source, void *data)
{
	(void)source;
	settle(data);
	return 0;
}

static int settle_turn_add(struct connections *connections)
{
	int error = sd_event_add_defer(connections->loop, &connections->settle_turn,
				       on_settle_turn, connections);

	return error < 0 ? error
			 : sd_event_source_set_enabled(connections->settle_turn,
						       SD_EVENT_OFF);
}

void connections_settle_later(struct connections *connections,
			      struct connection *connection)
{
	TAILQ_INSERT_TAIL(&connections->settle, connection, settle_link);
	if (connections->settling || connections->poll.serving ||
	    connections->engine.running)
		return; /* it comes at the end of that */
	if (connections->settle_turn &&
	    sd_event_source_set_enabled(connections->settle_turn, SD_EVENT_ONESHOT) < 0)
		log_error("http: cannot schedule work");
}

int connections_init(struct connections *connections)
{
	const struct config *config = connections->config;
	const uint64_t period_ms[DEADLINE_KINDS] = {
		[DEADLINE_REQUEST] = (uint64_t)config->request_timeout_seconds * 1000,
		[DEADLINE_IDLE] = (uint64_t)config->idle_timeout_seconds * 1000,
		[DEADLINE_DRAIN] = DRAIN_MS,
	};
	int error;

	TAILQ_INIT(&connections->list);
	TAILQ_INIT(&connections->joining);
	TAILQ_INIT(&connections->settle);
	connections->poll.fd = -1;
	LIST_INIT(&connections->shares);
	connections->budget = memory_budget_new(CONNECTIONS_MEMORY_BYTES);
	network_interfaces_init(&connections->interfaces, config);
	error = socket_poll_init(&connections->poll, connections->loop, connection_ready,
				 on_polled, connections);
	if (error >= 0)
		error = engine_init(&connections->engine, connections->loop,
				    (unsigned)config->max_connections + ENGINE_MORE,
				    on_engine_ran, connections);
	if (error >= 0)
		error = settle_turn_add(connections);
	if (error < 0)
		return error;
	error = streams_init(&connections->streams, connections->loop,
			     streams_most(config));
	if (error >= 0)
		error = connections_later_init(connections);
	if (error < 0)
		return error;
	if (!connections->budget)
		return -ENOMEM;
	connections->streams.budget = connections->budget;
	return deadlines_init(&connections->deadlines, connections->loop, period_ms);
}

void connections_deinit(struct connections *connections)
{
	connections_close(connections, NULL);
	engine_deinit(&connections->engine);
	settle(connections);
	assert(TAILQ_EMPTY(&connections->list));
	connections->settle_turn =
		sd_event_source_disable_unref(connections->settle_turn);
	connections->later_turn = sd_event_source_disable_unref(connections->later_turn);
	network_interfaces_deinit(&connections->interfaces);
	socket_poll_deinit(&connections->poll);
	streams_deinit(&connections->streams);
	deadlines_deinit(&connections->deadlines);
	memory_budget_drop(connections->budget);
}

void connections_count_answer(struct connections *connections, unsigned status)
{
	assert(status <= HTTP_STATUS_MAX);
	connections->counts.answers[status]++;
}

void connections_prove(struct connection *connection, int64_t client_id)
{
	connection->client_id = client_id;
	if (connection->proven)
		return;
	connection->proven = true;
	if (connection->served)
		connection->share->strangers--;
}

void connections_join(struct connections *connections, struct connection *connection)
{
	TAILQ_INSERT_TAIL(&connections->list, connection, link);
	connections->count++;
	connections->served++;
	connection->share->served++;
	connection->share->strangers++;
	connection->served = true;
	connections->counts.connections++;
	if (connections->count > connections->crowd)
		connections->crowd = connections->count;
}

void connections_retire(struct connections *connections, struct connection *connection)
{
	if (!connection->served)
		return;
	connection->served = false;
	connection->share->served--;
	connection->share->strangers -= !connection->proven;
	connections->served--;
}

/*
 * What many held the allocator keeps for as many more. It is asked for it when most of them
 * have gone, so that nothing has to wake up for it later.
 */
static void give_memory_back(struct connections *connections)
{
	if (connections->crowd < CROWD_LEAST ||
	    connections->count > connections->crowd / 4)
		return;
	malloc_trim(0);
	connections->crowd = connections->count;
}

void connections_leave(struct connections *connections, struct connection *connection)
{
	TAILQ_REMOVE(&connections->list, connection, link);
	connections_retire(connections, connection);
	connections->count--;
	give_memory_back(connections);
	if (!connections->count)
		connections->emptied(connections->data);
}

void connections_stop(struct connections *connections)
{
	struct connection *connection;

	connections->stopping = true;
	TAILQ_FOREACH (connection, &connections->list, link) {
		if (connection->state == CONNECTION_HANDSHAKE ||
		    connection->state == CONNECTION_IDLE || connection->refused)
			connection_close(connection);
		else if (connection->state == CONNECTION_DELAYED)
			connection_delay_end(connection);
		else if (connection_is_open_ended(connection))
			exchange_stop(connection->exchange);
	}
}

static bool is_under_way(const struct connection *connection, int64_t client_id)
{
	return connection->exchange &&
	       exchange_client(connection->exchange)->id == client_id &&
	       (connection->state == CONNECTION_BODY ||
		connection_is_open_ended(connection));
}

/* Its token is no right one any more. */
static void unprove(struct connection *connection)
{
	if (!connection->proven)
		return;
	connection->proven = false;
	if (connection->served)
		connection->share->strangers++;
}

void connections_cut_client(struct connections *connections, int64_t client_id)
{
	struct connection *connection;

	TAILQ_FOREACH (connection, &connections->list, link) {
		if (is_under_way(connection, client_id))
			connection_abandon(connection);
		else if (connection->client_id == client_id)
			unprove(connection);
	}
}

void connections_close(struct connections *connections, const struct listener *listener)
{
	struct connection *connection;

	TAILQ_FOREACH (connection, &connections->list, link) {
		if (listener && connection->listener != listener)
			continue;
		if (connection_is_open_ended(connection))
			connection_abandon(connection);
		else
			connection_close(connection);
	}
	connections_flush(connections); /* libmicrohttpd lets go of them */
}
