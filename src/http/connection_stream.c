/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams: libmicrohttpd asks for the next piece when it has written the one before. While nothing
 * waits, here or for the peer to read, the connection is suspended and has no deadline; otherwise
 * the deadline is set anew with every piece that the peer took (tests/unit/test_stream.c).
 */
#include "http/connection_private.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/log.h"

enum { UNHEARD_MS = 30 * 1000 }; /* what the peer does not acknowledge: it is gone */

void connection_awake(struct connection *connection)
{
	if (!connection->asleep)
		return;
	connection->asleep = false;
	MHD_resume_connection(connection->mhd);
	engine_kick(&connection->connections->engine);
}

/* stream_read() comes next, and sets the deadline. */
static void stream_filled(void *data)
{
	connection_awake(data);
}

static void stream_overrun(void *data)
{
	struct connection *connection = data;

	log_info("http: connection %d: does not read its stream; closed",
		 connection->transport.fd);
	connection_close(connection);
}

static const struct stream_carrier stream_carrier = {
	.filled = stream_filled,
	.overrun = stream_overrun,
};

/* Called when libmicrohttpd has written the piece before. */
static ssize_t stream_read(void *data, uint64_t position, char *to, size_t room)
{
	struct connection *connection = data;
	struct deadlines *deadlines = &connection->connections->deadlines;
	size_t length;

	(void)position;
	if (connection->unsent)
		response_forget_headers(connection->unsent);
	connection->unsent = NULL;
	if (connection->state != CONNECTION_STREAMING)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	length = stream_take(connection->stream, to, room);
	if (length || stream_is_ended(connection->stream)) {
		deadline_set(deadlines, &connection->deadline, DEADLINE_REQUEST);
		return length ? (ssize_t)length : MHD_CONTENT_READER_END_OF_STREAM;
	}
	if (!connection->to_peer.data)
		deadline_clear(deadlines, &connection->deadline);
	connection->asleep = true;
	MHD_suspend_connection(connection->mhd);
	return 0;
}

void connection_stream_moved(struct connection *connection, bool moved)
{
	struct deadlines *deadlines = &connection->connections->deadlines;

	if (connection->to_peer.data && (moved || !connection->deadline.due_us))
		deadline_set(deadlines, &connection->deadline, DEADLINE_REQUEST);
	else if (!connection->to_peer.data && connection->asleep)
		deadline_clear(deadlines, &connection->deadline);
}

struct stream *connection_stream(struct connection *connection)
{
	const int unheard_ms = UNHEARD_MS;
	struct response response;

	connection->stream = stream_new(&connection->connections->streams,
					&stream_carrier, connection);
	if (!connection->stream)
		return NULL;
	setsockopt(connection->transport.fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unheard_ms,
		   sizeof(unheard_ms));
	if (connection->network.left)
		connection_mark(connection); /* nothing else would tell that it is gone */
	response = response_make_stream(stream_read, connection,
					!connection->head->is_http_1_0);
	connection_answer(connection, MHD_HTTP_OK, &response);
	return connection->stream;
}
