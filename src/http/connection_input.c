/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What comes in. The head of a request is collected and read here (http/request_head.h). What goes
 * on to libmicrohttpd is a head of our own that says only how the body is framed and whether the
 * connection goes on: so no version of libmicrohttpd can read a header in another way than we do,
 * and no token lies in its memory. The body follows as http/body_framing.h passes it on.
 *
 * The next request is looked at when the answer to the present one has gone out: what comes
 * before that waits in the socket, but for what was read together with the present one.
 */
#include "http/connection_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	INPUT_BYTES_FIRST = 2048, /* most requests fit, with their body */
	PIECE_BYTES = 16 * 1024,
	OUR_BUFFER_BYTES = 16 * 1024, /* of the pair; the kernel doubles it */
	ENGINE_BUFFER_BYTES = 32 * 1024,
};

static const char ended_early[] = "the request ended in its middle";

/* Joining libmicrohttpd: 0.9.75 takes it at once, 1.0.1 in its next run */

static int pair_make(int fds[2])
{
	const int ours = OUR_BUFFER_BYTES, engines = ENGINE_BUFFER_BYTES;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) < 0)
		return -errno;
	setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &ours, sizeof(ours));
	setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &engines, sizeof(engines));
	return 0;
}

static bool join_engine(struct connection *connection)
{
	struct connections *all = connection->connections;
	int fds[2];

	if (connection->engine == CONNECTION_JOINED)
		return true;
	if (pair_make(fds) < 0)
		return false;
	if (socket_poll_add(&all->poll, &connection->pair, fds[0], connection) < 0) {
		close(fds[0]);
		close(fds[1]);
		return false;
	}
	connection->engine = CONNECTION_JOINING;
	connection->engine_fd = fds[1];
	TAILQ_INSERT_TAIL(&all->joining, connection, joining_link);
	engine_kick(&all->engine);
	/* it closes its end, also when it does not take it */
	if (MHD_add_connection(all->engine.daemon, fds[1], &connection->peer.any,
			       connection->peer.length) == MHD_YES)
		return true;
	connection_part(connection);
	return false;
}

static size_t write_head(const struct request_head *head, char text[static 256])
{
	char framing[64] = "";
	int length;

	if (head->body_length == REQUEST_BODY_CHUNKED)
		snprintf(framing, sizeof(framing), "Transfer-Encoding: chunked\r\n");
	else if (head->body_length)
		snprintf(framing, sizeof(framing), "Content-Length: %" PRIu64 "\r\n",
			 head->body_length);
	length = snprintf(text, 256, "%s / HTTP/1.%c\r\nHost: -\r\n%s%s%s\r\n",
			  strcmp(head->method, "HEAD") == 0 ? "HEAD"
			  : head->body_length		    ? "POST"
							    : "GET",
			  head->is_http_1_0 ? '0' : '1',
			  head->close	      ? "Connection: close\r\n"
			  : head->is_http_1_0 ? "Connection: keep-alive\r\n"
					      : "",
			  head->expects_continue && head->body_length
				  ? "Expect: 100-continue\r\n"
				  : "",
			  framing);
	return (size_t)length;
}

static bool hold(struct connection *connection, const struct iovec *piece, size_t from)
{
	return from >= piece->iov_len ||
	       held_bytes_keep(&connection->to_engine, (char *)piece->iov_base + from,
			       piece->iov_len - from);
}

/* Two pieces in one call; the second follows the first. False: no memory. */
static bool pass_on(struct connection *connection, struct iovec pieces[static 2])
{
	const struct msghdr message = { .msg_iov = pieces, .msg_iovlen = 2 };
	size_t length = pieces[0].iov_len + pieces[1].iov_len, sent = 0;
	ssize_t result;

	if (!length)
		return true;
	engine_kick(&connection->connections->engine);
	if (!connection->to_engine.data) {
		result = sendmsg(connection->pair.fd, &message,
				 MSG_DONTWAIT | MSG_NOSIGNAL);
		if (result < 0 && errno != EAGAIN)
			return true; /* it wants no more: its answer is on the way */
		sent = result > 0 ? (size_t)result : 0;
	}
	if (sent == length)
		return true;
	socket_poll_want_write(&connection->connections->poll, &connection->pair);
	return hold(connection, &pieces[0], sent) &&
	       hold(connection, &pieces[1],
		    sent > pieces[0].iov_len ? sent - pieces[0].iov_len : 0);
}

