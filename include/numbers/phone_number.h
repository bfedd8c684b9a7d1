/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phone number: turns what a person or model wrote into what oFono accepts.
 */
#pragma once

#include <stdbool.h>

enum {
	PHONE_NUMBER_BYTES = 24,
	PHONE_NUMBER_WRITTEN_BYTES = 256, /* nothing longer is a number */
};

enum phone_number_problem {
	PHONE_NUMBER_OK,
	PHONE_NUMBER_EMPTY,
	PHONE_NUMBER_CHARACTER, /* not a digit, leading "+" or separator */
	PHONE_NUMBER_SHORT,	/* fewer than 3 digits; 7 after "+" */
	PHONE_NUMBER_LONG,	/* more than 15 digits (E.164) */
	PHONE_NUMBER_COUNTRY,	/* "+0...": no country code begins with 0 */
	PHONE_NUMBER_EXTENSION, /* "+36 1 234 5678 ext. 9", "/89" */
	PHONE_NUMBER_SEVERAL,	/* "+36201234567, +36301234567" */
	PHONE_NUMBER_BEGINNING, /* "-36...": a leading separator may be meant as + */
};

/*
 * "+36 20 123-4567" -> "+36201234567". Removes spaces, "-", ".", "/", "(" and ")" between
 * digits, "tel:" before them, and the optional 0 of "+44 (0)20"; a leading "00" stays. Spaces,
 * dashes and digits may be those of Unicode, and its invisible characters are left out, because
 * that is how numbers come out of web pages and address books. Writes only if PHONE_NUMBER_OK.
 */
enum phone_number_problem phone_number_parse(const char *written,
					     char number_out[PHONE_NUMBER_BYTES]);
/*
 * "+36-20*" -> "+3620": the beginning of the numbers that an entry of a list stands for; "*" -> "".
 * Returns false if it does not end with a *, or has something else than a beginning before it.
 */
bool phone_number_parse_beginning(const char *written,
				  char beginning_out[PHONE_NUMBER_BYTES]);
/*
 * Can a message come from it: is it a number, even one too short to be dialled, or may it be the
 * name of a sender?
 */
bool phone_number_may_send(const char *text);
/*
 * Only the characters: those of Unicode become plain ones, invisible ones and the spaces and line
 * ends around the text go, and others stay. Works in place, also for names and several numbers.
 */
void phone_number_simplify(char *text);
/*
 * Blanks the "(0)" behind a calling code, which is not dialled from abroad: "+44 (0)20", but not
 * "+39 (0)6", nor where only the number with the 0 is one: "+267 (0)800 012 345". Works in place.
 */
void phone_number_remove_trunk_zero(char *number);
const char *phone_number_problem_text(enum phone_number_problem problem);
