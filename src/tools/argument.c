/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/argument.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/utf8.h"
#include "numbers/phone_number.h"
#include "store/store_listing.h"
#include "tools/services.h"
#include "tools/tool_failure.h"

const char *argument_text(const struct tool_call *call, const char *name)
{
	return json_string(json_member(call->arguments, name));
}

const char *argument_filled_text(const struct tool_call *call, const char *name)
{
	const char *text = argument_text(call, name);

	return text && *text ? text : NULL;
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

/* What programs and models write for no number, or for any. */
static bool argument_party_is_nobody(const char *party)
{
	static const char *const words[] = { "null", "nil", "none", "undefined", "string",
					     "n/a",  "any", "all",  "everyone",	 NULL };

	for (size_t i = 0; words[i]; i++) {
		if (strcasecmp(words[i], party) == 0)
			return true;
	}
	return false;
}

const char *argument_party_problem(const struct tool_call *call, const char *name,
				   const char *party)
{
	enum phone_number_problem problem;
	char number[PHONE_NUMBER_BYTES];

	if (!party || store_listing_knows_number(call->services->store, party))
		return NULL;
	if (argument_party_is_nobody(party))
		return arena_printf(
			call->arena,
			"%s \"%s\" is not a sender; for all of them, leave it out.", name,
			party);
	if (phone_number_may_send(party))
		return NULL;
	problem = phone_number_parse(party, number);
	return arena_printf(call->arena,
			    problem == PHONE_NUMBER_CHARACTER
				    ? "%s %s, and no sender has such a name."
				    : "%s %s.",
			    name, phone_number_problem_text(problem));
}

const char *argument_party_hint(const struct tool_call *call, const char *party)
{
	char number[PHONE_NUMBER_BYTES];

	if (!party || !*party ||
	    phone_number_parse(party, number) != PHONE_NUMBER_CHARACTER ||
	    store_listing_knows_number(call->services->store, party))
		return NULL;
	return "No stored message has a sender with exactly this name. Messages of a contact "
	       "are stored by number: find_contact, if offered, finds it.";
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
	const char *text = argument_filled_text(call, name);
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
	clock_complete(text, CLOCK_PAST, example);
	tool_failure_answer(
		call, FAILURE_INVALID_ARGUMENTS,
		arena_printf(
			call->arena,
			"%s must be an RFC 3339 time with UTC offset, for example %s.",
			name, example));
	return false;
}

/*
 * ---- placeholders
 *
 * A text is a placeholder if nothing in it tells it from others of its kind: an unfilled
 * template, no word at all, only zeros, only words such as "your", "key" and "here", or a
 * UUID that specifications use as their example. A word that is in no table makes it a
 * value, so that "key of Ann" and "message-17" are keys.
 */

enum { ARGUMENT_PLACEHOLDER_DIGITS_OF_VALUE = 4, ARGUMENT_PLACEHOLDER_WORD_MAX = 16 };

/* Each between blanks. */
static const char argument_placeholder_words[] =
	" null nil none nan na undefined unknown unset empty void default missing"
	" false true optional required tbd todo fixme auto string str text object"
	" value val number integer int char varchar key keys idempotency idempotent"
	" idempotencykey uuid uuid4 uuidv4 uuid7 uuidv7 v4 guid ulid nanoid id"
	" identifier token unique uniquekey uniqueid random randomkey randomuuid"
	" randomstring generated generate uuidgen crypto newguid yourkey mykey"
	" example sample test testkey testing dummy placeholder foo bar foobar baz"
	" asdf abc lorem ipsum xxx not provided given specified available applicable ";

/* Alone they are a value: somebody's key may be "a". */
static const char argument_placeholder_little_words[] =
	" a an the of for this your my some any new own here insert enter replace with me ";

/* The UUIDs are of RFC 4122, RFC 9562 and what their readers copy. */
static const char *const argument_placeholder_texts[] = {
	"n/a",
	"n.a.",
	"xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx",
	"123e4567-e89b-12d3-a456-426614174000",
	"123e4567-e89b-12d3-a456-426655440000",
	"550e8400-e29b-41d4-a716-446655440000",
	"f47ac10b-58cc-4372-a567-0e02b2c3d479",
	"f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
};

/* Anything beyond ASCII but blanks and punctuation counts as a letter. */
static bool argument_placeholder_is_letter(uint32_t character)
{
	if (character < 0x80)
		return (character >= '0' && character <= '9') ||
		       ((character | 0x20) >= 'a' && (character | 0x20) <= 'z');
	return character > 0xBF && (character < 0x2000 || character > 0x206F) &&
	       character != 0x3000 && character != 0xFEFF;
}

static bool argument_placeholder_lists(const char *words, const char *word, size_t length)
{
	char wanted[ARGUMENT_PLACEHOLDER_WORD_MAX + 3];

	if (length > ARGUMENT_PLACEHOLDER_WORD_MAX)
		return false;
	snprintf(wanted, sizeof(wanted), " %.*s ", (int)length, word);
	return strcasestr(words, wanted) != NULL;
}

/* Returns true also without any word. */
static bool argument_placeholder_has_only_its_words(const char *text)
{
	size_t words = 0, little_words = 0;

	while (*text) {
		const char *word = text, *end = text;

		while (*text && argument_placeholder_is_letter(utf8_next(&text)))
			end = text;
		if (end == word)
			continue;
		words++;
		if (argument_placeholder_lists(argument_placeholder_little_words, word,
					       (size_t)(end - word)))
			little_words++;
		else if (!argument_placeholder_lists(argument_placeholder_words, word,
						     (size_t)(end - word)))
			return false;
	}
	return !words || little_words < words;
}

/* Accepts "0", "00000000-0000-0000-0000-000000000000", the same with x */
static bool argument_placeholder_is_pattern(const char *text)
{
	return !text[strspn(text, "0 -_.")] || !text[strspn(text, "xX -_.")];
}

/* Digits make a value of "{3F2504E0-4F89-11D3-9A0C-0305E82C3301}", '@' of "<id@host>". */
static bool argument_placeholder_is_bracketed(const char *text)
{
	static const char pairs[] = "<>{}[]%%";
	size_t length = strlen(text), digits = 0;

	for (const char *pair = pairs; *pair; pair += 2) {
		if (length < 2 || *text != pair[0] || text[length - 1] != pair[1])
			continue;
		for (size_t i = 0; i < length; i++)
			digits += text[i] >= '0' && text[i] <= '9';
		return digits < ARGUMENT_PLACEHOLDER_DIGITS_OF_VALUE &&
		       !strchr(text, '@');
	}
	return false;
}

/* Accepts "{{key}}", "${KEY}", "<%= id %>", "$(uuidgen)", "$json.id" */
static bool argument_placeholder_is_template(const char *text)
{
	return strstr(text, "{{") || strstr(text, "${") || strstr(text, "<%") ||
	       strstr(text, "$(") || *text == '$' ||
	       argument_placeholder_is_bracketed(text);
}

bool argument_is_placeholder(const char *text)
{
	while (*text == ' ')
		text++;
	for (size_t i = 0;
	     i < sizeof(argument_placeholder_texts) / sizeof(*argument_placeholder_texts);
	     i++) {
		if (strcasecmp(text, argument_placeholder_texts[i]) == 0)
			return true;
	}
	return argument_placeholder_is_pattern(text) ||
	       argument_placeholder_is_template(text) ||
	       argument_placeholder_has_only_its_words(text);
}

bool argument_key(const struct tool_call *call, const char **key_out,
		  struct refusal *refusal_out)
{
	const char *key = argument_text(call, "idempotency_key");

	if (!key || !argument_is_placeholder(key)) {
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
