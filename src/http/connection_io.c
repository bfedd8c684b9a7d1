/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Input: the head of a request is collected and parsed here (http/request_head.h). libmicrohttpd
 * gets a head that we write, which says only how the body is framed and whether the connection
 * stays open. So no version of libmicrohttpd can read a header differently from us, and no token
 * gets into its memory. The body follows as http/request_head.h passes it on.
 *
 * The next request is read only after the answer to the current one has gone out. Until then its
 * bytes wait in the socket, except those that were read together with the current request.
 *
 * Output: what libmicrohttpd writes is passed on unchanged. What the peer does not take is kept, and
 * meanwhile nothing more is read from libmicrohttpd, so a slow reader costs one piece of memory.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "http/connection.h"

enum {
	CONNECTION_IO_INPUT_BYTES = 2048, /* enough for most requests and their body */
	CONNECTION_IO_PIECE_BYTES = 16 * 1024,
	CONNECTION_IO_HEAD_BYTES = 256, /* of the head that we write */
};

#define CONNECTION_IO_ENDED_EARLY "the request ended in the middle"

/* Output */

/* Returns the bytes that the peer took; 0: none for now; -1: the connection is over. */
static ssize_t connection_io_write_some(struct connection *connection, const char *data,
					size_t length)
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

bool connection_io_write(struct connection *connection, const char *data, size_t length)
{
	ssize_t written;

	while (length && !connection->unsent.data) {
		written = connection_io_write_some(connection, data, length);
		if (written < 0)
			return false;
		if (written == 0)
			break;
		data += written;
		length -= (size_t)written;
	}
	if (!length || transport_bytes_append(&connection->unsent, data, length))
		return true;
	connection_close(connection);
	return false;
}

/* False: some bytes are left, or the connection is over. */
static bool connection_io_write_unsent(struct connection *connection, bool *moved)
{
	struct transport_bytes *unsent = &connection->unsent;
	ssize_t written;

	while (unsent->data) {
		written = connection_io_write_some(connection, unsent->data + unsent->at,
						   unsent->length - unsent->at);
		if (written <= 0)
			return false;
		*moved = true;
		unsent->at += (size_t)written;
		if (unsent->at == unsent->length) {
			transport_bytes_clear(unsent);
			if (connection->state == CONNECTION_LINGERING)
				transport_finish(&connection->transport);
		}
	}
	return true;
}

/* False: libmicrohttpd has written nothing more for now. */
static bool connection_io_relay_piece(struct connection *connection)
{
	char piece[CONNECTION_IO_PIECE_BYTES];
	size_t length = engine_link_read(&connection->link, piece, sizeof(piece));

	if (!length)
		return false;
	if (!connection->completed)
		engine_kick(&connection->connections->engine); /* it may write more */
	return connection_io_write(connection, piece, length) &&
	       (length == sizeof(piece) || connection->link.pair.hung_up);
}

bool connection_io_relay(struct connection *connection)
{
	bool moved = false, flushed;

	do {
		flushed = connection_io_write_unsent(connection, &moved);
	} while (flushed && connection_io_relay_piece(connection) && (moved = true));
	if (connection->state == CONNECTION_STREAMING)
		connection_request_on_stream_written(connection, moved);
	return flushed && !connection->unsent.data &&
	       connection->state != CONNECTION_CLOSED;
}

/* Input */

/* A call may wait for a long time: give back what it does not need. */
static void connection_io_shrink_input(struct connection *connection)
{
	char *exact = realloc(connection->input, connection->input_length);

	if (!exact)
		return;
	connection->input = exact;
	connection->input_size = connection->input_length;
}

static bool connection_io_grow_input(struct connection *connection)
{
	size_t size = connection->input_size ? REQUEST_HEAD_BYTES_MAX
					     : CONNECTION_IO_INPUT_BYTES;
	char *larger = malloc(size);

	if (!larger)
		return false;
	if (connection->input_length) {
		memcpy(larger, connection->input, connection->input_length);
		explicit_bzero(connection->input, connection->input_length);
	}
	free(connection->input);
	connection->input = larger;
	connection->input_size = size;
	return true;
}

