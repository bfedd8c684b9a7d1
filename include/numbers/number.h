/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Number: a phone number as somebody wrote it, and what libphonenumber knows of it: one form
 * for every spelling, the country, and whether it costs extra.
 *
 * +36201234567, 0036201234567 and, for a SIM card of Hungary, 06201234567 have the form
 * +36201234567. tests/numbers compares all this with the library, over a million numbers.
 */
#ifndef NUMBERS_NUMBER_H
#define NUMBERS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "numbers/country.h"

enum {
	NUMBER_FORM_BYTES = 32,
	NUMBER_SHORT_MOST = 6, /* digits of a short code */
	NUMBER_SPELLINGS = 5,
};

enum number_spelling {
	NUMBER_UNPLACED, /* cannot be told: national, and of which country is not known */
	NUMBER_SHORT,	 /* a short code */
	NUMBER_PLUS,	 /* + and country code */
	NUMBER_ABROAD,	 /* 00, or what the country dials in its place */
	NUMBER_NATIONAL, /* as it is dialled within the country */
	NUMBER_BARE,	 /* understood, but dialled like that nowhere: "36201234567" */
};

enum number_cost {
	NUMBER_INVALID, /* no valid number: what it costs is not known */
	NUMBER_USUAL,
	NUMBER_PREMIUM,
	NUMBER_SHARED, /* shared cost */
};

struct number {
	enum number_spelling spelling;
	/* Of the number; NULL: of none that is known. */
	const struct country *country;
	enum number_cost cost;
	/* Valid or not: premium or shared cost, or begins like a number that is. */
	bool costs_extra;
	/* "+" and all digits where that can be told, else the digits as they are. */
	char form[NUMBER_FORM_BYTES];
	size_t national_at; /* place of the national number in `form` */
};

/* `home`: of the SIM, NULL not known. False: it is a name, or too long. */
bool number_read(const char *text, const struct country *home, struct number *number_out);

/* Digits with an optional "+" in front and separators in between: no sender's name. */
bool number_is_number(const char *text);

/* The form alone. */
bool number_form(const char *text, const struct country *home,
		 char form_out[NUMBER_FORM_BYTES]);

/* The same of how numbers may begin: "06" is no short code. "+" is itself. */
bool number_form_beginning(const char *text, const struct country *home,
			   char form_out[NUMBER_FORM_BYTES]);

/* A number of so few digits that no phone has it. */
bool number_is_short(const char *form);

/*
 * Is it a valid number of this country? Some are of several: +1 800 of all that share that
 * calling code. `form` as number_read() wrote it.
 */
bool number_is_of(const char *form, const struct country *country);

/*
 * How `form` may stand in messages: itself, with 00, without +, and as it is dialled within
 * `home` (NULL: not known). How many were written.
 */
size_t number_spell(const char *form, const struct country *home,
		    char spellings_out[NUMBER_SPELLINGS][NUMBER_FORM_BYTES]);

/* The number itself when number_spell() writes it so, else its form. */
bool number_tidy(const char *text, const struct country *home,
		 char number_out[NUMBER_FORM_BYTES]);

/*
 * How a number that may not be written so has to be written: "+36201234567". False: nobody
 * can tell.
 */
bool number_suggest(const char *text, const struct country *home,
		    char number_out[NUMBER_FORM_BYTES]);

/* Digits as they are dialled, in this country (NULL: none). */
bool number_is_emergency(const char *digits, const struct country *country);
/* ... also when more digits follow. */
bool number_begins_as_emergency(const char *digits, const struct country *country);
bool number_is_short_premium(const char *digits, const struct country *country);
/* Of any length: Italy has short codes of seven digits. */
bool number_is_short_code(const char *digits, const struct country *country);

#endif
