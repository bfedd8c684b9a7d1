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

/* `time_ms` is only in those of CURSOR_SCHEDULED. */
struct cursor_place {
	int64_t time_ms, id;
};

static void cursor_write_place(enum cursor_kind kind, struct cursor_place place,
			       char text[CURSOR_BYTES])
{
	char time[CURSOR_PLACE_BYTES / 2] = "", sealed[CURSOR_PLACE_BYTES];

	if (kind == CURSOR_SCHEDULED)
		snprintf(time, sizeof(time), "%llx.", (unsigned long long)place.time_ms);
	snprintf(sealed, sizeof(sealed), "%c%s%llx", cursor_kinds[kind].letter, time,
		 (unsigned long long)place.id);
	snprintf(text, CURSOR_BYTES, "%.*s-%08x", CURSOR_PLACE_BYTES - 1, sealed,
		 cursor_checksum(sealed));
}

/* Valid is only what cursor_write_place() would write for the same place. */
static bool cursor_read_place(enum cursor_kind kind, const char *text,
			      struct cursor_place *place_out)
{
	char expected[CURSOR_BYTES], *end = (char *)(uintptr_t)text;
	struct cursor_place place = { 0 };

	if (*text != cursor_kinds[kind].letter)
		return false;
	if (kind == CURSOR_SCHEDULED)
		place.time_ms = strtoll(text + 1, &end, 16);
	place.id = *end ? strtoll(end + 1, NULL, 16) : -1;
	cursor_write_place(kind, place, expected);
	if (place.time_ms < 0 || place.id < 0 || strcmp(text, expected) != 0)
		return false;
	*place_out = place;
	return true;
}

void cursor_write(enum cursor_kind kind, int64_t id, char text[CURSOR_BYTES])
{
	cursor_write_place(kind, (struct cursor_place){ .id = id }, text);
}

bool cursor_read(enum cursor_kind kind, const char *text, int64_t *id_out)
{
	struct cursor_place place;

	if (!cursor_read_place(kind, text, &place))
		return false;
	*id_out = place.id;
	return true;
}

static bool cursor_argument_place(struct tool_call *call, const char *name,
				  enum cursor_kind kind, struct cursor_place *place_out)
{
	const char *text = argument_filled_text(call, name);

	*place_out = (struct cursor_place){ 0 };
	if (!text || cursor_read_place(kind, text, place_out))
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

bool cursor_argument(struct tool_call *call, const char *name, enum cursor_kind kind,
		     int64_t *id_out)
{
	struct cursor_place place;
	bool valid = cursor_argument_place(call, name, kind, &place);

	*id_out = place.id;
	return valid;
}

bool cursor_argument_scheduled(struct tool_call *call, const char *name,
			       int64_t *send_at_ms_out, int64_t *id_out)
{
	struct cursor_place place;
	bool valid = cursor_argument_place(call, name, CURSOR_SCHEDULED, &place);

	*send_at_ms_out = place.time_ms;
	*id_out = place.id;
	return valid;
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
	const struct cursor_place place = { send_at_ms, id };
	char text[CURSOR_BYTES];

	cursor_write_place(CURSOR_SCHEDULED, place, text);
	json_put_string(writer, key, text);
}