void connection_io_clear_input(struct connection *connection)
{
	if (connection->input)
		explicit_bzero(connection->input, connection->input_length);
	free(connection->input);
	connection->input = NULL;
	connection->input_size = connection->input_length = 0;
	connection->input_used = connection->input_scanned = 0;
	transport_bytes_clear(&connection->ahead);
}

void connection_io_next_request(struct connection *connection)
{
	size_t left = connection->input_length - connection->input_used;
	struct transport_bytes ahead = connection->ahead;

	connection->input_scanned = 0;
	if (left) { /* then `ahead` is empty: the body arrived with the head */
		explicit_bzero(connection->input, connection->input_used);
		memmove(connection->input, connection->input + connection->input_used,
			left);
		connection->input_length = left;
		connection->input_used = 0;
		return;
	}
	connection->ahead = (struct transport_bytes){ NULL, 0, 0 };
	connection_io_clear_input(connection);
	connection->input = ahead.data;
	connection->input_size = connection->input_length = ahead.length;
}

/*
 * A short read has emptied the socket, so there is no need to read again before the next event;
 * unless TLS keeps decrypted bytes, or the peer has hung up and no event will follow.
 */
static void connection_io_after_read(struct connection *connection, size_t length,
				     size_t room)
{
	connection->network.readable = connection->network.hung_up || length == room ||
				       connection->transport.encrypted;
}

/* Reads more of a head. False: nothing came, or the connection is over. */
static bool connection_io_receive(struct connection *connection)
{
	size_t room;
	ssize_t length;

	if (!connection->network.readable)
		return false;
	if (connection->input_length == connection->input_size &&
	    !connection_io_grow_input(connection)) {
		connection_refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				  CONNECTION_NO_MEMORY);
		return false;
	}
	room = connection->input_size - connection->input_length;
	length = transport_read(&connection->transport,
				connection->input + connection->input_length, room);
	if (length > 0) {
		connection_io_after_read(connection, (size_t)length, room);
		connection->input_length += (size_t)length;
		return true;
	}
	connection->network.readable = false;
	connection->input_ended = length == 0;
	if (length == 0 && connection->input_length)
		connection_refuse(connection, MHD_HTTP_REQUEST_TIMEOUT,
				  CONNECTION_IO_ENDED_EARLY);
	else if (length != -EAGAIN)
		connection_close(connection);
	else if (!connection->input_length)
		connection_io_clear_input(connection);
	return false;
}

/* Bodies */

static void connection_io_refuse_body(struct connection *connection, int error)
{
	if (error == -EMSGSIZE)
		connection_refuse(connection, 413,
				  "the body is longer than 65536 bytes: send less");
	else
		connection_refuse(
			connection, MHD_HTTP_BAD_REQUEST,
			"the body is not chunked as HTTP/1.1 defines it: each chunk is "
			"its size in hex, CRLF, that many bytes, CRLF");
}

/*
 * Passes on `head`, which may be empty, and the body in `data`. *used: the bytes of `data` that
 * belong to this body. False: it was refused, or libmicrohttpd has not taken all of it.
 */
static bool connection_io_pass_on(struct connection *connection, struct iovec head,
				  char *data, size_t length, size_t *used)
{
	/* a Content-Length that is too large was refused by the gates */
	int passed = body_framing_read(&connection->framing, data, length,
				       EXCHANGE_BODY_MAX, used);
	struct iovec pieces[] = { head, { data, passed > 0 ? (size_t)passed : 0 } };

	if (passed < 0) {
		connection_io_refuse_body(connection, passed);
		return false;
	}
	if (engine_link_write(&connection->link, pieces))
		return !connection->link.unsent.data;
	connection_refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, CONNECTION_NO_MEMORY);
	return false;
}

