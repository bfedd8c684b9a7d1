/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line that is longer than the gateway takes is not kept.  Its sender waits for an answer all
 * the same, so its ID is looked for while it passes: the value of the key "id" at the first
 * level, wherever that is.  So it is in a line that is not JSON, such as one with half of a
 * surrogate pair in its text.
 *
 * Lines without their line feed at the end of input are messages if they are whole JSON; half a
 * message never is.
 */
#include "bridge/bridge_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/log.h"

enum {
	BRIDGE_INPUT_READ_BYTES = 16 * 1024,
	BRIDGE_INPUT_ID_MAX = 256,
};

/* Looking for the ID */

static void bridge_input_end_token(struct bridge_input_scan *scan)
{
	static const char key[] = "\"id\"";
	const struct buffer *token = &scan->token;

	if (scan->depth != 1 || !token->length)
		return;
	if (scan->wants_value && !scan->has_id) {
		buffer_append(&scan->id, token->data, token->length);
		scan->has_id = true;
	}
	scan->wants_value = false;
	scan->is_key = token->length == strlen(key) &&
		       memcmp(token->data, key, strlen(key)) == 0;
	buffer_clear(&scan->token);
}

static void bridge_input_keep(struct bridge_input_scan *scan, char c)
{
	if (scan->depth == 1 && scan->token.length < BRIDGE_INPUT_ID_MAX)
		buffer_append(&scan->token, &c, 1);
}

static void bridge_input_scan_byte(struct bridge_input_scan *scan, char c)
{
	if (scan->in_string) {
		bridge_input_keep(scan, c);
		if (scan->is_escaped)
			scan->is_escaped = false;
		else if (c == '\\')
			scan->is_escaped = true;
		else if (c == '"')
			scan->in_string = false;
		return;
	}
	if (c == '"') {
		bridge_input_keep(scan, c);
		scan->in_string = true;
	} else if (strchr(" \t\r\n", c)) {
		return;
	} else if (c == ':') {
		bridge_input_end_token(scan);
		scan->wants_value = scan->depth == 1 && scan->is_key;
	} else if (strchr("{[", c)) {
		scan->depth++;
		scan->wants_value = false;
		buffer_clear(&scan->token);
	} else if (strchr("}],", c)) {
		bridge_input_end_token(scan);
		scan->is_key = false;
		scan->depth -= c != ',' && scan->depth;
	} else {
		bridge_input_keep(scan, c);
	}
}

/* Returns a string or a number, whole; else "". */
static const char *bridge_input_id(struct bridge_input_scan *scan)
{
	const char *id;
	size_t length = scan->id.length;

	buffer_append(&scan->id, "", 1);
	if (scan->id.failed || !scan->has_id || length >= BRIDGE_INPUT_ID_MAX)
		return "";
	id = scan->id.data;
	if (id[0] == '"' && length > 1 && id[length - 1] == '"')
		return id;
	return strspn(id, "-0123456789.eE+") == length ? id : "";
}

static void bridge_input_clear_scan(struct bridge_input_scan *scan)
{
	buffer_deinit(&scan->token);
	buffer_deinit(&scan->id);
	*scan = (struct bridge_input_scan){ 0 };
}

/* Answers by the ID that was found, if there is one. Clears the scan. */
static void bridge_input_answer(struct bridge *bridge, struct bridge_input_scan *scan,
				int code, const char *message)
{
	/* an invalid ID would spoil the line of the answer */
	const char *id = bridge_input_id(scan);
	struct arena *arena = arena_new(BRIDGE_LINE_MAX);
	bool is_valid = arena && *id && bridge_message_parse(arena, id, strlen(id));

	bridge_answer_refuse(bridge, code, is_valid ? id : "", message);
	arena_free(arena);
	bridge_input_clear_scan(scan);
}

