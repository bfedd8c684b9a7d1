/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life of a connection:
 *
 *   reading -> running -> writing -> closed
 *
 * While a command runs nothing is read, and the peer may have closed its half of the
 * connection; that it left altogether the kernel tells in any case (EPOLLHUP).
 */
#include "gateway/control_connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "gateway/control_server.h"

enum { PIECE_BYTES = 4096 };

void control_connection_free(struct control_connection *connection)
{
	void (*ended)(void *data) = connection->ended;
	void *ended_data = connection->ended_data;

	LIST_REMOVE(connection, link);
	control_call_deinit(&connection->call);
	sd_event_source_disable_unref(connection->source);
	sd_event_source_disable_unref(connection->timer);
	buffer_wipe(&connection->request);
	buffer_deinit(&connection->answer);
	close(connection->fd);
	free(connection);
	ended(ended_data);
}

static void wait_for(struct control_connection *connection, uint32_t events)
{
	sd_event_source_set_io_events(connection->source, events);
}

static void set_deadline(struct control_connection *connection)
{
	sd_event_source_set_time_relative(connection->timer,
					  CONTROL_PATIENCE_MS * UINT64_C(1000));
	sd_event_source_set_enabled(connection->timer, SD_EVENT_ONESHOT);
}

static void close_late(struct control_connection *connection)
{
	log_info("control: a connection took too long; closed");
	control_connection_free(connection);
}

static int on_late(sd_event_source *source, uint64_t due_us, void *data)
{
	(void)source;
	(void)due_us;
	close_late(data);
	return 0;
}

uint64_t control_connection_hurry(const struct control_connection_list *list,
				  int64_t patience_ms)
{
	struct control_connection *connection, *oldest = NULL;
	int64_t left_ms;

	LIST_FOREACH (connection, list, link) {
		if (!connection->is_asked &&
		    (!oldest || connection->begun_ms <= oldest->begun_ms))
			oldest = connection;
	}
	if (!oldest)
		return 0;
	left_ms = oldest->begun_ms + patience_ms - clock_monotonic_ms();
	if (left_ms > 0)
		return (uint64_t)left_ms;
	close_late(oldest);
	return (uint64_t)patience_ms;
}

/* Writing */

static void on_told(void *data, const char *line, size_t length, bool last)
{
	struct control_connection *connection = data;
	struct buffer *answer = &connection->answer;

	if (answer->length - connection->written + length > CONTROL_ANSWER_MAX)
		answer->failed = true; /* noted when it is written */
	buffer_append(answer, line, length);
	buffer_append(answer, "\n", 1);
	connection->is_answered |= last;
	set_deadline(connection);
	wait_for(connection, EPOLLOUT);
}

static const struct control_carrier carrier = { .told = on_told };

/* False: the connection is over. */
static bool write_more(struct control_connection *connection)
{
	struct buffer *answer = &connection->answer;
	ssize_t length;

	if (answer->failed)
		return false;
	length = send(connection->fd, answer->data + connection->written,
		      answer->length - connection->written, MSG_NOSIGNAL);
	if (length < 0)
		return errno == EAGAIN || errno == EINTR;
	connection->written += (size_t)length;
	set_deadline(connection);
	if (connection->written < answer->length)
		return true;
	buffer_clear(answer);
	connection->written = 0;
	wait_for(connection, 0);
	sd_event_source_set_enabled(connection->timer, SD_EVENT_OFF);
	return !connection->is_answered;
}

/* Reading */

/* Only now, for what would be left unread would reset the connection under the answer. */
static void refuse_asker(struct control_connection *connection)
{
	control_fail(&connection->call, "not_allowed",
		     "Run it as root, or as a member of the control socket's group",
		     "uid %lld may not command the gateway",
		     (long long)connection->call.asker_uid);
}

static void ask(struct control_connection *connection, size_t length)
{
	connection->is_asked = true;
	wait_for(connection, 0);
	sd_event_source_set_enabled(connection->timer, SD_EVENT_OFF);
	if (connection->is_admitted)
		control_call_run(&connection->call, connection->request.data, length);
	else
		refuse_asker(connection);
	buffer_wipe(&connection->request); /* the call has its own */
}

static void refuse_length(struct control_connection *connection)
{
	connection->is_asked = true;
	control_fail(&connection->call, "invalid_request", "Send less",
		     "the request is longer than %d bytes", CONTROL_REQUEST_MAX);
}

/* False: the connection is over. */
static bool read_more(struct control_connection *connection)
{
	struct buffer *request = &connection->request;
	char piece[PIECE_BYTES];
	ssize_t length = recv(connection->fd, piece, sizeof(piece), 0);
	const char *end;

	if (length < 0)
		return errno == EAGAIN || errno == EINTR;
	if (length == 0)
		return false;
	buffer_append(request, piece, (size_t)length);
	explicit_bzero(piece, (size_t)length); /* there may be a PIN in it */
	if (request->failed)
		return false;
	end = memchr(request->data, '\n', request->length);
	if (end && end - request->data <= CONTROL_REQUEST_MAX)
		ask(connection, (size_t)(end - request->data));
	else if (request->length > CONTROL_REQUEST_MAX)
		refuse_length(connection);
	return true;
}

static int on_io(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct control_connection *connection = data;
	bool goes_on = true;

	(void)source;
	(void)fd;
	if (!connection->is_asked && (events & EPOLLIN))
		goes_on = read_more(connection);
	else if (events & (EPOLLHUP | EPOLLERR))
		goes_on = false;
	else if (events & EPOLLOUT)
		goes_on = write_more(connection);
	if (!goes_on)
		control_connection_free(connection);
	return 0;
}

static int watch(struct control_connection *connection, sd_event *loop)
{
	int error = sd_event_add_io(loop, &connection->source, connection->fd, EPOLLIN,
				    on_io, connection);

	if (error < 0)
		return error;
	return sd_event_add_time_relative(loop, &connection->timer, CLOCK_MONOTONIC,
					  CONTROL_PATIENCE_MS * UINT64_C(1000), 0,
					  on_late, connection);
}

int control_connection_begin(sd_event *loop, struct control_connection_list *list,
			     const struct control *control,
			     const struct control_asker *asker)
{
	struct control_connection *connection = calloc(1, sizeof(*connection));

	if (!connection)
		return -ENOMEM;
	connection->fd = asker->fd;
	connection->begun_ms = clock_monotonic_ms();
	connection->answer.secret = true; /* a new token may be in it */
	if (!control_call_init(&connection->call, control, &carrier, connection) ||
	    watch(connection, loop) < 0) {
		sd_event_source_disable_unref(connection->source);
		control_call_deinit(&connection->call);
		free(connection);
		return -ENOMEM;
	}
	connection->call.asker_uid = asker->uid;
	connection->ended = asker->ended;
	connection->ended_data = asker->data;
	connection->is_admitted = asker->is_admitted;
	LIST_INSERT_HEAD(list, connection, link);
	return 0;
}
