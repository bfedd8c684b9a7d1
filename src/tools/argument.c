/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/argument.h"

#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "numbers/phone_number.h"
#include "store/store_listing.h"
#include "tools/placeholder.h"
#include "tools/services.h"
#include "tools/tool_failure.h"

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
	char *party = text ? arena_copy(call->arena, text, strlen(text)) : NULL;
	char number[PHONE_NUMBER_BYTES];

	if (!party)
		return NULL;
	escape_undo(text);
	strcpy(party, text);
	phone_number_simplify(party);
	if (phone_number_parse(party, number) == PHONE_NUMBER_OK)
		party = arena_copy(call->arena, number, strlen(number));
	if (!party || strcmp(party, text) == 0)
		return party;
	return store_listing_knows_number(call->services->store, text) ? text : party;
}

const char *argument_party_problem(const struct tool_call *call, const char *name,
				   const char *party)
{
	enum phone_number_problem problem;
	char number[PHONE_NUMBER_BYTES];

	if (!party || phone_number_may_send(party) ||
	    store_listing_knows_number(call->services->store, party))
		return NULL;
	problem = phone_number_parse(party, number);
	return arena_printf(call->arena,
			    problem == PHONE_NUMBER_CHARACTER
				    ? "%s %s, and no sender has such a name."
				    : "%s %s.",
			    name, phone_number_problem_text(problem));
}

bool argument_check_party(struct tool_call *call, const char *name, const char *party)
{
	const char *problem = argument_party_problem(call, name, party);

	if (problem)
		tool_failure_answer(call, FAILURE_INVALID_NUMBER, problem);
	return !problem;
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
	tool_failure_answer(
		call, FAILURE_INVALID_ARGUMENTS,
		arena_printf(
			call->arena,
			"%s must be an RFC 3339 time with UTC offset, for example %s.",
			name, example));
	return false;
}

bool argument_key(const struct tool_call *call, const char **key_out,
		  struct refusal *refusal_out)
{
	const char *key = argument_text(call, "idempotency_key");

	if (!key || !placeholder_matches(key)) {
		*key_out = key;
		return true;
	}
	*refusal_out = (struct refusal){
		FAILURE_INVALID_ARGUMENTS,
		arena_printf(call->arena,
			     "idempotency_key: \"%s\" is a placeholder, which another "
			     "message may have, too.",
			     escape_quote(call->arena, key, IDEMPOTENCY_KEY_MAX)),
		.fix = "Leave idempotency_key out, or pass a text "
		       "that belongs to this message alone, such as "
		       "\"dinner with Ann 2026-11-21\" or a new UUID.",
	};
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
