/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/connection.h"

#include "base/log.h"
#include "config/config.h"

/* Of this address only, unless `usage` is NULL. */
static struct connection *admission_find_untrusted(const struct connections *all,
						   const struct connection_usage *usage)
{
	struct connection *connection, *found = NULL;

	TAILQ_FOREACH (connection, &all->list, list_link) {
		if (!connection->served || connection->trusted ||
		    connection_is_open_ended(connection) ||
		    (usage && connection->usage != usage))
			continue;
		if (!found || connection->usage->untrusted > found->usage->untrusted)
			found = connection;
	}
	return found;
}

/* In which order the connections of one client make room. */
enum admission_turn {
	ADMISSION_IDLE,
	ADMISSION_ARRIVING, /* a request */
	ADMISSION_WAITING,  /* a call, or a stream */
	ADMISSION_STAYS,
};

static enum admission_turn admission_turn(const struct connection *connection)
{
	if (connection->state == CONNECTION_IDLE)
		return ADMISSION_IDLE;
	if (connection->state < CONNECTION_WAITING)
		return ADMISSION_ARRIVING;
	if (connection_is_open_ended(connection) && !connection->postponed &&
	    connection->client_id)
		return ADMISSION_WAITING;
	return ADMISSION_STAYS;
}

static bool admission_counts(const struct connection *connection,
			     const struct connection_usage *usage)
{
	return connection->trusted && connection->served &&
	       (!usage || connection->usage == usage);
}

/*
 * Counts the connections of each client, at this address unless `usage` is NULL. There are few
 * clients, so the first connection of each comes early in the list.
 */
static void admission_count_clients(const struct connections *all,
				    const struct connection_usage *usage)
{
	struct connection *connection, *first;

	TAILQ_FOREACH (connection, &all->list, list_link) {
		if (!admission_counts(connection, usage))
			continue;
		TAILQ_FOREACH (first, &all->list, list_link)
			if (admission_counts(first, usage) &&
			    first->client_id == connection->client_id)
				break;
		connection->first_of_client = first;
		connection->client_count = 0;
		first->client_count++;
	}
}

/* Among equals, the nearest deadline goes first, which has waited longest; else the oldest. */
static bool admission_goes_before(const struct connection *connection,
				  const struct connection *other)
{
	enum admission_turn turn = admission_turn(connection);
	enum admission_turn other_turn = admission_turn(other);
	unsigned count = connection->first_of_client->client_count;
	unsigned other_count = other->first_of_client->client_count;

	if (count != other_count)
		return count > other_count;
	if (turn != other_turn)
		return turn < other_turn;
	return connection->deadline.due_us < other->deadline.due_us;
}

static struct connection *admission_find_trusted(const struct connections *all,
						 const struct connection_usage *usage)
{
	struct connection *connection, *found = NULL;

	admission_count_clients(all, usage);
	TAILQ_FOREACH (connection, &all->list, list_link) {
		if (!admission_counts(connection, usage) ||
		    admission_turn(connection) == ADMISSION_STAYS)
			continue;
		if (!found || admission_goes_before(connection, found))
			found = connection;
	}
	return found;
}

/* Returns false if there is no other connection. */
static bool admission_end(struct connection *other)
{
	if (!other)
		return false;
	log_debug("http: connection %d makes room", other->fd);
	if (admission_turn(other) == ADMISSION_WAITING)
		connection_yield(other);
	else
		connection_close(other);
	return true;
}

bool admission_close_untrusted(const struct connections *all)
{
	return admission_end(admission_find_untrusted(all, NULL));
}

/* Returns false if no connection can go. */
static bool admission_make_room(const struct connections *all,
				const struct connection_usage *usage)
{
	return admission_end(admission_find_untrusted(all, usage)) ||
	       admission_end(admission_find_trusted(all, usage));
}

const char *admission_refusal(struct connections *all,
			      const struct connection_usage *usage)
{
	const struct config *config = all->config;

	if (usage->served >= config->max_connections_per_address &&
	    !admission_make_room(all, usage))
		return "this address has as many busy connections as allowed "
		       "(max_connections_per_address): use one connection for many "
		       "requests, and close those you don't need";
	if (all->served_count >= config->max_connections &&
	    !admission_make_room(all, NULL))
		return "the gateway has as many busy connections as allowed "
		       "(max_connections): try again in a moment";
	return NULL;
}
