/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A number that has the form of a one-time code and is not part of a price, date, time, phone
 * number or address.
 */
#include "text/code.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

enum {
	DIGITS_MIN = 4,
	DIGITS_MAX = 10,
	DIGITS_USUAL_MAX = 8,
	PREFIX_MAX = 3, /* "G-123456" */
	GROUP_MIN = 3,	/* "ABCD-1234" */
	GROUPS_MAX = 24,
	ROW_MAX = 16,	      /* digits, together */
	CARD_MARKS_LEAST = 4, /* bytes, "****" */
};

_Static_assert(GROUPS_MAX < sizeof(((struct code_token *)NULL)->code), "they fit");
_Static_assert(ROW_MAX < sizeof(((struct code_token *)NULL)->code), "it fits");

static bool code_number_is_currency(uint32_t character)
{
	return character == '$' || (character >= 0xa2 && character <= 0xa5) ||
	       (character >= 0x20a0 && character <= 0x20c0);
}

/* "5000元": Chinese and Japanese money, which no blank separates from the next word */
static bool code_number_is_counter(const char *behind)
{
	static const char *const money[] = { "元", "円" };

	for (size_t i = 0; i < sizeof(money) / sizeof(*money); i++) {
		if (strncmp(behind, money[i], strlen(money[i])) == 0)
			return true;
	}
	return false;
}

/* The character before `at`, skipping at most one space; 0: none. */
static uint32_t code_number_character_before(const char *text, const char *at)
{
	if (at > text && at[-1] == ' ')
		at--;
	if (at == text)
		return 0;
	do
		at--;
	while (at > text && ((unsigned char)*at & 0xc0) == 0x80);
	return utf8_next(&at);
}

static uint32_t code_number_character_behind(const char *at)
{
	if (*at == ' ')
		at++;
	return *at ? utf8_next(&at) : 0;
}

/* Part of a link or address: "bit.ly/1234", "me@home" */
static bool code_number_is_in_address(const char *text, const struct text_word *word)
{
	const char *from = word->text;
	size_t length;

	while (from > text && !strchr(" \n\t", from[-1]))
		from--;
	length = strcspn(from, " \n\t");
	return memchr(from, '/', length) || memchr(from, '@', length) ||
	       (memchr(from, '?', length) && memchr(from, '=', length)) ||
	       strncasecmp(from, "www.", 4) == 0;
}

/* The character right before the number makes it part of something else. */
static bool code_number_is_glued_before(const char *text, const struct text_word *word)
{
	const char *mark = word->text - 1;

	if (word->text == text)
		return false;
	switch (word->before) {
	case '+':
	case '_':
	case '&':
	case 0x2022: /* bullet, ellipsis: the end of a card number */
	case 0x2026:
		return true;
	case '*':
		return word->behind != '*';
	case '.':
		return mark > text && (code_text_is_digit(mark[-1]) || mark[-1] == '.');
	case ',':
	case ':':
	case '\'':
		return mark > text && code_text_is_digit(mark[-1]);
	default:
		return false;
	}
}

/* ",5" of "583920,5 minutes" in a script without spaces: a list, not a decimal */
static bool code_number_is_list_comma(const char *comma)
{
	size_t digits = strspn(comma + 1, "0123456789");

	return *comma == ',' && digits > 0 && (unsigned char)comma[1 + digits] >= 0x80;
}

static bool code_number_is_glued_behind(const char *end, const struct text_word *word)
{
	switch (word->behind) {
	case '_':
	case '&':
	case '%':
	case 0x2030:
	case 0xb0:
	case '+':
		return true;
	case '.': /* a capital begins a sentence */
		return code_text_is_digit(end[1]) || (end[1] >= 'a' && end[1] <= 'z');
	case ',':
	case ':':
	case '\'':
		return code_text_is_digit(end[1]) && !code_number_is_list_comma(end);
	default:
		return false;
	}
}

/* "******" between two places of a card number: marks in a row that are none of its digits */
static bool code_number_hides_digits(const char *from, const char *to)
{
	size_t marks = 0;

	for (; from < to && marks < CARD_MARKS_LEAST; from++)
		marks = strchr(" -0123456789", *from) ? 0 : marks + 1;
	return marks == CARD_MARKS_LEAST;
}

/*
 * "453211******9921", "4716 88** **** 9921": digits of a card, and neither "**482913**" nor
 * "482913 **** 10 minutes".
 */
static bool code_number_is_of_card(const char *text, const struct text_word *word,
				   const char *end)
{
	static const char marks[] = " -*xX#\u2022\u25cf0123456789"; /* its bytes */
	const char *first = word->text, *last = end + strspn(end, marks), *group;

	if (word->before == '*' && word->behind == '*')
		return false;
	while (first > text && strchr(marks, first[-1]))
		first--;
	first += strcspn(first, "0123456789");
	while (last > end && !code_text_is_digit(last[-1]))
		last--;
	for (group = last; group > end && code_text_is_digit(group[-1]);)
		group--;
	return (strspn(first, "0123456789") >= GROUP_MIN &&
		code_number_hides_digits(first, word->text)) ||
	       (last - group >= GROUP_MIN && code_number_hides_digits(end, group));
}

