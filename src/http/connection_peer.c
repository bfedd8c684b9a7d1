/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the peer leaves.
 *
 * Every socket is watched for it: libmicrohttpd hears of it neither while an exchange waits nor
 * when the FIN came together with the last bytes it read. The watch is edge-triggered and
 * does not fire for data, and so costs nothing per request.
 *
 * Who waits is abandoned at once. What was read ahead is still answered, and what is still in
 * the socket is still read; but a moment later nothing can come of a peer that left, whatever
 * it began, and its slot is free
 * (tests/integration/test_slow_clients.py::test_who_leaves_in_the_middle_frees_the_slot).
 */
#include <sys/socket.h>

#include "http/connection_private.h"
#include "http/refusal.h"

void connection_rest(struct connection *connection)
{
	connection->state = CONNECTION_IDLE;
	deadline_set(&connection->connections->deadlines, &connection->deadline,
		     connection->peer_gone ? DEADLINE_GONE : DEADLINE_IDLE);
}

static bool is_receiving(const struct connection *connection)
{
	return connection->state == CONNECTION_IDLE ||
	       connection->state == CONNECTION_LINE ||
	       connection->state == CONNECTION_BODY;
}

void connection_left(void *data)
{
	struct connection *connection = data;

	connection->peer_gone = true;
	if (connection->put_off)
		return; /* it may have sent all that it had to say */
	if (connection_is_open_ended(connection))
		connection_abandon(connection);
	else if (is_receiving(connection))
		deadline_set(&connection->connections->deadlines, &connection->deadline,
			     DEADLINE_GONE);
}

bool connection_watch(struct connection *connection)
{
	if (!connection->watched)
		connection->watched = peer_watch_add(&connection->connections->peers,
						     connection->fd, connection);
	return connection->watched;
}

static bool has_unread(const struct connection *connection)
{
	char octet;

	return recv(connection->fd, &octet, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool connection_is_lost(const struct connection *connection)
{
	return !has_unread(connection) && !pump_is_busy(connection->pump);
}
