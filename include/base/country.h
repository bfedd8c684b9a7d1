/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Country: what a SIM's country says of numbers: how they are dialled, which cost extra,
 * which reach the police.
 */
#ifndef BASE_COUNTRY_H
#define BASE_COUNTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct country {
	uint16_t mobile_first; /* mobile country codes of its SIMs; 0 ends the table */
	uint16_t mobile_last;
	const char *codes;     /* calling codes, blanks between */
	uint8_t own_code_most; /* digits of a national number that begins like that; 0 none */
	const char *trunk;  /* in front of a national number, blanks between; NULL none */
	const char *abroad; /* ... of an international one, the usual first; NULL: 00 */
	const char *premium;   /* beginnings of national numbers that may cost extra */
	const char *emergency; /* besides those of every country */
};

extern const struct country country_table[];

enum { COUNTRY_CODE_BYTES = 8 }; /* of a calling code, or a trunk prefix */

/* 216, or "216" -> the country; NULL: none that we know. */
const struct country *country_find(unsigned mobile_code);
const struct country *country_of_mobile_code(const char *mobile_code);

/*
 * Whose calling code the digits of an international number begin with, the longest one that
 * fits; *length_out: of that code. NULL: nobody's. Of several countries with one code the
 * first stands for all.
 */
const struct country *country_of_digits(const char *digits, size_t *length_out);

/* Do the digits begin with a calling code of this country, as the longest that fits? */
bool country_has_digits(const struct country *country, const char *digits);

/* Its calling code: "36"; "1" of all countries of the North American plan. */
void country_calling_code(const struct country *country,
			  char code_out[COUNTRY_CODE_BYTES]);
/* "00", or what is dialled in its place. NULL: of a country that is not known. */
void country_abroad(const struct country *country, char abroad_out[COUNTRY_CODE_BYTES]);
/* How much of the digits is dialled in front of a national number; 0: nothing. */
size_t country_trunk_length(const struct country *country, const char *digits);

#endif
