/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/tool_text.h"

#include <ctype.h>
#include <string.h>

#include "base/buffer.h"
#include "mcp/tool.h"

static bool tool_text_reader_has(const struct tool_text_reader *reader,
				 const struct tool *tool)
{
	for (const struct tool *const *have = reader->offered; *have; have++) {
		if (*have == tool)
			return request_scopes_cover(reader->scopes, tool->scopes);
	}
	return false;
}

static bool tool_text_is_part_of_name(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_';
}

/* Returns whether this part of a text, which may begin and end anywhere in it, has the name. */
static bool tool_text_names(const char *text, size_t length, const char *name)
{
	size_t name_length = strlen(name);
	const char *end = text + length;

	for (const char *at = text;
	     (at = memmem(at, (size_t)(end - at), name, name_length)); at++) {
		bool begins = at == text || !tool_text_is_part_of_name(at[-1]);
		bool ends = at + name_length == end ||
			    !tool_text_is_part_of_name(at[name_length]);

		if (begins && ends)
			return true;
	}
	return false;
}

static bool tool_text_fits(const struct tool_text_reader *reader, const char *text,
			   size_t length)
{
	for (const struct tool *const *tool = reader->table; *tool; tool++) {
		if (tool_text_names(text, length, (*tool)->name) &&
		    !tool_text_reader_has(reader, *tool))
			return false;
	}
	return true;
}

/* The length includes the full stop, but not the space. */
static size_t tool_text_sentence_length(const char *text)
{
	const char *end = strstr(text, ". ");

	return end ? (size_t)(end - text) + 1 : strlen(text);
}

/* A sentence without the remarks that the reader may not have. */
static void tool_text_drop_remarks(struct buffer *sentence, const char *text,
				   size_t length, const struct tool_text_reader *reader)
{
	const char *end = text + length;

	while (text < end) {
		const char *open = memmem(text, (size_t)(end - text), " (", 2);
		const char *close = open ? memchr(open, ')', (size_t)(end - open)) : NULL;

		if (!close)
			break;
		buffer_append(sentence, text, (size_t)(open - text));
		if (tool_text_fits(reader, open, (size_t)(close - open)))
			buffer_append(sentence, open, (size_t)(close + 1 - open));
		text = close + 1;
	}
	buffer_append(sentence, text, (size_t)(end - text));
}

static void tool_text_adapt(struct buffer *adapted, const char *text,
			    const struct tool_text_reader *reader)
{
	struct buffer sentence = BUFFER_INIT;

	while (*text) {
		size_t length = tool_text_sentence_length(text);

		buffer_clear(&sentence);
		tool_text_drop_remarks(&sentence, text, length, reader);
		if (sentence.failed) {
			adapted->failed = true;
		} else if (tool_text_fits(reader, sentence.data, sentence.length)) {
			if (adapted->length)
				buffer_append(adapted, " ", 1);
			buffer_append(adapted, sentence.data, sentence.length);
		}
		text += length;
		text += *text == ' ';
	}
	buffer_deinit(&sentence);
}

/* Without memory the member is left out. */
bool tool_text_put(struct json_writer *writer, const char *key, const char *text,
		   const struct tool_text_reader *reader)
{
	struct buffer adapted = BUFFER_INIT;
	bool is_left;

	if (!reader) {
		json_put_string(writer, key, text);
		return true;
	}
	tool_text_adapt(&adapted, text, reader);
	is_left = adapted.length && !adapted.failed;
	if (is_left) {
		json_key(writer, key);
		json_write_text(writer, adapted.data, adapted.length);
	}
	buffer_deinit(&adapted);
	return is_left;
}
