/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number_form.h"

#include <stdio.h>
#include <string.h>

enum { DIGITS_MOST = 20, WHOLE_LEAST = 10 };

struct digits {
	bool plus;
	size_t count;
	char text[DIGITS_MOST + 1];
};

static bool read_digits(const char *party, struct digits *digits)
{
	*digits = (struct digits){ .plus = *party == '+' };
	for (party += digits->plus; *party; party++) {
		if (strchr(" -./()", *party))
			continue;
		if (*party < '0' || *party > '9' || digits->count == DIGITS_MOST)
			return false;
		digits->text[digits->count++] = *party;
	}
	return digits->count > 0;
}

bool number_form_is_number(const char *party)
{
	struct digits digits;

	return read_digits(party, &digits);
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static void write_whole(const char *before, const char *digits,
			char form_out[NUMBER_FORM_BYTES])
{
	snprintf(form_out, NUMBER_FORM_BYTES, "+%s%s", before, digits);
}

/* What is dialled before a number of another country. */
static const char *international(const struct dial_plan *country)
{
	return country && strcmp(country->calling, "1") == 0 ? "011" : "00";
}

/* "36201234567": networks leave the + out. A national number would begin otherwise. */
static bool is_whole_without_plus(const struct digits *digits,
				  const struct dial_plan *country)
{
	return *country->national && digits->count >= WHOLE_LEAST &&
	       strcmp(country->calling, country->national) != 0 &&
	       starts_with(digits->text, country->calling);
}

static void write_national(const struct digits *digits, const struct dial_plan *country,
			   char form_out[NUMBER_FORM_BYTES])
{
	const char *text = digits->text;

	if (*country->national && starts_with(text, country->national))
		write_whole(country->calling, text + strlen(country->national), form_out);
	else if (is_whole_without_plus(digits, country))
		write_whole("", text, form_out);
	else
		write_whole(country->calling, text, form_out);
}

bool number_form_write(const char *party, const struct dial_plan *country,
		       char form_out[NUMBER_FORM_BYTES])
{
	const char *prefix = international(country);
	struct digits digits;

	if (!read_digits(party, &digits))
		return false;
	if (digits.plus)
		write_whole("", digits.text, form_out);
	else if (digits.count <= NUMBER_FORM_SHORT_MOST)
		strcpy(form_out, digits.text);
	else if (starts_with(digits.text, prefix))
		write_whole("", digits.text + strlen(prefix), form_out);
	else if (country)
		write_national(&digits, country, form_out);
	else
		strcpy(form_out, digits.text);
	return true;
}

bool number_form_is_short(const char *form)
{
	return *form != '+' && strlen(form) <= NUMBER_FORM_SHORT_MOST;
}

size_t number_form_spell(const char *form, const struct dial_plan *country,
			 char spellings_out[NUMBER_SPELLINGS][NUMBER_FORM_BYTES])
{
	size_t count = 0;

	snprintf(spellings_out[count++], NUMBER_FORM_BYTES, "%s", form);
	if (*form != '+')
		return count;
	snprintf(spellings_out[count++], NUMBER_FORM_BYTES, "%s%.20s",
		 international(country), form + 1);
	snprintf(spellings_out[count++], NUMBER_FORM_BYTES, "%s", form + 1);
	if (country && starts_with(form + 1, country->calling))
		snprintf(spellings_out[count++], NUMBER_FORM_BYTES, "%s%.20s",
			 country->national, form + 1 + strlen(country->calling));
	return count;
}
