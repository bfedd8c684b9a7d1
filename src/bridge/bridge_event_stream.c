/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/bridge_private.h"

#include <stdio.h>
#include <string.h>

static void bridge_event_stream_dispatch(struct bridge_event_stream *stream)
{
	if (stream->text.length && !stream->text.failed)
		stream->event(stream->data, stream->text.data, stream->text.length);
	buffer_clear(&stream->text);
}

static bool bridge_event_stream_is_field(const struct buffer *line, const char *name,
					 const char **value_out, size_t *length_out)
{
	size_t length = strlen(name);

	if (line->length <= length || memcmp(line->data, name, length) != 0 ||
	    line->data[length] != ':')
		return false;
	length++;
	length += line->length > length && line->data[length] == ' ';
	*value_out = line->data + length;
	*length_out = line->length - length;
	return true;
}

static void bridge_event_stream_end_line(struct bridge_event_stream *stream)
{
	const char *value;
	size_t length;

	if (!stream->line.length) {
		bridge_event_stream_dispatch(stream);
	} else if (bridge_event_stream_is_field(&stream->line, "data", &value, &length)) {
		if (stream->text.length)
			buffer_append(&stream->text, " ", 1);
		buffer_append(&stream->text, value, length);
	} else if (bridge_event_stream_is_field(&stream->line, "id", &value, &length)) {
		if (length < sizeof(stream->last_id))
			snprintf(stream->last_id, sizeof(stream->last_id), "%.*s",
				 (int)length, value);
	}
	buffer_clear(&stream->line);
}

void bridge_event_stream_feed(struct bridge_event_stream *stream, const char *piece,
			      size_t length)
{
	const char *end = piece + length;

	while (piece < end && !stream->is_over) {
		size_t text = 0;

		while (piece + text < end && piece[text] != '\n' && piece[text] != '\r')
			text++;
		if (text)
			stream->after_return = false;
		if (stream->line.length + stream->text.length + text < BRIDGE_ANSWER_MAX)
			buffer_append(&stream->line, piece, text);
		piece += text;
		if (piece == end)
			return;
		if (*piece == '\r' || !stream->after_return)
			bridge_event_stream_end_line(stream);
		stream->after_return = *piece++ == '\r';
	}
}

void bridge_event_stream_deinit(struct bridge_event_stream *stream)
{
	buffer_deinit(&stream->line);
	buffer_deinit(&stream->text);
}
