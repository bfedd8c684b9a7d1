/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/country.h"

#include <stdlib.h>
#include <string.h>

#include "base/word_list.h"

const struct country *country_find(unsigned mobile_code)
{
	for (const struct country *country = country_table; country->mobile_first;
	     country++) {
		if (mobile_code >= country->mobile_first &&
		    mobile_code <= country->mobile_last)
			return country;
	}
	return NULL;
}

const struct country *country_of_mobile_code(const char *mobile_code)
{
	return country_find((unsigned)atoi(mobile_code));
}

static bool begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

/*
 * The length of the longest code of this country that fits; 0 none. Looked for among all
 * countries with each message, so it goes by letters: in the table one blank is between
 * two codes, and those of one country begin alike.
 */
static size_t longest_code(const struct country *country, const char *digits)
{
	const char *at = country->codes;
	size_t longest = 0;

	if (*at != *digits)
		return 0;

	while (*at) {
		size_t length = 0;

		while (at[length] == digits[length] && digits[length])
			length++;
		at += length;
		if ((*at == ' ' || !*at) && length > longest)
			longest = length;
		while (*at && *at++ != ' ')
			;
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

void country_calling_code(const struct country *country,
			  char code_out[COUNTRY_CODE_BYTES])
{
	const char *codes = country->codes;

	if (*codes == '1') /* what follows is the area, which stands in the number */
		strcpy(code_out, "1");
	else
		word_list_next(&codes, code_out, COUNTRY_CODE_BYTES);
}

void country_abroad(const struct country *country, char abroad_out[COUNTRY_CODE_BYTES])
{
	const char *at = country ? country->abroad : NULL;

	if (!at || !word_list_next(&at, abroad_out, COUNTRY_CODE_BYTES))
		strcpy(abroad_out, "00");
}

size_t country_trunk_length(const struct country *country, const char *digits)
{
	const char *at = country->trunk;
	char trunk[COUNTRY_CODE_BYTES];

	while (at && word_list_next(&at, trunk, sizeof(trunk))) {
		if (begins_with(digits, trunk))
			return strlen(trunk);
	}
	return 0;
}
