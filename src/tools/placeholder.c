/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text is a placeholder if nothing in it tells it from others of its kind: an unfilled
 * template, no word at all, only zeros, only words such as "your", "key" and "here", or a
 * UUID that specifications use as their example. A word that is in no table makes it a
 * value, so that "key of Ann" and "message-17" are keys.
 */
#include "tools/placeholder.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

enum { PLACEHOLDER_DIGITS_OF_VALUE = 4, PLACEHOLDER_WORD_MAX = 16 };

/* Each between blanks. */
static const char placeholder_words[] =
	" null nil none nan na undefined unknown unset empty void default missing"
	" false true optional required tbd todo fixme auto string str text object"
	" value val number integer int char varchar key keys idempotency idempotent"
	" idempotencykey uuid uuid4 uuidv4 uuid7 uuidv7 v4 guid ulid nanoid id"
	" identifier token unique uniquekey uniqueid random randomkey randomuuid"
	" randomstring generated generate uuidgen crypto newguid yourkey mykey"
	" example sample test testkey testing dummy placeholder foo bar foobar baz"
	" asdf abc lorem ipsum xxx ";

/* Alone they are a value: somebody's key may be "a". */
static const char placeholder_little_words[] =
	" a an the of for this your my some any new own here insert enter replace with me ";

/* The UUIDs are of RFC 4122, RFC 9562 and what their readers copy. */
static const char *const placeholder_texts[] = {
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
static bool placeholder_is_letter(uint32_t character)
{
	if (character < 0x80)
		return (character >= '0' && character <= '9') ||
		       ((character | 0x20) >= 'a' && (character | 0x20) <= 'z');
	return character > 0xBF && (character < 0x2000 || character > 0x206F) &&
	       character != 0x3000 && character != 0xFEFF;
}

static bool placeholder_lists(const char *words, const char *word, size_t length)
{
	char wanted[PLACEHOLDER_WORD_MAX + 3];

	if (length > PLACEHOLDER_WORD_MAX)
		return false;
	snprintf(wanted, sizeof(wanted), " %.*s ", (int)length, word);
	return strcasestr(words, wanted) != NULL;
}

/* Returns true also without any word. */
static bool placeholder_has_only_its_words(const char *text)
{
	size_t words = 0, little_words = 0;

	while (*text) {
		const char *word = text, *end = text;

		while (*text && placeholder_is_letter(utf8_next(&text)))
			end = text;
		if (end == word)
			continue;
		words++;
		if (placeholder_lists(placeholder_little_words, word,
				      (size_t)(end - word)))
			little_words++;
		else if (!placeholder_lists(placeholder_words, word,
					    (size_t)(end - word)))
			return false;
	}
	return !words || little_words < words;
}

/* Accepts "0", "00000000-0000-0000-0000-000000000000", the same with x */
static bool placeholder_is_pattern(const char *text)
{
	return !text[strspn(text, "0 -_.")] || !text[strspn(text, "xX -_.")];
}

/* Digits make a value of "{3F2504E0-4F89-11D3-9A0C-0305E82C3301}", '@' of "<id@host>". */
static bool placeholder_is_bracketed(const char *text)
{
	static const char pairs[] = "<>{}[]%%";
	size_t length = strlen(text), digits = 0;

	for (const char *pair = pairs; *pair; pair += 2) {
		if (length < 2 || *text != pair[0] || text[length - 1] != pair[1])
			continue;
		for (size_t i = 0; i < length; i++)
			digits += text[i] >= '0' && text[i] <= '9';
		return digits < PLACEHOLDER_DIGITS_OF_VALUE && !strchr(text, '@');
	}
	return false;
}

/* Accepts "{{key}}", "${KEY}", "<%= id %>", "$(uuidgen)", "$json.id" */
static bool placeholder_is_template(const char *text)
{
	return strstr(text, "{{") || strstr(text, "${") || strstr(text, "<%") ||
	       strstr(text, "$(") || *text == '$' || placeholder_is_bracketed(text);
}

bool placeholder_matches(const char *text)
{
	while (*text == ' ')
		text++;
	for (size_t i = 0; i < sizeof(placeholder_texts) / sizeof(*placeholder_texts);
	     i++) {
		if (strcasecmp(text, placeholder_texts[i]) == 0)
			return true;
	}
	return placeholder_is_pattern(text) || placeholder_is_template(text) ||
	       placeholder_has_only_its_words(text);
}
