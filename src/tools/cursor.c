/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "m1f4-9a3bc2d1": the kind, the ID in hexadecimal, and a checksum of both.
 */
#include "tools/cursor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "tools/argument.h"
#include "tools/tool_failure.h"

enum { CURSOR_QUOTED_CHARACTERS = 40 }; /* of an invalid cursor, in the error */

static const struct {
	char letter;
	const char *source; /* which answer such a cursor comes from */
} cursor_kinds[] = {
	[CURSOR_MESSAGES] = { 'm', "next_cursor of list_sms" },
	[CURSOR_CONVERSATIONS] = { 'c', "next_cursor of list_sms_conversations" },
	[CURSOR_CALLS] = { 'r', "next_cursor of list_calls" },
	[CURSOR_CONTACTS] = { 'p', "next_cursor of find_contact" },
	[CURSOR_CHANGES] = { 's', "cursor of get_gateway_status or sms://status" },
	[CURSOR_ARRIVALS] = { 'w', "cursor of wait_for_sms or wait_cursor of list_sms" },
};

/* FNV-1a, 32 bits */
static uint32_t cursor_checksum(const char *text)
{
	uint32_t sum = 2166136261u;

	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * 16777619u;
	return sum;
}

void cursor_write(enum cursor_kind kind, int64_t id, char text[CURSOR_BYTES])
{
	char place[CURSOR_BYTES - 9];

	snprintf(place, sizeof(place), "%c%llx", cursor_kinds[kind].letter,
		 (unsigned long long)id);
	snprintf(text, CURSOR_BYTES, "%s-%08x", place, cursor_checksum(place));
}

/* Valid is only what cursor_write() would write for the same ID. */
bool cursor_read(enum cursor_kind kind, const char *text, int64_t *id_out)
{
	char expected[CURSOR_BYTES];
	int64_t id;

	if (*text != cursor_kinds[kind].letter)
		return false;
	id = (int64_t)strtoll(text + 1, NULL, 16);
	cursor_write(kind, id, expected);
	if (id < 0 || strcmp(text, expected) != 0)
		return false;
	*id_out = id;
	return true;
}

bool cursor_argument(struct tool_call *call, const char *name, enum cursor_kind kind,
		     int64_t *id_out)
{
	const char *text = argument_text(call, name);

	if (!text || !*text) {
		*id_out = 0;
		return true;
	}
	if (cursor_read(kind, text, id_out))
		return true;
	tool_failure_answer(
		call, FAILURE_INVALID_ARGUMENTS,
		arena_printf(call->arena,
			     "%s: \"%s\" is not a valid cursor here: pass the %s exactly "
			     "as you got it, or leave %s out.",
			     name,
			     escape_quote(call->arena, text, CURSOR_QUOTED_CHARACTERS),
			     cursor_kinds[kind].source, name));
	return false;
}

void cursor_put(struct json_writer *writer, const char *key, enum cursor_kind kind,
		int64_t id)
{
	char text[CURSOR_BYTES];

	cursor_write(kind, id, text);
	json_put_string(writer, key, text);
}
