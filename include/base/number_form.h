/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Number form: one spelling for each number, so that +36201234567, 0036201234567 and, for a
 * SIM card of Hungary, 06201234567 are seen to be the same (tests/unit/test_number_form.c).
 * The store finds by it who is written to, and the policy what a number is.
 */
#ifndef BASE_NUMBER_FORM_H
#define BASE_NUMBER_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/country.h"

enum {
	NUMBER_FORM_BYTES = 32,
	NUMBER_FORM_SHORT_MOST = 6, /* digits of a short code */
	NUMBER_SPELLINGS = 5,
};

/* Digits with an optional "+" in front and separators in between: no sender's name. */
bool number_form_is_number(const char *party);

/*
 * "+" and all digits where that can be told, else the digits as they are: a short code, a
 * national number when `country` is NULL, a local one of North America. False: it is a name,
 * or too long.
 *
 * "36201234567" is whole, too, for networks leave the + out; unless a national number of that
 * country may begin like that, as 91... in India.
 */
bool number_form_write(const char *party, const struct country *country,
		       char form_out[NUMBER_FORM_BYTES]);

/* The same of how numbers may begin: "06" is no short code. "+" is itself. */
bool number_form_write_beginning(const char *party, const struct country *country,
				 char form_out[NUMBER_FORM_BYTES]);

/* A number of so few digits that no phone has it. */
bool number_form_is_short(const char *form);

/*
 * How `form`, which number_form_write() wrote, may stand in messages: itself, with 00, without
 * +, and as it is dialled within `country` (NULL: not known). How many were written.
 */
size_t number_form_spell(const char *form, const struct country *country,
			 char spellings_out[NUMBER_SPELLINGS][NUMBER_FORM_BYTES]);

#endif
