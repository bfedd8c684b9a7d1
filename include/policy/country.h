/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Country: what a SIM's country says of numbers: how they are dialled, which cost extra,
 * which reach the police.
 */
#ifndef POLICY_COUNTRY_H
#define POLICY_COUNTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct country {
	uint16_t mobile_first; /* mobile country codes of its SIMs; 0 ends the table */
	uint16_t mobile_last;
	const char *codes;     /* calling codes, blanks between */
	const char *trunk;     /* in front of a national number; NULL none */
	const char *abroad;    /* in front of an international one; NULL: 00 */
	const char *premium;   /* beginnings of national numbers that may cost extra */
	const char *emergency; /* besides those of every country */
};

extern const struct country country_table[];

/* "216" -> the country; NULL: none that we know. */
const struct country *country_of_mobile_code(const char *mobile_code);

/*
 * Whose calling code the digits of an international number begin with, the longest one that
 * fits; *length_out: of that code. NULL: nobody's. Of several countries with one code the
 * first stands for all.
 */
const struct country *country_of_digits(const char *digits, size_t *length_out);

/* Do the digits begin with a calling code of this country, as the longest that fits? */
bool country_has_digits(const struct country *country, const char *digits);

enum { COUNTRY_DIGITS_BYTES = 40 };

/*
 * Digits from the calling code on, of a number that is dialled from this country (NULL: not
 * known). False: it cannot be told; a short code has none.
 */
bool country_dial(const struct country *home, const char *number,
		  char digits_out[COUNTRY_DIGITS_BYTES]);

#endif
