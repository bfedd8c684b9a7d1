/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/rpc.h"

#include <string.h>

#include "base/crypto.h"

static const char wrapper_begin[] = "=?base64?";
static const char wrapper_end[] = "?=";

enum {
	BEGIN_LENGTH = sizeof(wrapper_begin) - 1,
	END_LENGTH = sizeof(wrapper_end) - 1,
};

static bool header_value_is_plain(char c)
{
	return (c >= ' ' && c <= '~') || c == '\t';
}

static bool header_value_is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* Returns the length of the first element of a list if all its elements are equal, else 0. */
static size_t header_value_repeated_length(const char *value)
{
	size_t length = strcspn(value, ",");
	const char *at = value + length;

	while (length && header_value_is_space(value[length - 1]))
		length--;
	while (*at) {
		while (header_value_is_space(*at))
			at++;
		if (*at++ != ',')
			return 0;
		while (header_value_is_space(*at))
			at++;
		if (strncmp(at, value, length) != 0)
			return 0;
		at += length;
	}
	return length;
}

const char *header_value_collapse(struct arena *arena, const char *value)
{
	size_t length = strchr(value, ',') ? header_value_repeated_length(value) : 0;
	const char *single;

	if (!length)
		return value;
	single = arena_copy(arena, value, length);
	return single ? single : value;
}

static bool header_value_is_wrapped(const char *value, size_t length)
{
	return length >= BEGIN_LENGTH + END_LENGTH &&
	       memcmp(value, wrapper_begin, BEGIN_LENGTH) == 0 &&
	       memcmp(value + length - END_LENGTH, wrapper_end, END_LENGTH) == 0;
}

static bool header_value_decodes_to(struct arena *arena, const char *value, size_t length,
				    const char *text)
{
	char *bytes = arena_alloc(arena, length);
	size_t count;

	return bytes &&
	       crypto_base64_decode(value + BEGIN_LENGTH,
				    length - BEGIN_LENGTH - END_LENGTH, bytes, &count) &&
	       count == strlen(text) && memcmp(bytes, text, count) == 0;
}

bool header_value_is(struct arena *arena, const char *value, const char *text)
{
	size_t length = strlen(value);

	for (size_t i = 0; i < length; i++)
		if (!header_value_is_plain(value[i]))
			return false;
	if (header_value_is_wrapped(value, length))
		return header_value_decodes_to(arena, value, length, text);
	return strcmp(value, text) == 0;
}

const char *header_value_plain(struct arena *arena, const char *value)
{
	char *plain = arena_copy(arena, value, strlen(value));

	for (char *at = plain; at && *at; at++)
		if (!header_value_is_plain(*at))
			*at = '?';
	return plain ? plain : "";
}

bool header_value_accepts_streams(struct exchange *exchange)
{
	const char *accept = exchange_header(exchange, "Accept", NULL);

	return !accept || strcasestr(accept, "text/event-stream") ||
	       strcasestr(accept, "text/*") || strstr(accept, "*/*");
}
