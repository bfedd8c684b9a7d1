/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/argument.h"

#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/utf8.h"
#include "numbers/number.h"
#include "numbers/phone_number.h"
#include "store/store_listing.h"
#include "text/segments.h"
#include "tools/services.h"
#include "tools/tool_failure.h"

enum {
	ARGUMENT_NAME_MAX = 11,
	ARGUMENT_NUMBER_DIGITS = 7, /* fewer may be a name such as "3Mobile" */
};

const char *argument_text(const struct tool_call *call, const char *name)
{
	return json_string(json_member(call->arguments, name));
}

int64_t argument_integer(const struct tool_call *call, const char *name, int64_t fallback)
{
	const struct json *value = json_member(call->arguments, name);
	int64_t integer;

	return value && json_integer(value, &integer) ? integer : fallback;
}

bool argument_boolean(const struct tool_call *call, const char *name)
{
	const struct json *value = json_member(call->arguments, name);

	return value && value->boolean;
}

const char *argument_party(const struct tool_call *call, const char *name)
{
	const char *escaped = argument_text(call, name);
	char *text = escaped ? arena_copy(call->arena, escaped, strlen(escaped)) : NULL;
	char number[PHONE_NUMBER_BYTES];

	if (text)
		escape_undo(text);
	if (!text || phone_number_parse(text, number) != PHONE_NUMBER_OK ||
	    store_listing_knows_number(call->services->store, text))
		return text;
	return arena_copy(call->arena, number, strlen(number));
}

/*
 * May a message come from a sender of this name? Networks transmit up to 11 characters of the
 * GSM alphabet (3GPP TS 23.040, 9.1.2.5); what begins like a number and has its digits is meant
 * as one.
 */
static bool argument_may_be_name(const char *text)
{
	char number[PHONE_NUMBER_BYTES];
	bool has_letter = false;
	struct segments segments;
	unsigned digits = 0;

	if (phone_number_parse(text, number) == PHONE_NUMBER_EXTENSION || *text == '+')
		return false;
	for (const char *at = text; *at; at++) {
		if ((unsigned char)*at < ' ')
			return false;
		digits += *at >= '0' && *at <= '9';
		has_letter |= !strchr(" -./()", *at);
	}
	segments_measure(text, &segments);
	return has_letter && segments.encoding == SEGMENTS_GSM7 &&
	       utf8_count(text) <= ARGUMENT_NAME_MAX &&
	       (*text < '0' || *text > '9' || digits < ARGUMENT_NUMBER_DIGITS);
}

bool argument_check_party(struct tool_call *call, const char *name)
{
	const char *text = argument_party(call, name);
	char number[PHONE_NUMBER_BYTES];
	enum phone_number_problem problem;

	if (!text || number_is_number(text) || argument_may_be_name(text) ||
	    store_listing_knows_number(call->services->store, text))
		return true;
	problem = phone_number_parse(text, number);
	tool_failure_answer(call, FAILURE_INVALID_NUMBER,
			    arena_printf(call->arena,
					 "%s %s, and no message can come from a sender "
					 "of this name.",
					 name, phone_number_problem_text(problem)));
	return false;
}

bool argument_time(struct tool_call *call, const char *name, int64_t *wall_ms_out)
{
	const char *text = argument_text(call, name);
	char example[CLOCK_TEXT_BYTES];

	if (!text) {
		*wall_ms_out = 0;
		return true;
	}
	if (clock_parse(text, wall_ms_out)) {
		if (*wall_ms_out < 1) /* 0 would mean no bound; no message is that old */
			*wall_ms_out = 1;
		return true;
	}
	clock_complete(text, example);
	tool_failure_answer(call, FAILURE_INVALID_ARGUMENTS,
			    arena_printf(call->arena,
					 "%s must be an RFC 3339 time with UTC offset, "
					 "for example %s.",
					 name, example));
	return false;
}

bool argument_keep_text(struct tool_call *call, const char *name)
{
	const struct json *value = json_member(call->arguments, name);
	struct json *all = arena_alloc(call->arena, 2 * sizeof(*all));
	const char *text =
		value ? arena_copy(call->arena, value->text, value->length) : NULL;

	if (!all || !text)
		return false;
	all[0] = (struct json){ .type = JSON_OBJECT, .count = 1, .first = &all[1] };
	all[1] = (struct json){
		.type = JSON_STRING,
		.name = name,
		.text = text,
		.length = value->length,
	};
	call->arguments = all;
	return true;
}
