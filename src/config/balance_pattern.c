/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/balance_pattern.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "base/shown_text.h"
#include "config/ussd_code.h"
#include "base/utf8.h"

enum { GROUPS_MAX = 2 };

/* Where the pattern begins in "CODE PATTERN", and its code. NULL: it is no such line. */
static const char *split(const char *line, char code[USSD_CODE_BYTES])
{
	size_t length = strcspn(line, " \t");
	const char *pattern = line + length + strspn(line + length, " \t");

	if (length >= USSD_CODE_BYTES || !*pattern)
		return NULL;
	memcpy(code, line, length);
	code[length] = '\0';
	return pattern;
}

static bool may_be_slow(const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern == '{')
			return true;
		if (*pattern == '\\' && *++pattern >= '0' && *pattern <= '9')
			return true;
		if (!*pattern)
			break; /* regcomp() tells of that one */
	}
	return false;
}

/* NULL: it is well. */
static const char *pattern_flaw(const char *pattern, char text[128])
{
	regex_t compiled;
	size_t groups;
	int result;

	if (may_be_slow(pattern))
		return "it may hold neither { } nor \\1 to \\9, which can take very long";
	result = regcomp(&compiled, pattern, REG_EXTENDED);
	if (result) {
		regerror(result, &compiled, text, 128);
		return text;
	}
	groups = compiled.re_nsub;
	regfree(&compiled);
	if (groups == 0 || groups > GROUPS_MAX)
		return "it takes one group ( ) around the amount, and one around the "
		       "currency if there is any";
	return NULL;
}

static const char *line_flaw(const char *line, char text[128])
{
	char code[USSD_CODE_BYTES];
	const char *pattern = split(line, code);

	if (!pattern)
		return "it takes a code and behind a blank a pattern";
	if (!ussd_code_is_valid(code) || ussd_code_is_mmi(code))
		return "it begins with no code that can be dialled, such as *100#";
	return pattern_flaw(pattern, text);
}

int balance_pattern_check_list(const struct config_list *list, struct explanation *error)
{
	char text[128];

	for (size_t i = 0; i < list->count; i++) {
		const char *flaw = line_flaw(list->items[i], text);

		if (flaw)
			return explanation_set(error, -EINVAL,
					       "ussd.balance_pattern: \"%s\": %s",
					       list->items[i], flaw);
	}
	return 0;
}

/* The pattern of a line that is about this code; NULL: it is not. */
static const char *pattern_for(const char *line, const char *code)
{
	char word[USSD_CODE_BYTES];
	const char *pattern = split(line, word);

	return pattern && strcmp(word, code) == 0 ? pattern : NULL;
}

bool balance_pattern_has(const struct config_list *list, const char *code)
{
	for (size_t i = 0; i < list->count; i++) {
		if (pattern_for(list->items[i], code))
			return true;
	}
	return false;
}

/* What shows as a word, and nothing that could be read as a sentence or as code. */
static bool is_currency(const char *text)
{
	const char *at = text;

	if (!escape_is_plain(text))
		return false;
	while (*at) {
		uint32_t one = utf8_next(&at);

		if (one < 0x80 && !(one >= 'a' && one <= 'z') &&
		    !(one >= 'A' && one <= 'Z') && one != '$' && one != '.')
			return false;
	}
	return true;
}

/* An empty one, or one that is none, is not known. */
static void read_currency(const char *text, const regmatch_t *group,
			  char currency[BALANCE_CURRENCY_BYTES])
{
	size_t length = (size_t)(group->rm_eo - group->rm_so);

	*currency = '\0';
	if (group->rm_so < 0 || length >= BALANCE_CURRENCY_BYTES ||
	    !utf8_valid(text + group->rm_so, length))
		return;
	memcpy(currency, text + group->rm_so, length);
	currency[length] = '\0';
	if (!is_currency(currency))
		*currency = '\0';
}

/*
 * A pattern is matched byte by byte, so a set such as [-0-9\xe2\x88\x92] takes the first byte
 * of \xe2\x82\xac, too: what begins or ends within a character does so before it.
 */
static regoff_t before_character(const char *text, regoff_t at)
{
	while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
		at--;
	return at;
}

static void align(const char *text, regmatch_t groups[GROUPS_MAX + 1])
{
	for (int i = 1; i <= GROUPS_MAX; i++) {
		if (groups[i].rm_so < 0)
			continue;
		groups[i].rm_so = before_character(text, groups[i].rm_so);
		groups[i].rm_eo = before_character(text, groups[i].rm_eo);
	}
}

static bool read_groups(const char *text, const regmatch_t groups[GROUPS_MAX + 1],
			struct balance *balance)
{
	for (int i = 1; i <= GROUPS_MAX; i++) {
		if (groups[i].rm_so < 0 ||
		    !amount_read(text + groups[i].rm_so,
				 (size_t)(groups[i].rm_eo - groups[i].rm_so),
				 &balance->amount))
			continue;
		read_currency(text, &groups[GROUPS_MAX + 1 - i], balance->currency);
		return true;
	}
	return false;
}

static bool read_by(const char *pattern, const char *text, struct balance *balance)
{
	regmatch_t groups[GROUPS_MAX + 1];
	regex_t compiled;
	int result;

	if (regcomp(&compiled, pattern, REG_EXTENDED))
		return false;
	result = regexec(&compiled, text, GROUPS_MAX + 1, groups, 0);
	regfree(&compiled);
	if (result)
		return false;
	align(text, groups);
	return read_groups(text, groups, balance);
}

bool balance_pattern_read(const struct config_list *list, const char *code,
			  const char *text, struct balance *balance_out)
{
	char looked_at[BALANCE_TEXT_BYTES];
	struct balance balance = { 0 };

	snprintf(looked_at, sizeof(looked_at), "%s", text);
	for (size_t i = 0; i < list->count; i++) {
		const char *pattern = pattern_for(list->items[i], code);

		if (!pattern || !read_by(pattern, looked_at, &balance))
			continue;
		*balance_out = balance;
		return true;
	}
	return false;
}
