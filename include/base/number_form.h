/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Number form: one spelling for each number, so that +36201234567, 0036201234567 and, for a
 * SIM card of Hungary, 06201234567 are seen to be the same (tests/unit/test_number_form.c).
 */
#ifndef BASE_NUMBER_FORM_H
#define BASE_NUMBER_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/dial_plan.h"

enum {
	NUMBER_FORM_BYTES = 32,
	NUMBER_FORM_SHORT_MOST = 6, /* digits of a short code */
	NUMBER_SPELLINGS = 4,
};

/* Digits with an optional "+" in front and separators in between: no sender's name. */
bool number_form_is_number(const char *party);

/*
 * "+" and all digits where that can be told, else the digits as they are: a short code, or
 * a national number when `country` is NULL. False: it is a name, or too long.
 */
bool number_form_write(const char *party, const struct dial_plan *country,
		       char form_out[NUMBER_FORM_BYTES]);

/* A number of so few digits that no phone has it. */
bool number_form_is_short(const char *form);

/*
 * How `form` may stand in messages: itself, with 00, without +, and as it is dialled within
 * `country` (NULL: not known). How many were written.
 */
size_t number_form_spell(const char *form, const struct dial_plan *country,
			 char spellings_out[NUMBER_SPELLINGS][NUMBER_FORM_BYTES]);

#endif
