/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The descriptor may be shared with other programs, so it is not made non-blocking.  A socket is
 * written to without waiting; a pipe that epoll calls writable takes PIPE_BUF bytes without
 * waiting (pipe(7)), and gets no more at a time.
 */
#include "bridge/bridge_private.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static ssize_t bridge_output_write(const struct bridge_output *output)
{
	const char *bytes = output->queue.data + output->sent;
	size_t left = output->queue.length - output->sent;
	ssize_t length = send(output->fd, bytes, left, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (length >= 0 || errno != ENOTSOCK)
		return length;
	return write(output->fd, bytes,
		     left > PIPE_BUF && !output->is_file ? PIPE_BUF : left);
}

static void bridge_output_want(struct bridge_output *output, bool wanted)
{
	if (output->source)
		sd_event_source_set_enabled(output->source,
					    wanted ? SD_EVENT_ON : SD_EVENT_OFF);
}

static void bridge_output_compact(struct bridge_output *output)
{
	struct buffer *queue = &output->queue;

	if (output->sent == queue->length)
		buffer_deinit(queue);
	else if (output->sent > queue->length / 2)
		memmove(queue->data, queue->data + output->sent,
			queue->length -= output->sent);
	else
		return;
	output->sent = 0;
}

void bridge_output_pause_input(const struct bridge_output *output)
{
	const struct bridge_input *input = &output->bridge->input;

	if (!input->source)
		return;
	if (input->is_file)
		sd_event_source_set_enabled(
			input->source, output->is_full ? SD_EVENT_OFF : SD_EVENT_ONESHOT);
	else
		sd_event_source_set_io_events(input->source,
					      output->is_full ? EPOLLRDHUP : EPOLLIN);
}

/* Stops or goes on reading what makes more output. */
static void bridge_output_pause_sources(struct bridge_output *output, bool paused)
{
	struct bridge_call *call;

	output->is_full = paused;
	bridge_output_pause_input(output);
	LIST_FOREACH (call, &output->bridge->calls, link) {
		if (call->request)
			http_client_pause(call->request, paused);
	}
}

/* The client reads no more. */
static void bridge_output_leave(struct bridge_output *output)
{
	sd_event_exit(output->bridge->loop, 0);
}

/* Writes once. Returns false if the client reads no more. */
static bool bridge_output_push(struct bridge_output *output)
{
	ssize_t length = bridge_output_write(output);

	if (length < 0)
		return errno == EAGAIN || errno == EINTR;
	output->sent += (size_t)length;
	bridge_output_compact(output);
	if (output->is_full && output->queue.length - output->sent < BRIDGE_OUTPUT_LOW)
		bridge_output_pause_sources(output, false);
	bridge_output_want(output, output->queue.length);
	return true;
}

static int bridge_output_on_io(sd_event_source *source, int fd, uint32_t events,
			       void *data)
{
	struct bridge_output *output = data;

	if (!bridge_output_push(output))
		bridge_output_leave(output);
	return 0;
}

void bridge_output_line(struct bridge_output *output, const char *line, size_t length)
{
	size_t begin = output->queue.length;

	buffer_append(&output->queue, line, length);
	buffer_append(&output->queue, "\n", 1);
	if (output->queue.failed) {
		bridge_output_leave(output); /* half a line must not be written */
		return;
	}
	for (size_t at = begin; at + 1 < output->queue.length; at++) {
		if (output->queue.data[at] == '\n' || output->queue.data[at] == '\r')
			output->queue.data[at] = ' ';
	}
	if (!output->is_full && output->queue.length - output->sent > BRIDGE_OUTPUT_HIGH)
		bridge_output_pause_sources(output, true);
	while (output->is_file && output->queue.length) {
		if (!bridge_output_push(output)) {
			bridge_output_leave(output);
			return;
		}
	}
	bridge_output_want(output, output->queue.length);
}

struct json_writer *bridge_output_open(struct bridge_output *output)
{
	struct json_writer *writer = json_writer_new(&output->draft);

	if (!writer)
		return NULL;
	json_open_object(writer);
	json_put_string(writer, "jsonrpc", "2.0");
	return writer;
}

void bridge_output_close(struct bridge_output *output, struct json_writer *writer)
{
	json_close_object(writer);
	json_writer_free(writer);
	if (!output->draft.failed)
		bridge_output_line(output, output->draft.data, output->draft.length);
	buffer_deinit(&output->draft);
}

void bridge_output_updated(struct bridge_output *output, const struct json *id,
			   const char *uri)
{
	struct json_writer *writer = bridge_output_open(output);

	if (!writer)
		return;
	json_put_string(writer, "method", "notifications/resources/updated");
	json_open_object_at(writer, "params");
	if (id) {
		json_open_object_at(writer, "_meta");
		bridge_message_put_id(writer, BRIDGE_SUBSCRIPTION_ID, id);
		json_close_object(writer);
	}
	json_put_string(writer, "uri", uri);
	json_close_object(writer);
	bridge_output_close(output, writer);
}

bool bridge_output_is_empty(const struct bridge_output *output)
{
	return !output->queue.length;
}

int bridge_output_init(struct bridge_output *output, struct bridge *bridge, int fd)
{
	int error;

	*output = (struct bridge_output){ .bridge = bridge, .fd = fd };
	error = sd_event_add_io(bridge->loop, &output->source, fd, EPOLLOUT,
				bridge_output_on_io, output);
	output->is_file = error == -EPERM;
	if (error >= 0)
		bridge_output_want(output, false);
	return error < 0 && !output->is_file ? error : 0;
}

void bridge_output_deinit(struct bridge_output *output)
{
	sd_event_source_disable_unref(output->source);
	buffer_deinit(&output->queue);
	buffer_deinit(&output->draft);
}
