/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phone number: turns what a person or model wrote into what oFono accepts.
 */
#pragma once

#include <stdbool.h>

enum { PHONE_NUMBER_BYTES = 24 };

enum phone_number_problem {
	PHONE_NUMBER_OK,
	PHONE_NUMBER_EMPTY,
	PHONE_NUMBER_CHARACTER, /* not a digit, leading "+" or separator */
	PHONE_NUMBER_SHORT,	/* fewer than 3 digits; 7 after "+" */
	PHONE_NUMBER_LONG,	/* more than 15 digits (E.164) */
	PHONE_NUMBER_COUNTRY,	/* "+0...": no country code begins with 0 */
	PHONE_NUMBER_BEGINNING, /* "-36...": a leading separator may be meant as + */
	PHONE_NUMBER_EXTENSION, /* "+36 20 123 4567/89", "ext. 5", ",1": cannot be texted */
	PHONE_NUMBER_TRUNK_ZERO, /* "(0)": both with and without it there is such a number */
};

/*
 * "+36 20 123-4567" -> "+36201234567". Removes spaces, "-", ".", "/", "(" and ")" between
 * digits, and what number_text_clean() does; a leading "00" stays. Writes only if PHONE_NUMBER_OK.
 */
enum phone_number_problem phone_number_parse(const char *written,
					     char number_out[PHONE_NUMBER_BYTES]);
const char *phone_number_problem_text(enum phone_number_problem problem);