/* "G-" before the number: letters that users do not type. */
static bool code_number_has_prefix(const char *text, const char *dash)
{
	unsigned letters = 0;

	while (dash - letters > text && *(dash - letters - 1) >= 'A' &&
	       *(dash - letters - 1) <= 'Z')
		letters++;
	return letters > 0 && letters <= PREFIX_MAX &&
	       (dash - letters == text ||
		!isalnum((unsigned char)dash[-1 - (ptrdiff_t)letters]));
}

/* "name-1234" is a name, "- 1234" is not. The words decide about "PIN-1234". */
static bool code_number_is_tied_before(const char *text, const struct text_word *word)
{
	const char *dash = word->text - 1;

	if (word->before != '-' || dash == text || !isalnum((unsigned char)dash[-1]))
		return false;
	return !code_number_has_prefix(text, dash);
}

static bool code_number_is_linked(const struct text_word *left,
				  const struct text_word *right)
{
	const char *end = left->text + left->length;

	return right->text == end + 1 && (*end == ' ' || *end == '-');
}

static bool code_number_is_number_like(const struct text_word *word)
{
	return code_text_is_digit(word->text[word->length - 1]);
}

static bool code_number_is_second_of_group(const char *text, const struct text_word *word)
{
	const char *blank = word->text - 1;

	return word->text > text + 1 && (*blank == ' ' || *blank == '-') &&
	       code_text_is_digit(blank[-1]);
}

/* "55 66 77", unless a phone number in pairs begins so. */
static bool code_number_is_of_three_pairs(const struct text_word *word, size_t count)
{
	if (count < 3 || !code_number_is_linked(&word[0], &word[1]) ||
	    !code_number_is_linked(&word[1], &word[2]))
		return false;
	for (unsigned i = 0; i < 3; i++) {
		if (word[i].type != TEXT_NUMBER || word[i].length != 2)
			return false;
	}
	return count == 3 || !code_number_is_linked(&word[2], &word[3]) ||
	       !code_number_is_number_like(&word[3]);
}

/* Number of words in the code: 2 for "123 456", 0 if it is part of something longer. */
static unsigned code_number_count_words(const struct text_word *word, size_t count)
{
	const struct text_word *next = word + 1;

	if (count < 2 || !code_number_is_linked(word, next))
		return word->behind == '-' && word->text[word->length + 1] != ' ' ? 0 : 1;
	if (!code_text_is_digit(next->text[0]))
		return word->behind == '-' ? 0 : 1;
	if (next->type != TEXT_NUMBER)
		return word->behind == ' ' ? 1 : 0;
	if (code_number_is_of_three_pairs(word, count))
		return 3;
	if (count > 2 && code_number_is_linked(next, next + 1) &&
	    code_number_is_number_like(next + 1))
		return 0;
	if (word->length == next->length && (word->length == 3 || word->length == 4))
		return 2;
	return word->behind == ' ' && word->length > 3 && next->length < 3 ? 1 : 0;
}

static bool code_number_is_year(const char *digits, unsigned length)
{
	return length == 4 &&
	       (memcmp(digits, "19", 2) == 0 || memcmp(digits, "20", 2) == 0);
}

/* Appends the words to the code, whose length it returns; 0: they are too long. */
static unsigned code_number_write(struct code_token *token, const struct text_word *word,
				  unsigned words, unsigned most)
{
	unsigned length = 0;

	for (unsigned i = 0; i < words; i++) {
		if (length + word[i].length > most)
			return 0;
		memcpy(token->code + length, word[i].text, word[i].length);
		length += word[i].length;
	}
	token->code[length] = '\0';
	return length;
}

/* "20261121", "21 11 26" */
static bool code_number_is_day(const char *digits, unsigned length, unsigned words)
{
	return (length == 8 && code_number_is_year(digits, 4) && digits[4] <= '1' &&
		digits[6] <= '3') ||
	       (words == 3 && memcmp(digits, "31", 2) <= 0 &&
		memcmp(digits + 2, "12", 2) <= 0);
}

/* "4821", "123 456" */
static unsigned code_number_read_plain(const struct text_word *word, size_t count,
				       struct code_token *token)
{
	unsigned words = code_number_count_words(word, count);
	unsigned length = code_number_write(token, word, words, DIGITS_MAX);

	if (length < DIGITS_MIN || (length > DIGITS_USUAL_MAX && token->code[0] == '0'))
		return 0;
	if (length > DIGITS_USUAL_MAX || code_number_is_day(token->code, length, words) ||
	    (words == 2 && length == 8))
		token->shapes = CODE_SHAPE_DOUBTFUL;
	else
		token->shapes = code_number_is_year(token->code, length)
					? CODE_SHAPE_UNLIKELY
					: CODE_SHAPE_NUMBER;
	return words;
}

