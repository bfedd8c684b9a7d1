/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests that are whole, and wait for a turn of the loop that has time for them.
 *
 * All that is ready is served in one turn, and when hundreds ask for what takes a millisecond
 * or more others would wait for all of them. So a turn that took TURN_MS puts the rest off;
 * first comes who has the fewest connections
 * (tests/unit/test_server.c::test_who_asks_little_is_not_behind_who_asks_much).
 */
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "http/connection_private.h"

enum { TURN_MS = 50, ACCURACY_US = 1 };

static bool has_time(int64_t begun_ms)
{
	return clock_monotonic_ms() - begun_ms < TURN_MS;
}

/* A timer, for the reason that is given at `again` in engine.c. */
static void schedule(struct connections *all)
{
	if (sd_event_source_set_time(all->later_turn, 0) < 0 ||
	    sd_event_source_set_enabled(all->later_turn, SD_EVENT_ONESHOT) < 0)
		log_error("http: cannot schedule requests");
}

/* NULL: none is left. */
static struct connection *next(const struct connections *all)
{
	struct connection *connection, *found = TAILQ_FIRST(&all->later);

	TAILQ_FOREACH (connection, &all->later, later_link) {
		if (connection->share->served < found->share->served)
			found = connection;
	}
	return found;
}

static void serve(struct connection *connection)
{
	struct exchange *exchange = connection->exchange;

	connection_later_forget(connection);
	exchange_complete(exchange);
	if (exchange_answered(exchange))
		return;
	if (connection->network.left)
		connection_abandon(connection);
	else if (connection->connections->stopping)
		exchange_stop(exchange);
}

static int on_turn(sd_event_source *source, uint64_t due_us, void *data)
{
	struct connections *all = data;
	int64_t begun_ms = clock_monotonic_ms();
	struct connection *connection;

	(void)source;
	(void)due_us;
	while ((connection = next(all)) && has_time(begun_ms))
		serve(connection);
	if (connection)
		schedule(all);
	return 0;
}

int connections_later_init(struct connections *all)
{
	int error;

	TAILQ_INIT(&all->later);
	error = sd_event_add_time(all->loop, &all->later_turn, CLOCK_MONOTONIC,
				  UINT64_MAX, ACCURACY_US, on_turn, all);
	if (error >= 0)
		error = sd_event_source_set_enabled(all->later_turn, SD_EVENT_OFF);
	return error < 0 ? error : 0;
}

bool connection_is_in_time(const struct connection *connection)
{
	return connection->network.left ||
	       has_time(connection->connections->engine.begun_ms);
}

enum MHD_Result connection_put_off(struct connection *connection)
{
	struct connections *all = connection->connections;
	enum MHD_Result result = connection_wait(connection);

	if (result != MHD_YES)
		return result;
	connection->put_off = true;
	TAILQ_INSERT_TAIL(&all->later, connection, later_link);
	schedule(all);
	return MHD_YES;
}

void connection_later_forget(struct connection *connection)
{
	if (!connection->put_off)
		return;
	connection->put_off = false;
	TAILQ_REMOVE(&connection->connections->later, connection, later_link);
}
