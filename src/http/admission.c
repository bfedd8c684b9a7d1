/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/connection.h"

#include <stdlib.h>

#include "base/log.h"
#include "config/config.h"

struct admission_usage *admission_usage_hold(struct admission_usage_list *list,
					     const struct address_source *source)
{
	struct admission_usage *usage;

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

void admission_usage_release(struct admission_usage *usage)
{
	if (--usage->connections)
		return;
	LIST_REMOVE(usage, link);
	free(usage);
}

/* Of this address only, unless `usage` is NULL. */
static struct connection *admission_find_untrusted(const struct connections *all,
						   const struct connection *newcomer,
						   const struct admission_usage *usage)
{
	struct connection *connection, *found = NULL;

	TAILQ_FOREACH (connection, &all->list, list_link) {
		if (connection == newcomer || !connection->served ||
		    connection->trusted || connection_is_open_ended(connection) ||
		    (usage && connection->usage != usage))
			continue;
		if (!found || connection->usage->untrusted > found->usage->untrusted)
			found = connection;
	}
	return found;
}

/* It is idle, or its request is still arriving. */
static bool admission_is_spare(const struct connection *connection)
{
	return connection->state == CONNECTION_IDLE ||
	       connection->state == CONNECTION_HEAD ||
	       connection->state == CONNECTION_BODY;
}

/* Idle connections go first, then the one with the nearest deadline: it has waited longest. */
static bool admission_goes_before(const struct connection *connection,
				  const struct connection *other)
{
	bool idle = connection->state == CONNECTION_IDLE;
	bool other_idle = other->state == CONNECTION_IDLE;

	return idle != other_idle ? idle
				  : connection->deadline.due_us < other->deadline.due_us;
}

static struct connection *admission_find_trusted(const struct connections *all,
						 const struct admission_usage *usage)
{
	struct connection *connection, *found = NULL;

	TAILQ_FOREACH (connection, &all->list, list_link) {
		if (!connection->trusted || !connection->served ||
		    !admission_is_spare(connection) ||
		    (usage && connection->usage != usage))
			continue;
		if (!found || admission_goes_before(connection, found))
			found = connection;
	}
	return found;
}

/* Closes another connection. False: none can go. */
static bool admission_make_room(const struct connections *all,
				const struct connection *newcomer,
				const struct admission_usage *usage)
{
	struct connection *other = admission_find_untrusted(all, newcomer, usage);

	if (!other)
		other = admission_find_trusted(all, usage);
	if (!other)
		return false;
	log_debug("http: connection %d makes room", other->transport.fd);
	if (other->state == CONNECTION_HEAD || other->state == CONNECTION_BODY)
		connection_refuse(
			other, MHD_HTTP_SERVICE_UNAVAILABLE,
			"another connection needed this place, because nearly all are "
			"taken (max_connections): try again in a moment");
	connection_close(other);
	return true;
}

/* A refused connection that lingers holds a descriptor, so only a few may. */
static void admission_refuse(struct connections *all, struct connection *connection,
			     const char *reason)
{
	log_debug("http: connection %d is refused: %s", connection->transport.fd, reason);
	if (all->refused_count >= ADMISSION_REFUSED_MAX ||
	    !connection->transport.handshaken) {
		connection_count_answer(connection, MHD_HTTP_SERVICE_UNAVAILABLE);
		connection_close(connection);
		return;
	}
	connection->refused = true;
	all->refused_count++;
	connection_refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, reason);
}

bool admission_admit(struct connections *all, struct connection *connection)
{
	const struct config *config = all->config;

	if (connection->usage->served > config->max_connections_per_address &&
	    !admission_make_room(all, connection, connection->usage)) {
		admission_refuse(all, connection,
				 "this address has as many busy connections as allowed "
				 "(max_connections_per_address): use one connection for "
				 "many requests, and close those you don't need");
		return false;
	}
	if (all->served_count > config->max_connections &&
	    !admission_make_room(all, connection, NULL)) {
		admission_refuse(all, connection,
				 "the gateway has as many busy connections as allowed "
				 "(max_connections): try again in a moment");
		return false;
	}
	return true;
}