/* "21-11-2026", "2026-11-21" */
static bool code_number_is_date(const struct text_word *word, unsigned words)
{
	return words == 3 && word[1].length <= 2 &&
	       (code_number_is_year(word[0].text, word[0].length) ||
		code_number_is_year(word[2].text, word[2].length));
}

/* Too long for a code, or in unusual groups: reads the whole row of numbers. */
static unsigned code_number_read_row(const struct text_word *word, size_t count,
				     struct code_token *token)
{
	unsigned words = 0;

	do {
		if (word[words++].type != TEXT_NUMBER)
			return 0;
	} while (words < count && code_number_is_linked(&word[words - 1], &word[words]) &&
		 code_text_is_digit(word[words].text[0]));
	if (code_number_write(token, word, words, ROW_MAX) < DIGITS_MIN ||
	    code_number_is_date(word, words))
		return 0;
	token->shapes = CODE_SHAPE_ROW;
	return words;
}

/* "A7K2Q", but not "iPhone15" or "XX1234". */
static unsigned code_number_read_mixed(const struct text_word *word,
				       struct code_token *token)
{
	unsigned digits = 0;

	if (word->length < DIGITS_MIN || word->length > DIGITS_MAX ||
	    word->behind == '-' || word->before == '-' ||
	    strncasecmp(word->text, "xx", 2) == 0)
		return 0;
	for (unsigned i = 0; i < word->length; i++)
		digits += code_text_is_digit(word->text[i]);
	if (digits < 2 && !word->is_upper)
		return 0;
	code_number_write(token, word, 1, DIGITS_MAX);
	token->shapes = CODE_SHAPE_UNLIKELY;
	return 1;
}

/* Number of words joined by dashes. */
static unsigned code_number_count_groups(const struct text_word *word, size_t count)
{
	unsigned groups = 1;

	while (groups < count &&
	       code_number_is_linked(&word[groups - 1], &word[groups]) &&
	       word[groups].before == '-')
		groups++;
	return groups;
}

/* "ABCD-1234", "A1B2-C3D4-E5F6": with dashes, which users may have to type. */
static unsigned code_number_read_groups(const struct text_word *word, size_t count,
					struct code_token *token)
{
	unsigned groups = code_number_count_groups(word, count);
	const struct text_word *last = &word[groups - 1];
	size_t length = (size_t)(last->text + last->length - word->text);
	bool has_letters = false, has_digits = false, is_upper = true;

	if (groups < 2 || length > GROUPS_MAX || strncasecmp(word->text, "xx", 2) == 0 ||
	    (groups == 2 && word->type == TEXT_WORD && word->length <= PREFIX_MAX &&
	     last->type == TEXT_NUMBER))
		return 0;
	for (unsigned i = 0; i < groups; i++) {
		if (word[i].type == TEXT_OTHER || word[i].length < GROUP_MIN)
			return 0;
		has_letters |= word[i].type != TEXT_NUMBER;
		has_digits |= word[i].type != TEXT_WORD;
		is_upper &= word[i].is_upper;
	}
	memcpy(token->code, word->text, length);
	token->code[length] = '\0';
	token->shapes = is_upper ? CODE_SHAPE_UNLIKELY : CODE_SHAPE_DOUBTFUL;
	return has_letters && has_digits ? groups : 0;
}

/* The number of its words; 0: there is none. */
static unsigned code_number_read_form(const char *text, const struct text_word *word,
				      size_t count, struct code_token *token)
{
	unsigned words = code_number_read_groups(word, count, token);

	if (words)
		return words;
	if (word->type == TEXT_MIXED)
		return code_number_read_mixed(word, token);
	if (word->type != TEXT_NUMBER || code_number_is_second_of_group(text, word))
		return 0;
	words = code_number_read_plain(word, count, token);
	return words ? words : code_number_read_row(word, count, token);
}

bool code_number_read(const struct code_context *context, size_t at,
		      struct code_token *token_out)
{
	const char *text = context->text, *end;
	const struct text_word *word = &context->words[at], *last;
	unsigned words;

	if (word->type == TEXT_OTHER ||
	    (word->type == TEXT_WORD && word->behind != '-') ||
	    code_number_is_in_address(text, word) ||
	    code_number_is_glued_before(text, word) ||
	    code_number_is_tied_before(text, word))
		return false;
	*token_out = (struct code_token){ .word = at };
	words = code_number_read_form(text, word, context->count - at, token_out);
	if (!words)
		return false;
	last = word + words - 1;
	end = last->text + last->length;
	token_out->behind = at + words;
	token_out->from = (size_t)(word->text - text);
	token_out->to = (size_t)(end - text);
	return !code_number_is_glued_behind(end, last) &&
	       !code_number_is_of_card(text, word, end) &&
	       !code_number_is_currency(code_number_character_before(text, word->text)) &&
	       !code_number_is_currency(code_number_character_behind(end)) &&
	       !code_number_is_counter(end);
}
