/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number_form.h"

#include <string.h>

#include "base/word_list.h"

enum {
	DIGITS_MOST = 20,
	WHOLE_LEAST = 10,
	AMERICAN_DIGITS = 10,
	CALLING_CODE_DIGITS_MOST = 3, /* where a trunk prefix begins with 0 */
};

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

/* A code or a prefix, and digits: with each message some twenty times. */
static void join(char *out, const char *before, const char *digits)
{
	stpcpy(stpcpy(out, before), digits);
}

static bool write_whole(const char *before, const char *digits,
			char form_out[NUMBER_FORM_BYTES])
{
	form_out[0] = '+';
	join(form_out + 1, before, digits);
	return true;
}

/* What is dialled before a number of another country; 00 is understood everywhere. */
static size_t abroad_length(const char *digits, const struct country *country)
{
	const char *at = country ? country->abroad : NULL;
	char abroad[COUNTRY_CODE_BYTES];

	while (at && word_list_next(&at, abroad, sizeof(abroad))) {
		if (starts_with(digits, abroad))
			return strlen(abroad);
	}
	return starts_with(digits, "00") ? 2 : 0;
}

/* Whose number it is; the country of the card, as most are, without a look at all others. */
static const struct country *country_of_form(const char *form, const struct country *home,
					     size_t *length_out)
{
	char code[COUNTRY_CODE_BYTES];

	if (home) {
		country_calling_code(home, code);
		*length_out = strlen(code);
		if (starts_with(form + 1, code) && *code != '1')
			return home;
	}
	return country_of_digits(form + 1, length_out);
}

/*
 * "+44 (0)20 ...": where a 0 is dialled in front of national numbers none begins with it, so
 * behind the calling code it stands for nothing. Every number comes by here; few have a 0
 * where that could be.
 */
static bool drop_one_trunk(const struct country *home, char form[NUMBER_FORM_BYTES])
{
	const struct country *country;
	char *national;
	size_t length;

	if (*form != '+' || strcspn(form + 1, "0") > CALLING_CODE_DIGITS_MOST)
		return false;
	country = country_of_form(form, home, &length);
	national = form + 1 + length;
	if (!country || *national != '0')
		return false;
	length = country_trunk_length(country, national);
	if (!length || !national[length])
		return false;
	memmove(national, national + length, strlen(national + length) + 1);
	return true;
}

/* However often it stands there: the form of a form is itself. */
static void drop_trunk(const struct country *home, char form[NUMBER_FORM_BYTES])
{
	while (drop_one_trunk(home, form))
		;
}

/* Networks leave the + out. */
static bool is_whole_without_plus(const struct digits *digits,
				  const struct country *country, const char *code)
{
	return digits->count >= WHOLE_LEAST && digits->count > country->own_code_most &&
	       starts_with(digits->text, code);
}

/* In the North American plan the area stands in the number: a local one tells nothing. */
static bool is_american_local(const char *code, const char *national)
{
	return strcmp(code, "1") == 0 && strlen(national) != AMERICAN_DIGITS;
}

/* False: it cannot be told. */
static bool write_national(const struct digits *digits, bool is_beginning,
			   const struct country *country,
			   char form_out[NUMBER_FORM_BYTES])
{
	size_t trunk = country_trunk_length(country, digits->text);
	const char *national = digits->text + trunk;
	char code[COUNTRY_CODE_BYTES];

	country_calling_code(country, code);
	if (is_american_local(code, national) ||
	    strlen(code) + strlen(national) > DIGITS_MOST)
		return false;
	if (!trunk && !is_beginning && strcmp(code, "1") != 0 &&
	    is_whole_without_plus(digits, country, code))
		return write_whole("", digits->text, form_out);
	return write_whole(code, national, form_out);
}

bool number_form_is_short(const char *form)
{
	return *form != '+' && strlen(form) <= NUMBER_FORM_SHORT_MOST;
}

static bool write_form(const char *party, bool is_beginning,
		       const struct country *country, char form_out[NUMBER_FORM_BYTES])
{
	struct digits digits;
	size_t abroad;
	bool is_short;

	if (!read_digits(party, &digits) && !(is_beginning && strcmp(party, "+") == 0))
		return false;
	abroad = abroad_length(digits.text, country);
	is_short = !is_beginning && number_form_is_short(digits.text) &&
		   !(starts_with(digits.text, "00") && digits.count > abroad);
	if (digits.plus)
		return write_whole("", digits.text, form_out);
	if (!is_short && abroad)
		return write_whole("", digits.text + abroad, form_out);
	if (is_short || !country ||
	    !write_national(&digits, is_beginning, country, form_out))
		strcpy(form_out, digits.text);
	return true;
}

bool number_form_write(const char *party, const struct country *country,
		       char form_out[NUMBER_FORM_BYTES])
{
	if (!write_form(party, false, country, form_out))
		return false;
	drop_trunk(country, form_out);
	return true;
}

bool number_form_write_beginning(const char *party, const struct country *country,
				 char form_out[NUMBER_FORM_BYTES])
{
	if (!write_form(party, true, country, form_out))
		return false;
	drop_trunk(country, form_out);
	return true;
}

/* With each of what may be dialled in front of it. */
static size_t spell_national(const char *national, const struct country *country,
			     char (*spellings_out)[NUMBER_FORM_BYTES], size_t room)
{
	const char *at = country->trunk;
	char trunk[COUNTRY_CODE_BYTES];
	size_t count = 0;

	if (!at) {
		join(spellings_out[0], "", national);
		return 1;
	}
	while (count < room && word_list_next(&at, trunk, sizeof(trunk)))
		join(spellings_out[count++], trunk, national);
	return count;
}

size_t number_form_spell(const char *form, const struct country *country,
			 char spellings_out[NUMBER_SPELLINGS][NUMBER_FORM_BYTES])
{
	char code[COUNTRY_CODE_BYTES];
	size_t count = 0;

	join(spellings_out[count++], "", form);
	if (*form != '+')
		return count;
	country_abroad(country, code);
	join(spellings_out[count++], code, form + 1);
	join(spellings_out[count++], "", form + 1);
	if (!country)
		return count;
	country_calling_code(country, code);
	if (starts_with(form + 1, code))
		count += spell_national(form + 1 + strlen(code), country,
					spellings_out + count, NUMBER_SPELLINGS - count);
	return count;
}