/* False: libmicrohttpd has not taken all of it yet. */
static bool pass_on_held(struct connection *connection)
{
	struct held_bytes *held = &connection->to_engine;
	ssize_t sent;

	while (held->data) {
		sent = send(connection->pair.fd, held->data + held->at,
			    held->length - held->at, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (sent < 0 && errno == EAGAIN) {
			socket_poll_want_write(&connection->connections->poll,
					       &connection->pair);
			return false;
		}
		engine_kick(&connection->connections->engine);
		held->at += sent > 0 ? (size_t)sent : 0;
		if (sent < 0 || held->at == held->length)
			held_bytes_clear(held);
	}
	return true;
}

/* Receiving */

static void refuse(struct connection *connection, const struct request_flaw *flaw)
{
	connection_refuse_now(connection, flaw->status, flaw->text);
}

/* A call may wait for long: what it does not need is given back. */
static void input_shrink(struct connection *connection)
{
	char *exact = realloc(connection->input, connection->input_length);

	if (!exact)
		return;
	connection->input = exact;
	connection->input_size = connection->input_length;
}

static bool input_grow(struct connection *connection)
{
	size_t size = connection->input_size ? REQUEST_HEAD_BYTES_MAX : INPUT_BYTES_FIRST;
	char *larger = malloc(size);

	if (!larger)
		return false;
	if (connection->input_length)
		memcpy(larger, connection->input, connection->input_length);
	if (connection->input_length)
		explicit_bzero(connection->input, connection->input_length);
	free(connection->input);
	connection->input = larger;
	connection->input_size = size;
	return true;
}

/* Less than there was room for: nothing more is there, unless TLS or the kernel keeps the end. */
static void note_read(struct connection *connection, size_t length, size_t room)
{
	connection->network.readable = connection->network.left || length == room ||
				       connection->transport.encrypted;
}

/* False: nothing came, or the connection is over. */
static bool receive(struct connection *connection)
{
	struct request_flaw flaw = { MHD_HTTP_SERVICE_UNAVAILABLE, CONNECTION_NO_ROOM };
	ssize_t length;

	if (!connection->network.readable)
		return false;
	if (connection->input_length == connection->input_size &&
	    !input_grow(connection)) {
		refuse(connection, &flaw);
		return false;
	}
	length = transport_read(&connection->transport,
				connection->input + connection->input_length,
				connection->input_size - connection->input_length);
	if (length > 0) {
		note_read(connection, (size_t)length,
			  connection->input_size - connection->input_length);
		connection->input_length += (size_t)length;
		return true;
	}
	connection->network.readable = false;
	connection->ended = length == 0;
	if (length == 0 && connection->input_length)
		connection_refuse_now(connection, MHD_HTTP_REQUEST_TIMEOUT, ended_early);
	else if (length != -EAGAIN)
		connection_close(connection);
	else if (!connection->input_length)
		connection_forget_input(connection);
	return false;
}

/* The first byte of a request is here. A fresh connection has its deadline since it came. */
static void wake(struct connection *connection)
{
	connection->state = CONNECTION_HEAD;
	if (connection->deadline.kind != DEADLINE_REQUEST)
		deadline_set(&connection->connections->deadlines, &connection->deadline,
			     DEADLINE_REQUEST);
}

/* Bodies */

static void refuse_body(struct connection *connection, int error)
{
	connection->unread = true;
	if (error == -EMSGSIZE)
		connection_refuse_now(connection, 413,
				      "the body is longer than 65536 bytes: send less");
	else
		connection_refuse_now(
			connection, MHD_HTTP_BAD_REQUEST,
			"the body is not chunked as HTTP/1.1 says: each chunk "
			"has its size in hex, CRLF, as many bytes, CRLF");
}

/*
 * Passes on `head`, which may be empty, and what there is of the body. False: it is refused, or
 * waits for libmicrohttpd.
 */
static bool frame(struct connection *connection, struct iovec head, char *data,
		  size_t length, size_t *used)
{
	/* with Content-Length the gates refuse what is too long */
	int passed = body_framing_read(&connection->framing, data, length,
				       EXCHANGE_BODY_MAX, used);
	struct iovec pieces[] = { head, { data, passed > 0 ? (size_t)passed : 0 } };

	if (passed < 0) {
		refuse_body(connection, passed);
		return false;
	}
	if (pass_on(connection, pieces))
		return !connection->to_engine.data;
	connection_no_room(connection);
	return false;
}

/* False: nothing came, or it is to go on later. */
static bool read_piece(struct connection *connection)
{
	char piece[PIECE_BYTES];
	size_t used;
	ssize_t length;

	if (!connection->network.readable)
		return false;
	length = transport_read(&connection->transport, piece, sizeof(piece));
	if (length > 0) {
		note_read(connection, (size_t)length, sizeof(piece));
		if (!frame(connection, (struct iovec){ NULL, 0 }, piece, (size_t)length,
			   &used) &&
		    connection->state != CONNECTION_BODY)
			return false;
		if (used < (size_t)length) {
			if (!held_bytes_keep(&connection->ahead, piece + used,
					     (size_t)length - used))
				connection_close(connection);
			explicit_bzero(piece + used, (size_t)length - used); /* tokens */
		}
		return !connection->to_engine.data;
	}
	connection->network.readable = false;
	connection->ended = length == 0;
	if (length == 0)
		connection_refuse_now(connection, MHD_HTTP_REQUEST_TIMEOUT, ended_early);
	else if (length != -EAGAIN)
		connection_close(connection);
	return false;
}

/* What came with the head goes with it. */
static void hand_over(struct connection *connection)
{
	char text[256];
	struct iovec head = { text, write_head(connection->head, text) };
	size_t used = 0;

	if (!join_engine(connection)) {
		connection_no_room(connection);
		return;
	}
	frame(connection, head, connection->input + connection->input_used,
	      connection->input_length - connection->input_used, &used);
	connection->input_used += used;
}

void connection_read_body(struct connection *connection)
{
	bool on = pass_on_held(connection);

	while (on && connection->state == CONNECTION_BODY &&
	       !body_framing_is_over(&connection->framing))
		on = read_piece(connection);
}

/* Heads */

static void begin(struct connection *connection, size_t length)
{
	struct request_flaw flaw = { MHD_HTTP_SERVICE_UNAVAILABLE, CONNECTION_NO_ROOM };

	input_shrink(connection);
	connection->head = malloc(sizeof(*connection->head));
	if (!connection->head ||
	    !request_head_parse(connection->input, length, connection->head, &flaw)) {
		refuse(connection, &flaw);
		return;
	}
	connection->input_used = length;
	connection->state = CONNECTION_BODY;
	body_framing_init(&connection->framing, connection->head->body_length);
	hand_over(connection);
}

void connection_read_head(struct connection *connection)
{
	struct request_flaw flaw;
	int length;

	if (!connection->input_length && !receive(connection))
		return;
	if (connection->state == CONNECTION_IDLE)
		wake(connection);
	do {
		length = request_head_scan(connection->input, connection->input_length,
					   &connection->input_scanned, &flaw);
	} while (!length && receive(connection));
	if (length < 0)
		refuse(connection, &flaw);
	else if (length)
		begin(connection, (size_t)length);
}

/* The end */

void connection_forget_input(struct connection *connection)
{
	if (connection->input)
		explicit_bzero(connection->input, connection->input_length);
	free(connection->input);
	connection->input = NULL;
	connection->input_size = connection->input_length = 0;
	connection->input_used = connection->input_scanned = 0;
	held_bytes_clear(&connection->ahead);
}

void connection_next_input(struct connection *connection)
{
	size_t left = connection->input_length - connection->input_used;
	struct held_bytes ahead = connection->ahead;

	connection->input_scanned = 0;
	if (left) { /* then nothing was read ahead */
		explicit_bzero(connection->input, connection->input_used);
		memmove(connection->input, connection->input + connection->input_used,
			left);
		connection->input_length = left;
		connection->input_used = 0;
		return;
	}
	connection->ahead = (struct held_bytes){ NULL, 0, 0 };
	connection_forget_input(connection);
	connection->input = ahead.data;
	connection->input_size = connection->input_length = ahead.length;
}
