/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/admission.h"

#include <sys/socket.h>

#include "base/address.h"
#include "base/log.h"
#include "http/connection_private.h"
#include "http/refusal.h"

struct address_source admission_source(struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct address address;

	if (!info)
		return (struct address_source){ 0 };
	address_take(&address, info->client_addr);
	return address_source(&address);
}

const char *admission_flaw(const struct connections *connections,
			   const struct connection *connection)
{
	const struct config *config = connections->config;
	const struct connection *other;
	int64_t served = 0, alike = 0;

	TAILQ_FOREACH (other, &connections->list, link) {
		if (other->state == CONNECTION_CLOSING)
			continue;
		served++;
		alike += address_source_is(&other->source, &connection->source);
	}
	if (served > config->max_connections)
		return "as many connections are open as this gateway serves "
		       "(max_connections): come again in a moment";
	if (alike > config->max_connections_per_address)
		return "as many connections from this address are open as one may have "
		       "(max_connections_per_address): use each for many requests, and "
		       "close those that are not needed";
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
	connection->unread = true;
	shutdown(connection->fd, SHUT_WR);
	deadline_set(&all->deadlines, &connection->deadline, DEADLINE_DRAIN);
}
