/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/country.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/word_list.h"

enum { CODE_BYTES = 8, AMERICAN_DIGITS = 10 };

const struct country *country_of_mobile_code(const char *mobile_code)
{
	int code = atoi(mobile_code);

	for (const struct country *country = country_table; country->mobile_first;
	     country++) {
		if (code >= country->mobile_first && code <= country->mobile_last)
			return country;
	}
	return NULL;
}

static bool begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* The length of the longest code of this country that fits; 0 none. */
static size_t longest_code(const struct country *country, const char *digits)
{
	const char *at = country->codes;
	char code[CODE_BYTES];
	size_t longest = 0;

	while (word_list_next(&at, code, sizeof(code))) {
		if (begins_with(digits, code) && strlen(code) > longest)
			longest = strlen(code);
	}
	return longest;
}

const struct country *country_of_digits(const char *digits, size_t *length_out)
{
	const struct country *found = NULL;
	size_t longest = 0;

	for (const struct country *country = country_table; country->mobile_first;
	     country++) {
		size_t length = longest_code(country, digits);

		if (length > longest) {
			longest = length;
			found = country;
		}
	}
	*length_out = longest;
	return found;
}

bool country_has_digits(const struct country *country, const char *digits)
{
	size_t length;

	return country_of_digits(digits, &length) &&
	       longest_code(country, digits) == length;
}

static bool put(char digits_out[COUNTRY_DIGITS_BYTES], const char *code, const char *rest)
{
	return snprintf(digits_out, COUNTRY_DIGITS_BYTES, "%s%s", code, rest) <
	       COUNTRY_DIGITS_BYTES;
}

/* In the North American plan the area stands in the number: a local one tells nothing. */
static bool dial_american(const char *national, char digits_out[COUNTRY_DIGITS_BYTES])
{
	return strlen(national) == AMERICAN_DIGITS && put(digits_out, "1", national);
}

bool country_dial(const struct country *home, const char *number,
		  char digits_out[COUNTRY_DIGITS_BYTES])
{
	const char *abroad = home && home->abroad ? home->abroad : "00";
	const char *trunk = home && home->trunk ? home->trunk : "";
	char code[CODE_BYTES];
	const char *codes;

	if (*number == '+')
		return put(digits_out, "", number + 1);
	if (begins_with(number, abroad))
		return put(digits_out, "", number + strlen(abroad));
	if (begins_with(number, "00"))
		return put(digits_out, "", number + 2);
	if (!home)
		return false;
	if (begins_with(number, trunk))
		number += strlen(trunk);
	codes = home->codes;
	if (*codes == '1')
		return dial_american(number, digits_out);
	return word_list_next(&codes, code, sizeof(code)) &&
	       put(digits_out, code, number);
}
