/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/code.h"

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

_Static_assert(GROUPS_MAX < sizeof(((struct code_candidate *)NULL)->code), "they fit");
_Static_assert(ROW_MAX < sizeof(((struct code_candidate *)NULL)->code), "it fits");

static bool code_candidate_is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static bool code_candidate_is_letter_or_digit(char byte)
{
	char small = (char)(byte | 0x20);

	return code_candidate_is_digit(byte) || (small >= 'a' && small <= 'z');
}

static bool code_candidate_is_currency(uint32_t character)
{
	return character == '$' || (character >= 0xa2 && character <= 0xa5) ||
	       (character >= 0x20a0 && character <= 0x20c0);
}

/* "5000元": Chinese and Japanese money, which no blank separates from the next word */
static bool code_candidate_is_counter(const char *behind)
{
	static const char *const money[] = { "元", "円" };

	for (size_t i = 0; i < sizeof(money) / sizeof(*money); i++) {
		if (strncmp(behind, money[i], strlen(money[i])) == 0)
			return true;
	}
	return false;
}

/* The character before `at`, skipping at most one space; 0: none. */
static uint32_t code_candidate_character_before(const char *text, const char *at)
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

static uint32_t code_candidate_character_behind(const char *at)
{
	if (*at == ' ')
		at++;
	return *at ? utf8_next(&at) : 0;
}

/* Part of a link or address: "bit.ly/1234", "me@home" */
static bool code_candidate_is_in_address(const char *text, const struct text_word *word)
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
static bool code_candidate_is_glued_before(const char *text, const struct text_word *word)
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
		return mark > text &&
		       (code_candidate_is_digit(mark[-1]) || mark[-1] == '.');
	case ',':
	case ':':
	case '\'':
		return mark > text && code_candidate_is_digit(mark[-1]);
	default:
		return false;
	}
}

/* ",5" of "583920,5 minutes" in a script without spaces: a list, not a decimal */
static bool code_candidate_is_list_comma(const char *comma)
{
	size_t digits = strspn(comma + 1, "0123456789");

	return *comma == ',' && digits > 0 && (unsigned char)comma[1 + digits] >= 0x80;
}

static bool code_candidate_is_glued_behind(const char *end, const struct text_word *word)
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
		return code_candidate_is_digit(end[1]) ||
		       (end[1] >= 'a' && end[1] <= 'z');
	case ',':
	case ':':
	case '\'':
		return code_candidate_is_digit(end[1]) &&
		       !code_candidate_is_list_comma(end);
	default:
		return false;
	}
}

/* "******" between two places of a card number: marks in a row that are none of its digits */
static bool code_candidate_hides_digits(const char *from, const char *to)
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
static bool code_candidate_is_of_card(const char *text, const struct text_word *word,
				      const char *end)
{
	static const char marks[] = " -*xX#\u2022\u25cf0123456789"; /* its bytes */
	const char *first = word->text, *last = end + strspn(end, marks), *group;

	if (word->before == '*' && word->behind == '*')
		return false;
	while (first > text && strchr(marks, first[-1]))
		first--;
	first += strcspn(first, "0123456789");
	while (last > end && !code_candidate_is_digit(last[-1]))
		last--;
	for (group = last; group > end && code_candidate_is_digit(group[-1]);)
		group--;
	return (strspn(first, "0123456789") >= GROUP_MIN &&
		code_candidate_hides_digits(first, word->text)) ||
	       (last - group >= GROUP_MIN && code_candidate_hides_digits(end, group));
}

/* "G-" before the number: letters that users do not type. */
static bool code_candidate_has_prefix(const char *text, const char *dash)
{
	unsigned letters = 0;

	while (dash - letters > text && *(dash - letters - 1) >= 'A' &&
	       *(dash - letters - 1) <= 'Z')
		letters++;
	return letters > 0 && letters <= PREFIX_MAX &&
	       (dash - letters == text ||
		!code_candidate_is_letter_or_digit(*(dash - letters - 1)));
}

/* "name-1234" is a name, "- 1234" is not. The words decide about "PIN-1234". */
static bool code_candidate_is_tied_before(const char *text, const struct text_word *word)
{
	const char *dash = word->text - 1;

	if (word->before != '-' || dash == text ||
	    !code_candidate_is_letter_or_digit(dash[-1]))
		return false;
	return !code_candidate_has_prefix(text, dash);
}

static bool code_candidate_is_linked(const struct text_word *left,
				     const struct text_word *right)
{
	const char *end = left->text + left->length;

	return right->text == end + 1 && (*end == ' ' || *end == '-');
}

static bool code_candidate_is_number_like(const struct text_word *word)
{
	return code_candidate_is_digit(word->text[word->length - 1]);
}

