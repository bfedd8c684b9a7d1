/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/resource.h"

#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"

/* URIs */

/* RFC 3986: visible ASCII without some characters, and complete escapes. */
static bool resource_uri_is_whole(const char *uri)
{
	const char *at;

	if (strlen(uri) > RESOURCE_URI_MAX || !strstr(uri, "://"))
		return false;
	for (at = uri; *at; at++) {
		if (*at <= ' ' || *at >= 0x7f || strchr("\"<>\\^`{|}", *at))
			return false;
		if (*at == '%' &&
		    (escape_hex_digit(at[1]) < 0 || escape_hex_digit(at[2]) < 0))
			return false;
	}
	return true;
}

static bool resource_has_control(const char *text)
{
	while (*text && (unsigned char)*text >= ' ' && *text != 0x7f)
		text++;
	return *text;
}

/*
 * "+" stays a plus: it means a space in forms only. Returns NULL if it is not UTF-8, or has control
 * characters.
 */
static const char *resource_decode(const char *text, struct arena *arena)
{
	char *decoded = arena_alloc(arena, strlen(text) + 1), *to = decoded;

	if (!decoded)
		return NULL;
	for (; *text; text++) {
		if (*text != '%') {
			*to++ = *text;
			continue;
		}
		*to++ = (char)(escape_hex_digit(text[1]) * 16 +
			       escape_hex_digit(text[2]));
		text += 2;
	}
	*to = '\0';
	if (strlen(decoded) != (size_t)(to - decoded) || resource_has_control(decoded) ||
	    !utf8_valid(decoded, strlen(decoded)))
		return NULL;
	return decoded;
}

/* RFC 3986 section 3.1 ignores the case of schemes; no client makes use of that. */
static bool resource_begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool resource_matches_plain(const char *uri, struct resource_call *call)
{
	call->value = NULL;
	call->subject = call->resource->uri;
	return strcmp(uri, call->resource->uri) == 0;
}

static bool resource_matches_template(const char *uri, struct resource_call *call)
{
	const char *tail = call->resource->tail ? call->resource->tail : "", *written;
	size_t before = strlen(call->resource->uri), after = strlen(tail);
	size_t length = strlen(uri);

	if (length <= before + after || !resource_begins_with(uri, call->resource->uri) ||
	    strcmp(uri + length - after, tail) != 0)
		return false;
	written = arena_copy(call->arena, uri + before, length - before - after);
	if (!written || strpbrk(written, "/?#"))
		return false;
	call->value = resource_decode(written, call->arena);
	if (call->value)
		call->value = call->resource->spell(call);
	if (!call->value)
		return false;
	call->subject = arena_printf(call->arena, "%s%s%s", call->resource->uri,
				     call->value, tail);
	return call->subject;
}

int resource_find(const struct resource *const *resources, const char *uri,
		  struct resource_call *call)
{
	if (!resource_uri_is_whole(uri))
		return RESOURCE_E_MALFORMED;
	for (; *resources; resources++) {
		call->resource = *resources;
		if (call->resource->variable ? resource_matches_template(uri, call)
					     : resource_matches_plain(uri, call))
			return 0;
	}
	return RESOURCE_E_NOT_FOUND;
}

/*
 * By prefix only, before anything is looked up: a client without the scopes must not
 * learn whether the resource exists.
 */
unsigned resource_scopes(const struct resource *const *resources, const char *uri)
{
	unsigned scopes = 0;

	for (; *resources; resources++) {
		if ((*resources)->variable ? resource_begins_with(uri, (*resources)->uri)
					   : strcmp(uri, (*resources)->uri) == 0)
			scopes |= (*resources)->scopes;
	}
	return scopes;
}

bool resource_is_readable(const struct resource *const *resources, const char *uri,
			  unsigned scopes)
{
	return (resource_scopes(resources, uri) & ~scopes) == 0;
}

void resource_add_completion(struct resource_completion *completion, const char *value)
{
	if (completion->count == RESOURCE_COMPLETIONS_MAX) {
		completion->more = true;
		return;
	}
	json_write_string(completion->writer, value);
	completion->count++;
}
