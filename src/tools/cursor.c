/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "m1f4-9a3bc2d1": the kind, the message's number in hexadecimal, the check sum of both.
 */
#include "tools/cursor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "tools/argument.h"
#include "tools/failure.h"

enum { SHOWN_CHARACTERS = 40 }; /* of a cursor that is none of ours */

static const struct {
	char letter;
	const char *source; /* who gives such a cursor out */
} kinds[] = {
	[CURSOR_MESSAGES] = { 'm', "next_cursor of list_sms" },
	[CURSOR_CONVERSATIONS] = { 'c', "next_cursor of list_sms_conversations" },
	[CURSOR_CALLS] = { 'r', "next_cursor of get_recent_calls" },
	[CURSOR_CONTACTS] = { 'p', "next_cursor of find_contact" },
	[CURSOR_CHANGES] = { 's', "cursor of get_gateway_status or sms://status" },
	[CURSOR_ARRIVALS] = { 'w', "cursor of wait_for_sms or wait_cursor of list_sms" },
};

/* FNV-1a, of 32 bits */
static uint32_t check_sum(const char *text)
{
	uint32_t sum = 2166136261u;

	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * 16777619u;
	return sum;
}

void cursor_write(enum cursor_kind kind, int64_t message_id, char text[CURSOR_BYTES])
{
	char place[CURSOR_BYTES - 9];

	snprintf(place, sizeof(place), "%c%llx", kinds[kind].letter,
		 (unsigned long long)message_id);
	snprintf(text, CURSOR_BYTES, "%s-%08x", place, check_sum(place));
}

/* What is ours is exactly what we would write for the number in it. */
bool cursor_read(enum cursor_kind kind, const char *text, int64_t *message_id_out)
{
	char ours[CURSOR_BYTES];
	int64_t message_id;

	if (*text != kinds[kind].letter)
		return false;
	message_id = (int64_t)strtoll(text + 1, NULL, 16);
	cursor_write(kind, message_id, ours);
	if (message_id < 0 || strcmp(text, ours) != 0)
		return false;
	*message_id_out = message_id;
	return true;
}

bool cursor_argument(struct tool_call *call, const char *name, enum cursor_kind kind,
		     int64_t *message_id_out)
{
	const char *text = argument_text(call, name);

	if (!text) {
		*message_id_out = 0;
		return true;
	}
	if (cursor_read(kind, text, message_id_out))
		return true;
	failure_answer(call, FAILURE_INVALID_ARGUMENTS,
		       arena_printf(call->arena,
				    "%s: \"%s\" is no cursor that this tool takes: give "
				    "the %s exactly as you got it, or leave %s out.",
				    name,
				    escape_quote(call->arena, text, SHOWN_CHARACTERS),
				    kinds[kind].source, name));
	return false;
}

void cursor_put(struct json_writer *writer, const char *key, enum cursor_kind kind,
		int64_t message_id)
{
	char text[CURSOR_BYTES];

	cursor_write(kind, message_id, text);
	json_put_string(writer, key, text);
}
