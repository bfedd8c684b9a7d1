/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/admission.h"

#include <sys/socket.h>

#include "base/address.h"
#include "base/log.h"
#include "http/connection_private.h"
#include "http/refusal.h"

enum {
	RESERVE_PART = 16, /* of the slots, one */
	RESERVE_MAX = 16,
	FEW = 4, /* connections of an address */
};

struct share *admission_share(struct connections *connections, struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct address_source source = { 0 };
	struct address address;

	if (info) {
		address_take(&address, info->client_addr);
		source = address_source(&address);
	}
	return share_hold(&connections->shares, &source);
}

/* The last slots are being taken, and not by one address alone. */
static bool is_crowded(const struct connections *connections)
{
	unsigned most = (unsigned)connections->config->max_connections;
	unsigned reserve = most / RESERVE_PART;
	const struct share *share = LIST_FIRST(&connections->shares);

	if (reserve > RESERVE_MAX)
		reserve = RESERVE_MAX;
	return connections->served > most - reserve && LIST_NEXT(share, link);
}

/* No call is at work for it. */
static bool is_spare(const struct connection *connection)
{
	return connection->state == CONNECTION_IDLE ||
	       connection->state == CONNECTION_LINE ||
	       connection->state == CONNECTION_BODY ||
	       connection->state == CONNECTION_ANSWERING;
}

/* NULL: there is none. The list begins with who has been there for longest. */
static struct connection *find_other(const struct connections *connections,
				     const struct connection *newcomer)
{
	unsigned own = newcomer->share->served, most = own + 1;
	struct connection *connection, *found = NULL;

	TAILQ_FOREACH (connection, &connections->list, link) {
		unsigned served = connection->share->served;

		if (connection == newcomer || !is_spare(connection))
			continue;
		if (!connection->proven && (served >= own || own <= FEW))
			return connection;
		if (served > most && connection->state != CONNECTION_BODY) {
			most = served;
			found = connection;
		}
	}
	return found;
}

/* In the middle of its request it hears why. */
static void send_off(struct connection *connection)
{
	if (connection->state == CONNECTION_LINE ||
	    connection->state == CONNECTION_BODY) {
		connections_count_answer(connection->connections,
					 MHD_HTTP_SERVICE_UNAVAILABLE);
		refusal_send(connection->mhd, connection->route,
			     MHD_HTTP_SERVICE_UNAVAILABLE,
			     "another address needed this connection, for nearly all are "
			     "taken (max_connections): come again in a moment");
	}
	log_debug("http: connection %d makes room", connection->fd);
	connection_hang_up(connection);
}

static bool make_room(const struct connections *connections,
		      const struct connection *newcomer)
{
	struct connection *other = find_other(connections, newcomer);

	if (other)
		send_off(other);
	return other != NULL;
}

const char *admission_flaw(struct connections *connections,
			   const struct connection *connection)
{
	const struct config *config = connections->config;
	unsigned own = connection->share->served;

	if (own > config->max_connections_per_address)
		return "as many connections from this address are open as one may have "
		       "(max_connections_per_address): use each for many requests, and "
		       "close those that are not needed";
	if (is_crowded(connections) && !make_room(connections, connection) && own > FEW)
		return "nearly all connections that this gateway serves are taken "
		       "(max_connections), and this address has some: use these, or come "
		       "again in a moment";
	if (connections->served > config->max_connections)
		return "as many connections are open as this gateway serves "
		       "(max_connections): come again in a moment";
	return NULL;
}

/* Who lingers holds a slot: only where there are enough. */
static bool may_linger(const struct connections *connections)
{
	return connections->refused <= ADMISSION_REFUSED_MAX &&
	       connections->count < connections->config->max_connections * 3 / 4;
}

void admission_refuse(struct connection *connection, const char *flaw)
{
	struct connections *all = connection->connections;

	log_debug("http: connection %d is refused: %s", connection->fd, flaw);
	connections_count_answer(all, MHD_HTTP_SERVICE_UNAVAILABLE);
	refusal_send(connection->mhd, NULL, MHD_HTTP_SERVICE_UNAVAILABLE, flaw);
	connection->refused = true;
	all->refused++;
	if (!may_linger(all)) {
		connection_hang_up(connection);
		return;
	}
	connection->state = CONNECTION_CLOSING;
	connections_retire(all, connection);
	connection->unread = true;
	shutdown(connection->fd, SHUT_WR);
	deadline_set(&all->deadlines, &connection->deadline, DEADLINE_DRAIN);
}
