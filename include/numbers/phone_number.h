/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phone number: from what a person or model wrote to what oFono takes.
 */
#ifndef NUMBERS_PHONE_NUMBER_H
#define NUMBERS_PHONE_NUMBER_H

#include <stdbool.h>

enum { PHONE_NUMBER_BYTES = 24 };

enum phone_number_problem {
	PHONE_NUMBER_OK,
	PHONE_NUMBER_EMPTY,
	PHONE_NUMBER_CHARACTER, /* something that is no digit, "+" in front or separator */
	PHONE_NUMBER_SHORT,	/* fewer than 3 digits; 7 after "+" */
	PHONE_NUMBER_LONG,	/* more than 15 digits (E.164) */
	PHONE_NUMBER_COUNTRY,	/* "+0...": no country code begins with 0 */
	PHONE_NUMBER_BEGINNING, /* "-36...": a separator in front may be meant as + */
};

/*
 * "+36 20 123-4567" -> "+36201234567". Blanks, "-", ".", "/", "(" and ")" between digits are
 * taken out; a leading "00" stays. Written only when PHONE_NUMBER_OK.
 */
enum phone_number_problem phone_number_parse(const char *written,
					     char number_out[PHONE_NUMBER_BYTES]);
const char *phone_number_problem_text(enum phone_number_problem problem);

#endif
