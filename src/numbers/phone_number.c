/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "numbers/phone_number.h"

#include <string.h>

#include "numbers/number_text.h"

enum {
	DIGITS_LEAST = 3, /* short codes */
	DIGITS_LEAST_INTERNATIONAL = 7,
	DIGITS_MOST = 15,	   /* E.164 */
	DIGITS_MOST_PREFIXED = 17, /* with "00" in front */
};

_Static_assert(1 + DIGITS_MOST_PREFIXED < PHONE_NUMBER_BYTES, "a number fits");

/* Completed by the next step, with an example, in base/failure.c. */
static const char *const phone_number_texts[] = {
	[PHONE_NUMBER_OK] = "is a phone number",
	[PHONE_NUMBER_EMPTY] = "is empty",
	[PHONE_NUMBER_CHARACTER] = "has a character that is not a digit",
	[PHONE_NUMBER_SHORT] =
		"is too short: a number with + has at least 7 digits, a short code 3",
	[PHONE_NUMBER_LONG] = "is too long: a number has at most 15 digits",
	[PHONE_NUMBER_COUNTRY] =
		"has 0 after the +: write no +, or the country in place of the 0",
	[PHONE_NUMBER_BEGINNING] = "begins with a separator, which is not a +",
	[PHONE_NUMBER_EXTENSION] =
		"is followed by an extension, a pause or another number: give one number "
		"alone",
	[PHONE_NUMBER_TRUNK_ZERO] =
		"has a (0) that may or may not be dialled: write it without parentheses, "
		"or leave it out",
};

struct phone_number_digits {
	bool plus;
	size_t count; /* all, including those that do not fit `text` */
	char text[DIGITS_MOST_PREFIXED + 1];
};

/* False: an invalid character. */
static bool phone_number_add(struct phone_number_digits *digits, char character)
{
	if (character >= '0' && character <= '9') {
		if (digits->count < DIGITS_MOST_PREFIXED)
			digits->text[digits->count] = character;
		digits->count++;
		return true;
	}
	if (character == '+' && !digits->plus && !digits->count) {
		digits->plus = true;
		return true;
	}
	return strchr(" -./()", character) != NULL;
}

/* Only a space or "(" may precede a number. */
static bool phone_number_begins_well(const char *written)
{
	written += strspn(written, " (");
	return !*written || !strchr("-./)", *written);
}

static enum phone_number_problem phone_number_check(
	const struct phone_number_digits *digits)
{
	bool prefixed = !digits->plus && digits->text[0] == '0' && digits->text[1] == '0';

	if (!digits->plus && !digits->count)
		return PHONE_NUMBER_EMPTY;
	if (digits->plus && digits->text[0] == '0')
		return PHONE_NUMBER_COUNTRY;
	if (digits->count < (digits->plus ? DIGITS_LEAST_INTERNATIONAL : DIGITS_LEAST))
		return PHONE_NUMBER_SHORT;
	if (digits->count > (prefixed ? DIGITS_MOST_PREFIXED : DIGITS_MOST))
		return PHONE_NUMBER_LONG;
	return PHONE_NUMBER_OK;
}

enum phone_number_problem phone_number_parse(const char *written,
					     char number_out[PHONE_NUMBER_BYTES])
{
	struct phone_number_digits digits = { 0 };
	char text[NUMBER_TEXT_BYTES];
	enum phone_number_problem problem = number_text_clean(written, text);

	if (problem != PHONE_NUMBER_OK)
		return problem;
	for (const char *at = text; *at; at++) {
		if (!phone_number_add(&digits, *at))
			return PHONE_NUMBER_CHARACTER;
	}
	problem = phone_number_check(&digits);
	if (problem == PHONE_NUMBER_OK && !phone_number_begins_well(text))
		problem = PHONE_NUMBER_BEGINNING;
	if (problem != PHONE_NUMBER_OK)
		return problem;
	if (digits.plus)
		*number_out++ = '+';
	memcpy(number_out, digits.text, digits.count + 1);
	return PHONE_NUMBER_OK;
}

const char *phone_number_problem_text(enum phone_number_problem problem)
{
	return phone_number_texts[problem];
}
