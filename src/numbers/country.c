/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "numbers/country.h"

#include <string.h>

#include "numbers/number_plans.h"

enum { CALLING_CODE_DIGITS_MOST = 3 };

size_t country_count(void)
{
	return plan_country_count;
}

const struct country *country_at(size_t place)
{
	return &plan_countries[place];
}

const struct country *country_of_iso(const char *code)
{
	for (size_t i = 0; i < plan_country_count; i++) {
		if (strcmp(plan_countries[i].code, code) == 0)
			return &plan_countries[i];
	}
	return NULL;
}

static const struct country *country_of_calling_code(unsigned code)
{
	size_t low = 0, high = plan_country_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (plan_countries[middle].calling_code < code)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == plan_country_count || plan_countries[low].calling_code != code)
		return NULL;
	return &plan_countries[low];
}

const struct country *country_of_digits(const char *digits, size_t *length_out)
{
	unsigned code = 0;

	if (*digits == '0')
		return NULL;
	for (size_t length = 1; length <= CALLING_CODE_DIGITS_MOST && *digits; length++) {
		const struct country *country;

		code = code * 10 + (unsigned)(*digits++ - '0');
		country = country_of_calling_code(code);
		if (!country)
			continue;
		*length_out = length;
		return country;
	}
	return NULL;
}

const struct country *country_next(const struct country *country)
{
	const struct country *next = country + 1;

	if (next == plan_countries + plan_country_count ||
	    next->calling_code != country->calling_code)
		return NULL;
	return next;
}

bool country_is_none(const struct country *country)
{
	return country->code[0] == '0';
}
