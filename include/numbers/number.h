/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Number: reads a phone number in any spelling. Gives its form (one for all spellings), its
 * country, and whether it costs extra, by libphonenumber's metadata.
 *
 * +36201234567, 0036201234567 and, with a Hungarian SIM, 06201234567 have the form
 * +36201234567. tests/numbers compares more than a million numbers with the library.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "numbers/country.h"

enum {
	NUMBER_FORM_BYTES = 32,
	NUMBER_SHORT_MOST = 6, /* digits of a short code */
	NUMBER_SPELLINGS = 5,
};

enum number_spelling {
	NUMBER_UNPLACED, /* national, of an unknown country */
	NUMBER_SHORT,	 /* a short code */
	NUMBER_PLUS,	 /* + and country code */
	NUMBER_ABROAD,	 /* 00, or the country's own international prefix */
	NUMBER_NATIONAL, /* as dialled within the country */
	NUMBER_BARE,	 /* understood, but nobody dials it so: "36201234567" */
};

enum number_cost {
	NUMBER_INVALID, /* not a valid number: its cost is unknown */
	NUMBER_USUAL,
	NUMBER_PREMIUM,
	NUMBER_SHARED, /* shared cost */
};

struct number {
	enum number_spelling spelling;
	/* NULL if unknown. */
	const struct country *country;
	enum number_cost cost;
	/* Premium or shared cost, or an invalid number that begins like one. */
	bool costs_extra;
	/* "+" and all digits if the country is known, else the digits as given. */
	char form[NUMBER_FORM_BYTES];
	size_t national_at; /* where the national number begins in `form` */
};

/* `home` is the SIM's country, or NULL if unknown. Returns false if it is a name, or too long. */
bool number_read(const char *text, const struct country *home, struct number *number_out);

/* Does it have digits with an optional leading "+" and separators, unlike a sender's name? */
bool number_is_number(const char *text);

/* Writes only the form. */
bool number_form(const char *text, const struct country *home,
		 char form_out[NUMBER_FORM_BYTES]);

/* Writes the form of a prefix of numbers: "06" is no short code, and "+" is itself. */
bool number_form_beginning(const char *text, const struct country *home,
			   char form_out[NUMBER_FORM_BYTES]);

/* Has the form too few digits for a subscriber? */
bool number_is_short(const char *form);

/*
 * Is it a valid number of this country? Some belong to several: +1 800 to all countries with
 * that calling code. `form` comes from number_read().
 */
bool number_is_of(const char *form, const struct country *country);

/*
 * Writes how messages may spell `form`: itself, with 00, without +, and as dialled within `home`
 * (NULL if unknown). Returns the number of spellings.
 */
size_t number_spell(const char *form, const struct country *home,
		    char spellings_out[NUMBER_SPELLINGS][NUMBER_FORM_BYTES]);

/* Writes `text` itself if it is one of number_spell(), else its form. */
bool number_tidy(const char *text, const struct country *home,
		 char number_out[NUMBER_FORM_BYTES]);

/*
 * Suggests the international spelling of a number that was refused: "+36201234567". Returns false
 * if there is none.
 */
bool number_suggest(const char *text, const struct country *home,
		    char number_out[NUMBER_FORM_BYTES]);

/* Returns `digits` as dialled in this country (NULL if unknown). */
bool number_is_emergency(const char *digits, const struct country *country);
/* Returns true also when more digits follow an emergency number. */
bool number_begins_as_emergency(const char *digits, const struct country *country);
bool number_is_short_premium(const char *digits, const struct country *country);