static bool code_candidate_is_second_of_group(const char *text,
					      const struct text_word *word)
{
	const char *blank = word->text - 1;

	return word->text > text + 1 && (*blank == ' ' || *blank == '-') &&
	       code_candidate_is_digit(blank[-1]);
}

/* "55 66 77", unless a phone number in pairs begins so. */
static bool code_candidate_is_of_three_pairs(const struct text_word *word, size_t count)
{
	if (count < 3 || !code_candidate_is_linked(&word[0], &word[1]) ||
	    !code_candidate_is_linked(&word[1], &word[2]))
		return false;
	for (unsigned i = 0; i < 3; i++) {
		if (word[i].type != TEXT_NUMBER || word[i].length != 2)
			return false;
	}
	return count == 3 || !code_candidate_is_linked(&word[2], &word[3]) ||
	       !code_candidate_is_number_like(&word[3]);
}

/* Number of words in the code: 2 for "123 456", 0 if it is part of something longer. */
static unsigned code_candidate_count_words(const struct text_word *word, size_t count)
{
	const struct text_word *next = word + 1;

	if (count < 2 || !code_candidate_is_linked(word, next))
		return word->behind == '-' && word->text[word->length + 1] != ' ' ? 0 : 1;
	if (!code_candidate_is_digit(next->text[0]))
		return word->behind == '-' ? 0 : 1;
	if (next->type != TEXT_NUMBER)
		return word->behind == ' ' ? 1 : 0;
	if (code_candidate_is_of_three_pairs(word, count))
		return 3;
	if (count > 2 && code_candidate_is_linked(next, next + 1) &&
	    code_candidate_is_number_like(next + 1))
		return 0;
	if (word->length == next->length && (word->length == 3 || word->length == 4))
		return 2;
	return word->behind == ' ' && word->length > 3 && next->length < 3 ? 1 : 0;
}

static bool code_candidate_is_year(const char *digits, unsigned length)
{
	return length == 4 &&
	       (memcmp(digits, "19", 2) == 0 || memcmp(digits, "20", 2) == 0);
}

/* "20261121" */
static bool code_candidate_is_day(const char *digits, unsigned length)
{
	return length == 8 && code_candidate_is_year(digits, 4) && digits[4] <= '1' &&
	       digits[6] <= '3';
}

/* "21 11 26" */
static bool code_candidate_is_day_in_pairs(const struct code_candidate *candidate)
{
	const char *digits = candidate->code;

	return candidate->words == 3 && memcmp(digits, "31", 2) <= 0 &&
	       memcmp(digits + 2, "12", 2) <= 0;
}

static enum code_candidate_trust code_candidate_trust_number(
	const struct code_candidate *candidate)
{
	if (candidate->length > DIGITS_USUAL_MAX ||
	    code_candidate_is_day(candidate->code, candidate->length) ||
	    code_candidate_is_day_in_pairs(candidate) ||
	    (candidate->words == 2 && candidate->length == 8))
		return CODE_TRUST_LITTLE;
	return code_candidate_is_year(candidate->code, candidate->length)
		       ? CODE_TRUST_SOME
		       : CODE_TRUST_USUAL;
}

static bool code_candidate_read_number(const char *text, const struct text_word *word,
				       size_t count, struct code_candidate *candidate)
{
	candidate->words = code_candidate_is_second_of_group(text, word)
				   ? 0
				   : code_candidate_count_words(word, count);
	candidate->length = 0;
	for (unsigned i = 0; i < candidate->words; i++) {
		if (candidate->length + word[i].length > DIGITS_MAX)
			return false;
		memcpy(candidate->code + candidate->length, word[i].text, word[i].length);
		candidate->length += word[i].length;
	}
	candidate->code[candidate->length] = '\0';
	if (candidate->length < DIGITS_MIN ||
	    (candidate->length > DIGITS_USUAL_MAX && candidate->code[0] == '0'))
		return false;
	candidate->trust = code_candidate_trust_number(candidate);
	return true;
}

/* "21-11-2026", "2026-11-21" */
static bool code_candidate_is_date(const struct text_word *word, unsigned words)
{
	return words == 3 && word[1].length <= 2 &&
	       (code_candidate_is_year(word[0].text, word[0].length) ||
		code_candidate_is_year(word[2].text, word[2].length));
}

