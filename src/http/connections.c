/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/connections.h"

#include <assert.h>
#include <errno.h>
#include <malloc.h>

#include "http/connection_private.h"

enum {
	DRAIN_MS = 2000,
	CROWD_LEAST = 32,
	GONE_MS = 100, /* longer than libmicrohttpd takes to read what is there */
};

/* The rest is for requests: streams alone must not shut everybody out. */
static unsigned streams_most(const struct config *config)
{
	return (unsigned)(config->max_connections * 3 / 4);
}

int connections_init(struct connections *connections)
{
	const struct config *config = connections->config;
	const uint64_t period_ms[DEADLINE_KINDS] = {
		[DEADLINE_REQUEST] = (uint64_t)config->request_timeout_seconds * 1000,
		[DEADLINE_IDLE] = (uint64_t)config->idle_timeout_seconds * 1000,
		[DEADLINE_GONE] = GONE_MS,
		[DEADLINE_DRAIN] = DRAIN_MS,
	};
	int error;

	TAILQ_INIT(&connections->list);
	connections->peers.fd = -1;
	LIST_INIT(&connections->shares);
	connections->budget = memory_budget_new(CONNECTIONS_MEMORY_BYTES);
	network_interfaces_init(&connections->interfaces, config);
	drains_init(&connections->drains, connections->loop, &connections->deadlines);
	error = peer_watch_init(&connections->peers, connections->loop, connection_left);
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
	assert(TAILQ_EMPTY(&connections->list));
	connections->later_turn = sd_event_source_disable_unref(connections->later_turn);
	network_interfaces_deinit(&connections->interfaces);
	drains_deinit(&connections->drains);
	peer_watch_deinit(&connections->peers);
	streams_deinit(&connections->streams);
	deadlines_deinit(&connections->deadlines);
	memory_budget_drop(connections->budget);
}

void connections_count_answer(struct connections *connections, unsigned status)
{
	assert(status <= HTTP_STATUS_MAX);
	connections->counts.answers[status]++;
}

void connections_join(struct connections *connections, struct connection *connection)
{
	TAILQ_INSERT_TAIL(&connections->list, connection, link);
	connections->count++;
	connections->served++;
	connection->share->served++;
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
		if (connection->state == CONNECTION_IDLE || connection->refused)
			connection_hang_up(connection);
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

void connections_cut_client(struct connections *connections, int64_t client_id)
{
	struct connection *connection;

	TAILQ_FOREACH (connection, &connections->list, link) {
		if (is_under_way(connection, client_id))
			connection_abandon(connection);
	}
}

void connections_abandon(struct connections *connections, const struct pump *pump)
{
	struct connection *connection;

	TAILQ_FOREACH (connection, &connections->list, link) {
		if (pump && connection->pump != pump)
			continue;
		if (connection->state == CONNECTION_DELAYED)
			connection_delay_end(connection);
		if (connection_is_open_ended(connection))
			connection_abandon(connection);
	}
}
