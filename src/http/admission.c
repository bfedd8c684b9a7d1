/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/admission.h"

#include "base/log.h"
#include "http/connection_private.h"

/* Of that address, or of all (NULL), without a right token. NULL: there is none. */
static struct connection *find_stranger(const struct connections *connections,
					const struct connection *newcomer,
					const struct share *share)
{
	struct connection *connection, *found = NULL;

	TAILQ_FOREACH (connection, &connections->list, link) {
		if (connection == newcomer || !connection->served || connection->proven ||
		    connection_is_open_ended(connection) ||
		    (share && connection->share != share))
			continue;
		if (!found || connection->share->strangers > found->share->strangers)
			found = connection;
	}
	return found;
}

/* Nothing is at work for it: it is idle, or still to send its request. */
static bool is_spare(const struct connection *connection)
{
	return connection->state == CONNECTION_IDLE ||
	       connection->state == CONNECTION_HEAD ||
	       connection->state == CONNECTION_BODY;
}

/* Idle ones go first; of several the one whose deadline is next, which has waited for longest. */
static bool goes_before(const struct connection *connection,
			const struct connection *other)
{
	bool idle = connection->state == CONNECTION_IDLE;
	bool other_idle = other->state == CONNECTION_IDLE;

	return idle != other_idle ? idle
				  : connection->deadline.due_us < other->deadline.due_us;
}

static struct connection *find_holder(const struct connections *connections,
				      const struct share *share)
{
	struct connection *connection, *found = NULL;

	TAILQ_FOREACH (connection, &connections->list, link) {
		if (!connection->proven || !connection->served || !is_spare(connection) ||
		    (share && connection->share != share))
			continue;
		if (!found || goes_before(connection, found))
			found = connection;
	}
	return found;
}

/* In the middle of its request it hears why. */
static void send_off(struct connection *connection)
{
	log_debug("http: connection %d makes room", connection->transport.fd);
	if (connection->state == CONNECTION_HEAD || connection->state == CONNECTION_BODY)
		connection_refuse_now(
			connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			"another connection needed this place, for nearly all are taken "
			"(max_connections): come again in a moment");
	connection_close(connection);
}

static bool make_room(const struct connections *connections,
		      const struct connection *newcomer, const struct share *share)
{
	struct connection *other = find_stranger(connections, newcomer, share);

	if (!other)
		other = find_holder(connections, share);
	if (other)
		send_off(other);
	return other != NULL;
}

/* Who lingers holds a descriptor: only where there are enough. */
static void refuse(struct connections *all, struct connection *connection,
		   const char *reason)
{
	log_debug("http: connection %d is refused: %s", connection->transport.fd, reason);
	if (all->refused >= ADMISSION_REFUSED_MAX || !connection->transport.shaken) {
		connections_count_answer(all, MHD_HTTP_SERVICE_UNAVAILABLE);
		connection_close(connection);
		return;
	}
	connection->refused = true;
	all->refused++;
	connection_refuse_now(connection, MHD_HTTP_SERVICE_UNAVAILABLE, reason);
}

bool admission_admit(struct connections *connections, struct connection *connection)
{
	const struct config *config = connections->config;

	if (connection->share->served > config->max_connections_per_address &&
	    !make_room(connections, connection, connection->share)) {
		refuse(connections, connection,
		       "as many connections from this address are at work as one may "
		       "have "
		       "(max_connections_per_address): use each for many requests, and "
		       "close those that are not needed");
		return false;
	}
	if (connections->served > config->max_connections &&
	    !make_room(connections, connection, NULL)) {
		refuse(connections, connection,
		       "as many connections are at work as this gateway serves "
		       "(max_connections): come again in a moment");
		return false;
	}
	return true;
}
