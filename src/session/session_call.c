/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/session_call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/json_reader.h"

enum {
	/* The gateway sends no longer line (CONTROL_ANSWER_MAX), and its values fit here. */
	SESSION_CALL_LINE_MAX = 1024 * 1024,
	SESSION_CALL_ARENA_BYTES = 2 * 1024 * 1024,
	SESSION_CALL_PIECE_BYTES = 16 * 1024,
	SESSION_CALL_ACCURACY_USEC = 1000 * 1000,
};

struct session_call {
	int fd;
	sd_event_source *io, *timer;
	struct buffer received; /* what has no line feed yet */
	const struct session_call_handlers *handlers;
	void *data;
};

void session_call_free(struct session_call *call)
{
	if (!call)
		return;
	sd_event_source_disable_unref(call->io);
	sd_event_source_disable_unref(call->timer);
	if (call->fd >= 0)
		close(call->fd);
	buffer_deinit(&call->received);
	free(call);
}

static void session_call_end(struct session_call *call, const struct json *result,
			     const char *problem)
{
	sd_event_source_set_enabled(call->io, SD_EVENT_OFF);
	call->handlers->on_end(call->data, result, problem);
	session_call_free(call);
}

/* Returns false if the call has ended. */
static bool session_call_take_line(struct session_call *call, const char *line,
				   size_t length)
{
	struct arena *arena = arena_new(SESSION_CALL_ARENA_BYTES);
	const struct json *root = NULL, *result = NULL;
	const char *problem = NULL;

	if (!arena || json_reader_read(arena, line, length, &root)) {
		problem = "the gateway's answer cannot be read";
	} else if (json_member(root, "item")) {
		call->handlers->on_item(call->data, json_member(root, "item"));
	} else if (json_member(root, "result")) {
		result = json_member(root, "result");
	} else if (json_member(root, "error")) {
		problem = json_string(json_member(json_member(root, "error"), "message"));
		problem = problem ? problem : "the gateway refused";
	}
	if (result || problem)
		session_call_end(call, result, problem);
	arena_free(arena);
	return !result && !problem;
}

static void session_call_take_lines(struct session_call *call)
{
	struct buffer *received = &call->received;
	char *line = received->data, *end = line + received->length, *feed;

	while (line < end && (feed = memchr(line, '\n', (size_t)(end - line)))) {
		if (!session_call_take_line(call, line, (size_t)(feed - line)))
			return;
		line = feed + 1;
	}
	received->length = (size_t)(end - line);
	memmove(received->data, line, received->length);
	if (received->length > SESSION_CALL_LINE_MAX)
		session_call_end(call, NULL, "the gateway's answer is too long");
}

static int session_call_on_io(sd_event_source *source, int fd, uint32_t events,
			      void *data)
{
	struct session_call *call = data;
	char piece[SESSION_CALL_PIECE_BYTES];
	ssize_t length = recv(fd, piece, sizeof(piece), MSG_DONTWAIT);

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (length > 0)
		buffer_append(&call->received, piece, (size_t)length);
	if (length <= 0 || call->received.failed)
		session_call_end(call, NULL, "the gateway has stopped");
	else
		session_call_take_lines(call);
	return 0;
}

static int session_call_on_timeout(sd_event_source *source, uint64_t usec, void *data)
{
	session_call_end(data, NULL, "the gateway does not answer");
	return 0;
}

/* An empty socket takes more than the longest request (CONTROL_REQUEST_MAX). */
static int session_call_send(int fd, const char *request)
{
	size_t length = strlen(request);
	struct iovec parts[] = { { (void *)request, length }, { (void *)"\n", 1 } };
	const struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);

	if (sent < 0)
		return -errno;
	return (size_t)sent == length + 1 ? 0 : -EMSGSIZE;
}

static int session_call_connect(struct session_call *call, const char *socket_path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(socket_path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, socket_path);
	call->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (call->fd < 0 ||
	    connect(call->fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return 0;
}

int session_call_new(sd_event *loop, const char *socket_path, const char *request,
		     bool is_endless, const struct session_call_handlers *handlers,
		     void *data, struct session_call **call_out)
{
	struct session_call *call = calloc(1, sizeof(*call));
	int error;

	if (!call)
		return -ENOMEM;
	call->fd = -1;
	call->handlers = handlers;
	call->data = data;
	error = session_call_connect(call, socket_path);
	if (error >= 0)
		error = session_call_send(call->fd, request);
	if (error >= 0)
		error = sd_event_add_io(loop, &call->io, call->fd, EPOLLIN,
					session_call_on_io, call);
	if (error >= 0 && !is_endless)
		error = sd_event_add_time_relative(loop, &call->timer, CLOCK_MONOTONIC,
						   SESSION_CALL_TIMEOUT_S * 1000000ULL,
						   SESSION_CALL_ACCURACY_USEC,
						   session_call_on_timeout, call);
	if (error < 0) {
		session_call_free(call);
		return error;
	}
	*call_out = call;
	return 0;
}

const char *session_call_text(const struct json *object, const char *name)
{
	const char *text = json_string(json_member(object, name));

	return text ? text : "";
}
