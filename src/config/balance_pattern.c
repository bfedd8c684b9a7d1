/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line is split at its first space into code and pattern. Patterns are compiled for each
 * answer: an answer takes seconds to arrive, and compiled patterns would take memory for
 * ever.
 */
#include "config/balance_pattern.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/explanation.h"
#include "base/utf8.h"
#include "config/config_list.h"
#include "config/ussd_code.h"

enum { BALANCE_PATTERN_GROUPS_MAX = 2, BALANCE_PATTERN_FLAW_BYTES = 128 };

/* Splits "CODE PATTERN" and returns the pattern; NULL if it is not such a line. */
static const char *balance_pattern_split(const char *line, char code[USSD_CODE_BYTES])
{
	size_t length = strcspn(line, " \t");
	const char *pattern = line + length + strspn(line + length, " \t");

	if (length >= USSD_CODE_BYTES || !*pattern)
		return NULL;
	memcpy(code, line, length);
	code[length] = '\0';
	return pattern;
}

static bool balance_pattern_may_be_slow(const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern == '{')
			return true;
		if (*pattern == '\\' && *++pattern >= '0' && *pattern <= '9')
			return true;
		if (!*pattern)
			break; /* regcomp() reports a backslash at the end */
	}
	return false;
}

/* Returns NULL, or what is wrong with the line; `text` may hold it. */
static const char *balance_pattern_line_flaw(const char *line,
					     char text[BALANCE_PATTERN_FLAW_BYTES])
{
	char code[USSD_CODE_BYTES];
	const char *pattern = balance_pattern_split(line, code);
	regex_t compiled;
	size_t groups;
	int result;

	if (!pattern)
		return "it needs a code, a space and a pattern";
	if (!ussd_code_is_valid(code) || ussd_code_is_mmi(code))
		return "it does not begin with a code that can be dialled, such as *100#";
	if (balance_pattern_may_be_slow(pattern))
		return "it must not use { } or \\1 to \\9, which can take very long";
	result = regcomp(&compiled, pattern, REG_EXTENDED);
	if (result) {
		regerror(result, &compiled, text, BALANCE_PATTERN_FLAW_BYTES);
		return text;
	}
	groups = compiled.re_nsub;
	regfree(&compiled);
	if (groups == 0 || groups > BALANCE_PATTERN_GROUPS_MAX)
		return "it needs one group ( ) around the amount, and may have one around the currency";
	return NULL;
}

int balance_pattern_check_list(const struct config_list *list, struct explanation *error)
{
	char text[BALANCE_PATTERN_FLAW_BYTES];

	for (size_t i = 0; i < list->count; i++) {
		const char *flaw = balance_pattern_line_flaw(list->items[i], text);

		if (flaw)
			return explanation_set(error, -EINVAL,
					       "ussd.balance_pattern: \"%s\": %s",
					       list->items[i], flaw);
	}
	return 0;
}

/* Returns the pattern of a line for this code; NULL if the line is for another code. */
static const char *balance_pattern_for(const char *line, const char *code)
{
	char line_code[USSD_CODE_BYTES];
	const char *pattern = balance_pattern_split(line, line_code);

	return pattern && strcmp(line_code, code) == 0 ? pattern : NULL;
}

bool balance_pattern_has(const struct config_list *list, const char *code)
{
	for (size_t i = 0; i < list->count; i++) {
		if (balance_pattern_for(list->items[i], code))
			return true;
	}
	return false;
}

/*
 * A currency has only ASCII letters, '$', '.' and visible characters beyond ASCII: it is no
 * sentence and no code.
 */
static bool balance_pattern_is_currency(const char *text)
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

/* Returns "" if the group is empty or not a currency. */
static void balance_pattern_read_currency(const char *text, const regmatch_t *group,
					  char currency[BALANCE_CURRENCY_BYTES])
{
	size_t length = (size_t)(group->rm_eo - group->rm_so);

	*currency = '\0';
	if (group->rm_so < 0 || length >= BALANCE_CURRENCY_BYTES ||
	    !utf8_valid(text + group->rm_so, length))
		return;
	memcpy(currency, text + group->rm_so, length);
	currency[length] = '\0';
	if (!balance_pattern_is_currency(currency))
		*currency = '\0';
}

/*
 * regexec() matches bytes, so a set such as [-0-9\xe2\x88\x92] also takes the first byte of
 * \xe2\x82\xac. Moves an offset within a character back to its start.
 */
static regoff_t balance_pattern_align(const char *text, regoff_t at)
{
	while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
		at--;
	return at;
}

static bool balance_pattern_match(const char *pattern, const char *text,
				  struct balance *balance)
{
	regmatch_t groups[BALANCE_PATTERN_GROUPS_MAX + 1];
	regex_t compiled;
	int result;

	if (regcomp(&compiled, pattern, REG_EXTENDED))
		return false;
	result = regexec(&compiled, text, BALANCE_PATTERN_GROUPS_MAX + 1, groups, 0);
	regfree(&compiled);
	if (result)
		return false;
	for (int i = 1; i <= BALANCE_PATTERN_GROUPS_MAX; i++) {
		if (groups[i].rm_so < 0)
			continue;
		groups[i].rm_so = balance_pattern_align(text, groups[i].rm_so);
		groups[i].rm_eo = balance_pattern_align(text, groups[i].rm_eo);
	}
	for (int i = 1; i <= BALANCE_PATTERN_GROUPS_MAX; i++) {
		const regmatch_t *other = &groups[BALANCE_PATTERN_GROUPS_MAX + 1 - i];

		if (groups[i].rm_so < 0 ||
		    !amount_read(text + groups[i].rm_so,
				 (size_t)(groups[i].rm_eo - groups[i].rm_so),
				 &balance->amount))
			continue;
		balance_pattern_read_currency(text, other, balance->currency);
		return true;
	}
	return false;
}

bool balance_pattern_read(const struct config_list *list, const char *code,
			  const char *text, struct balance *balance_out)
{
	char searched[BALANCE_TEXT_BYTES];
	struct balance balance = { 0 };

	snprintf(searched, sizeof(searched), "%s", text);
	for (size_t i = 0; i < list->count; i++) {
		const char *pattern = balance_pattern_for(list->items[i], code);

		if (!pattern || !balance_pattern_match(pattern, searched, &balance))
			continue;
		*balance_out = balance;
		return true;
	}
	return false;
}