/* False: nothing came, the body is refused, or it goes on later. */
static bool connection_io_read_piece(struct connection *connection)
{
	char piece[CONNECTION_IO_PIECE_BYTES];
	size_t used;
	ssize_t length;

	if (!connection->network.readable)
		return false;
	length = transport_read(&connection->transport, piece, sizeof(piece));
	if (length > 0) {
		connection_io_after_read(connection, (size_t)length, sizeof(piece));
		if (!connection_io_pass_on(connection, (struct iovec){ NULL, 0 }, piece,
					   (size_t)length, &used) &&
		    connection->state != CONNECTION_BODY)
			return false;
		if (used < (size_t)length) {
			if (!transport_bytes_append(&connection->ahead, piece + used,
						    (size_t)length - used))
				connection_close(connection);
			explicit_bzero(piece + used, (size_t)length - used); /* tokens */
		}
		return !connection->link.unsent.data;
	}
	connection->network.readable = false;
	connection->input_ended = length == 0;
	if (length == 0)
		connection_refuse(connection, MHD_HTTP_REQUEST_TIMEOUT,
				  CONNECTION_IO_ENDED_EARLY);
	else if (length != -EAGAIN)
		connection_close(connection);
	return false;
}

void connection_io_read_body(struct connection *connection)
{
	bool more = engine_link_flush(&connection->link);

	while (more && connection->state == CONNECTION_BODY &&
	       !body_framing_is_over(&connection->framing))
		more = connection_io_read_piece(connection);
}

/* Heads */

/* Writes the head that libmicrohttpd gets, and returns its length. */
static size_t connection_io_write_head(const struct request_head *head,
				       char text[static CONNECTION_IO_HEAD_BYTES])
{
	const char *method = "GET", *connection = "";
	char framing[64] = "";
	int length;

	if (strcmp(head->method, "HEAD") == 0)
		method = "HEAD";
	else if (head->body_length)
		method = "POST";
	if (head->close)
		connection = "Connection: close\r\n";
	else if (head->is_http_1_0)
		connection = "Connection: keep-alive\r\n";
	if (head->body_length == REQUEST_HEAD_BODY_CHUNKED)
		snprintf(framing, sizeof(framing), "Transfer-Encoding: chunked\r\n");
	else if (head->body_length)
		snprintf(framing, sizeof(framing), "Content-Length: %" PRIu64 "\r\n",
			 head->body_length);
	length = snprintf(
		text, CONNECTION_IO_HEAD_BYTES, "%s / HTTP/1.%c\r\nHost: -\r\n%s%s%s\r\n",
		method, head->is_http_1_0 ? '0' : '1', connection,
		head->expects_continue && head->body_length ? "Expect: 100-continue\r\n"
							    : "",
		framing);
	return (size_t)length;
}

/* Passes the head on, together with the part of the body that arrived with it. */
static void connection_io_begin_request(struct connection *connection, size_t head_length)
{
	struct request_head_error error = { MHD_HTTP_SERVICE_UNAVAILABLE,
					    CONNECTION_NO_MEMORY };
	char text[CONNECTION_IO_HEAD_BYTES];
	struct iovec head = { text, 0 };
	size_t used = 0;

	connection_io_shrink_input(connection);
	connection->head = malloc(sizeof(*connection->head));
	if (!connection->head || !request_head_parse(connection->input, head_length,
						     connection->head, &error)) {
		connection_refuse(connection, error.status, error.text);
		return;
	}
	connection->input_used = head_length;
	connection->state = CONNECTION_BODY;
	body_framing_init(&connection->framing, connection->head->body_length);
	if (!engine_link_join(&connection->link, &connection->peer)) {
		connection_refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				  CONNECTION_NO_MEMORY);
		return;
	}
	head.iov_len = connection_io_write_head(connection->head, text);
	connection_io_pass_on(connection, head,
			      connection->input + connection->input_used,
			      connection->input_length - connection->input_used, &used);
	connection->input_used += used;
}

void connection_io_read_head(struct connection *connection)
{
	struct request_head_error error = { 0 };
	int length;

	if (!connection->input_length && !connection_io_receive(connection))
		return;
	if (connection->state == CONNECTION_IDLE) {
		connection->state = CONNECTION_HEAD;
		/* a new connection has had this deadline since it was accepted */
		if (connection->deadline.kind != DEADLINE_REQUEST)
			deadline_set(&connection->connections->deadlines,
				     &connection->deadline, DEADLINE_REQUEST);
	}
	do {
		length = request_head_scan(connection->input, connection->input_length,
					   &connection->input_scanned, &error);
	} while (!length && connection_io_receive(connection));
	if (length < 0)
		connection_refuse(connection, error.status, error.text);
	else if (length)
		connection_io_begin_request(connection, (size_t)length);
}