void bridge_input_refuse(struct bridge *bridge, const char *line, size_t length,
			 const char *message)
{
	struct bridge_input_scan scan = { 0 };

	for (size_t at = 0; at < length; at++)
		bridge_input_scan_byte(&scan, line[at]);
	bridge_input_answer(bridge, &scan, -32700, message);
}

/* Lines */

static bool bridge_input_is_blank(const struct buffer *line)
{
	for (size_t at = 0; at < line->length; at++) {
		if (!strchr(" \t\r", line->data[at]))
			return false;
	}
	return true;
}

static void bridge_input_end_line(struct bridge_input *input)
{
	if (input->is_long) {
		bridge_input_answer(input->bridge, &input->scan, -32600,
				    "the message is longer than 65536 bytes: send less");
	} else if (!bridge_input_is_blank(&input->line)) {
		bridge_line_take(input->bridge, input->line.data, input->line.length);
	}
	input->is_long = false;
	buffer_clear(&input->line);
}

static void bridge_input_add(struct bridge_input *input, const char *piece, size_t length)
{
	if (!input->is_long && input->line.length + length > BRIDGE_LINE_MAX) {
		input->is_long = true;
		for (size_t at = 0; at < input->line.length; at++)
			bridge_input_scan_byte(&input->scan, input->line.data[at]);
		buffer_clear(&input->line);
	}
	if (!input->is_long)
		buffer_append(&input->line, piece, length);
	for (size_t at = 0; input->is_long && at < length; at++)
		bridge_input_scan_byte(&input->scan, piece[at]);
}

static void bridge_input_take(struct bridge_input *input, const char *bytes,
			      size_t length)
{
	const char *end = bytes + length, *feed;

	while (bytes < end) {
		feed = memchr(bytes, '\n', (size_t)(end - bytes));
		bridge_input_add(input, bytes, (size_t)((feed ? feed : end) - bytes));
		if (!feed)
			return;
		bridge_input_end_line(input);
		bytes = feed + 1;
	}
}

static void bridge_input_end(struct bridge_input *input)
{
	struct arena *arena;

	input->source = sd_event_source_disable_unref(input->source);
	arena = arena_new(1024 * 1024);
	if (arena && input->line.length &&
	    bridge_message_parse(arena, input->line.data, input->line.length))
		bridge_input_end_line(input);
	else if (input->line.length || input->is_long)
		log_warning("stdio: the input ended within a message, which was dropped");
	arena_free(arena);
	input->is_over = true;
}

static void bridge_input_read(struct bridge_input *input)
{
	char bytes[BRIDGE_INPUT_READ_BYTES];
	ssize_t length = read(input->fd, bytes, sizeof(bytes));

	if (length > 0)
		bridge_input_take(input, bytes, (size_t)length);
	else if (length == 0 || (errno != EINTR && errno != EAGAIN))
		bridge_input_end(input);
}

static int bridge_input_on_io(sd_event_source *source, int fd, uint32_t events,
			      void *data)
{
	bridge_input_read(data);
	return 0;
}

static int bridge_input_on_turn(sd_event_source *source, uint64_t due_us, void *data)
{
	struct bridge_input *input = data;

	bridge_input_read(input);
	bridge_output_pause_input(&input->bridge->output);
	return 0;
}

/* A file is always ready, and epoll does not take it. */
int bridge_input_init(struct bridge_input *input, struct bridge *bridge, int fd)
{
	int error;

	*input = (struct bridge_input){ .bridge = bridge, .fd = fd };
	error = sd_event_add_io(bridge->loop, &input->source, fd, EPOLLIN,
				bridge_input_on_io, input);
	input->is_file = error == -EPERM;
	if (input->is_file)
		error = sd_event_add_time(bridge->loop, &input->source, CLOCK_MONOTONIC,
					  0, 1, bridge_input_on_turn, input);
	return error < 0 ? error : 0;
}

void bridge_input_deinit(struct bridge_input *input)
{
	sd_event_source_disable_unref(input->source);
	buffer_deinit(&input->line);
	bridge_input_clear_scan(&input->scan);
}
