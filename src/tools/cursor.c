/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "m1f4-9a3bc2d1": the kind, the ID in hexadecimal, and a checksum of both. With a time:
 * "t19b3f0c5a80.1f4-9a3bc2d1".
 */
#include "tools/cursor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "tools/argument.h"
#include "tools/tool_failure.h"

enum {
	CURSOR_QUOTED_CHARACTERS = 40, /* of an invalid cursor, in the error */
	CURSOR_PLACE_BYTES = CURSOR_BYTES - 9,
};

static const struct {
	char letter;
	const char *source; /* which answer such a cursor comes from */
} cursor_kinds[] = {
	[CURSOR_MESSAGES] = { 'm', "next_cursor of list_sms" },
	[CURSOR_SCHEDULED] = { 't', "next_cursor of list_sms with state scheduled" },
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

static void cursor_seal(const char place[CURSOR_PLACE_BYTES], char text[CURSOR_BYTES])
{
	snprintf(text, CURSOR_BYTES, "%.*s-%08x", CURSOR_PLACE_BYTES - 1, place,
		 cursor_checksum(place));
}

void cursor_write(enum cursor_kind kind, int64_t id, char text[CURSOR_BYTES])
{
	char place[CURSOR_PLACE_BYTES];

	snprintf(place, sizeof(place), "%c%llx", cursor_kinds[kind].letter,
		 (unsigned long long)id);
	cursor_seal(place, text);
}

static void cursor_write_scheduled(int64_t send_at_ms, int64_t id,
				   char text[CURSOR_BYTES])
{
	char place[CURSOR_PLACE_BYTES];

	snprintf(place, sizeof(place), "%c%llx.%llx",
		 cursor_kinds[CURSOR_SCHEDULED].letter, (unsigned long long)send_at_ms,
		 (unsigned long long)id);
	cursor_seal(place, text);
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

static bool cursor_read_scheduled(const char *text, int64_t *send_at_ms_out,
				  int64_t *id_out)
{
	char expected[CURSOR_BYTES], *end;
	int64_t send_at_ms, id;

	if (*text != cursor_kinds[CURSOR_SCHEDULED].letter)
		return false;
	send_at_ms = (int64_t)strtoll(text + 1, &end, 16);
	id = *end ? (int64_t)strtoll(end + 1, NULL, 16) : -1;
	cursor_write_scheduled(send_at_ms, id, expected);
	if (send_at_ms < 0 || id < 0 || strcmp(text, expected) != 0)
		return false;
	*send_at_ms_out = send_at_ms;
	*id_out = id;
	return true;
}

static void cursor_refuse(struct tool_call *call, const char *name, enum cursor_kind kind,
			  const char *text)
{
	tool_failure_answer(
		call, FAILURE_INVALID_ARGUMENTS,
		arena_printf(call->arena,
			     "%s: \"%s\" is not a valid cursor here: pass the %s exactly "
			     "as you got it, or leave %s out.",
			     name,
			     escape_quote(call->arena, text, CURSOR_QUOTED_CHARACTERS),
			     cursor_kinds[kind].source, name));
}

bool cursor_argument(struct tool_call *call, const char *name, enum cursor_kind kind,
		     int64_t *id_out)
{
	const char *text = argument_filled_text(call, name);

	*id_out = 0;
	if (!text || cursor_read(kind, text, id_out))
		return true;
	cursor_refuse(call, name, kind, text);
	return false;
}

bool cursor_argument_scheduled(struct tool_call *call, const char *name,
			       int64_t *send_at_ms_out, int64_t *id_out)
{
	const char *text = argument_filled_text(call, name);

	*send_at_ms_out = *id_out = 0;
	if (!text || cursor_read_scheduled(text, send_at_ms_out, id_out))
		return true;
	cursor_refuse(call, name, CURSOR_SCHEDULED, text);
	return false;
}

void cursor_put(struct json_writer *writer, const char *key, enum cursor_kind kind,
		int64_t id)
{
	char text[CURSOR_BYTES];

	cursor_write(kind, id, text);
	json_put_string(writer, key, text);
}

void cursor_put_scheduled(struct json_writer *writer, const char *key, int64_t send_at_ms,
			  int64_t id)
{
	char text[CURSOR_BYTES];

	cursor_write_scheduled(send_at_ms, id, text);
	json_put_string(writer, key, text);
}