/* Too long for a code, or in unusual groups: reads the whole row of numbers. */
static bool code_candidate_read_row(const char *text, const struct text_word *word,
				    size_t count, struct code_candidate *candidate)
{
	unsigned words = 0, length = 0;

	if (code_candidate_is_second_of_group(text, word))
		return false;
	do {
		if (word[words].type != TEXT_NUMBER ||
		    length + word[words].length > ROW_MAX)
			return false;
		memcpy(candidate->code + length, word[words].text, word[words].length);
		length += word[words].length;
		words++;
	} while (words < count &&
		 code_candidate_is_linked(&word[words - 1], &word[words]) &&
		 code_candidate_is_digit(word[words].text[0]));
	candidate->code[length] = '\0';
	candidate->length = length;
	candidate->words = words;
	candidate->trust = CODE_TRUST_NONE;
	return length >= DIGITS_MIN && !code_candidate_is_date(word, words);
}

/* "A7K2Q", but not "iPhone15" or "XX1234". */
static bool code_candidate_read_mixed(const struct text_word *word,
				      struct code_candidate *candidate)
{
	unsigned digits = 0;

	if (word->length < DIGITS_MIN || word->length > DIGITS_MAX ||
	    word->behind == '-' || word->before == '-' ||
	    strncasecmp(word->text, "xx", 2) == 0)
		return false;
	for (unsigned i = 0; i < word->length; i++)
		digits += code_candidate_is_digit(word->text[i]);
	if (digits < 2 && !word->is_upper)
		return false;
	memcpy(candidate->code, word->text, word->length);
	candidate->code[word->length] = '\0';
	candidate->length = word->length;
	candidate->words = 1;
	candidate->trust = CODE_TRUST_SOME;
	return true;
}

/* Number of words joined by dashes. */
static unsigned code_candidate_count_groups(const struct text_word *word, size_t count)
{
	unsigned groups = 1;

	while (groups < count &&
	       code_candidate_is_linked(&word[groups - 1], &word[groups]) &&
	       word[groups].before == '-')
		groups++;
	return groups;
}

static bool code_candidate_is_prefixed(const struct text_word *word, unsigned groups)
{
	return groups == 2 && word[0].type == TEXT_WORD && word[0].length <= PREFIX_MAX &&
	       word[1].type == TEXT_NUMBER;
}

/* "ABCD-1234", "A1B2-C3D4-E5F6": with dashes, which users may have to type. */
static bool code_candidate_read_groups(const struct text_word *word, size_t count,
				       struct code_candidate *candidate)
{
	unsigned groups = code_candidate_count_groups(word, count);
	const struct text_word *last = &word[groups - 1];
	bool has_letters = false, has_digits = false, is_upper = true;

	candidate->words = groups;
	candidate->length = (unsigned)(last->text + last->length - word->text);
	if (groups < 2 || code_candidate_is_prefixed(word, groups) ||
	    candidate->length > GROUPS_MAX || strncasecmp(word->text, "xx", 2) == 0)
		return false;
	for (unsigned i = 0; i < groups; i++) {
		if (word[i].type == TEXT_OTHER || word[i].length < GROUP_MIN)
			return false;
		has_letters |= word[i].type != TEXT_NUMBER;
		has_digits |= word[i].type != TEXT_WORD;
		is_upper &= word[i].is_upper;
	}
	memcpy(candidate->code, word->text, candidate->length);
	candidate->code[candidate->length] = '\0';
	candidate->trust = is_upper ? CODE_TRUST_SOME : CODE_TRUST_LITTLE;
	return has_letters && has_digits;
}

static bool code_candidate_read_form(const char *text, const struct text_word *word,
				     size_t count, struct code_candidate *candidate)
{
	if (code_candidate_read_groups(word, count, candidate))
		return true;
	switch (word->type) {
	case TEXT_NUMBER:
		return code_candidate_read_number(text, word, count, candidate) ||
		       code_candidate_read_row(text, word, count, candidate);
	case TEXT_MIXED:
		return code_candidate_read_mixed(word, candidate);
	case TEXT_WORD:
	case TEXT_OTHER:
		return false;
	}
	return false;
}

bool code_candidate_read(const char *text, const struct text_word *word, size_t count,
			 struct code_candidate *candidate_out)
{
	const struct text_word *last;

	if (word->type == TEXT_OTHER || (word->type == TEXT_WORD && word->behind != '-'))
		return false;
	if (code_candidate_is_in_address(text, word) ||
	    code_candidate_is_glued_before(text, word) ||
	    code_candidate_is_tied_before(text, word) ||
	    !code_candidate_read_form(text, word, count, candidate_out))
		return false;
	last = word + candidate_out->words - 1;
	return !code_candidate_is_glued_behind(last->text + last->length, last) &&
	       !code_candidate_is_of_card(text, word, last->text + last->length) &&
	       !code_candidate_is_currency(
		       code_candidate_character_before(text, word->text)) &&
	       !code_candidate_is_currency(
		       code_candidate_character_behind(last->text + last->length)) &&
	       !code_candidate_is_counter(last->text + last->length);
}
