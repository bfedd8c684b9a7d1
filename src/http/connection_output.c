/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What goes out: all that libmicrohttpd writes is passed on as it is. What the peer does not take
 * is held, and then nothing more is read from libmicrohttpd, so a slow reader costs one piece.
 */
#include "http/connection_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { PIECE_BYTES = 16 * 1024 };

bool held_bytes_keep(struct held_bytes *held, const char *data, size_t length)
{
	size_t left = held->length - held->at;
	char *more = malloc(left + length);

	if (!more)
		return false;
	if (left)
		memcpy(more, held->data + held->at, left);
	memcpy(more + left, data, length);
	held_bytes_clear(held);
	*held = (struct held_bytes){ more, 0, left + length };
	return true;
}

void held_bytes_clear(struct held_bytes *held)
{
	if (held->data)
		explicit_bzero(held->data, held->length);
	free(held->data);
	*held = (struct held_bytes){ NULL, 0, 0 };
}

/* What the peer took; 0: nothing for now; -1: the connection is over. */
static ssize_t write_some(struct connection *connection, const char *data, size_t length)
{
	ssize_t written = transport_write(&connection->transport, data, length);

	if (written == -EAGAIN) {
		socket_poll_want_write(&connection->connections->poll,
				       &connection->network);
		return 0;
	}
	if (written < 0) {
		if (connection_is_open_ended(connection))
			connection_abandon(connection);
		else
			connection_close(connection);
		return -1;
	}
	return written;
}

bool connection_write(struct connection *connection, const char *data, size_t length)
{
	ssize_t written = 0;

	while (length && !connection->to_peer.data) {
		written = write_some(connection, data, length);
		if (written < 0)
			return false;
		if (written == 0)
			break;
		data += written;
		length -= (size_t)written;
	}
	if (!length || held_bytes_keep(&connection->to_peer, data, length))
		return true;
	connection_close(connection);
	return false;
}

/* False: something is left, or the connection is over. */
static bool write_held(struct connection *connection, bool *moved)
{
	struct held_bytes *held = &connection->to_peer;
	ssize_t written;

	while (held->data) {
		written = write_some(connection, held->data + held->at,
				     held->length - held->at);
		if (written <= 0)
			return false;
		*moved = true;
		held->at += (size_t)written;
		if (held->at == held->length) {
			held_bytes_clear(held);
			if (connection->state == CONNECTION_LINGERING)
				transport_finish(&connection->transport);
		}
	}
	return true;
}

/* False: there is nothing more for now. */
static bool read_pair(struct connection *connection)
{
	char piece[PIECE_BYTES];
	ssize_t length;

	if (connection->pair.fd < 0)
		return false;
	connection->pair.readable = connection->pair.left;
	length = recv(connection->pair.fd, piece, sizeof(piece), MSG_DONTWAIT);
	if (length > 0 && !connection->completed)
		engine_kick(&connection->connections->engine); /* there may be more */
	if (length > 0)
		return connection_write(connection, piece, (size_t)length) &&
		       ((size_t)length == sizeof(piece) || connection->pair.left);
	if (length == 0 || errno != EAGAIN)
		connection_close_pair(connection);
	return false;
}

bool connection_relay(struct connection *connection)
{
	bool moved = false, over;

	do {
		over = write_held(connection, &moved);
	} while (over && read_pair(connection) && (moved = true));
	if (connection->state == CONNECTION_STREAMING)
		connection_stream_moved(connection, moved);
	return over && !connection->to_peer.data &&
	       connection->state != CONNECTION_CLOSED;
}
