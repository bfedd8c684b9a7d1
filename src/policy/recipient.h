/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recipient: a phone number as somebody wrote it, and what the policy has to know of it, seen
 * from the country of the SIM that it is dialled from.
 */
#ifndef POLICY_RECIPIENT_H
#define POLICY_RECIPIENT_H

#include "numbers/number.h"
#include "numbers/phone_number.h"

struct recipient {
	enum phone_number_problem problem; /* other than OK: the rest is empty */
	char number[PHONE_NUMBER_BYTES];   /* without separators */
	bool is_short;			   /* a short code */
	const struct country *home;	   /* of the SIM; NULL not known */
	struct number read;
};

/* `written` NULL: of none in particular, which is PHONE_NUMBER_EMPTY. */
void recipient_read(struct recipient *recipient, const char *written,
		    const struct country *home);

/* "+36201234567": its one form, where it has one; else the digits as they were written. */
const char *recipient_form(const struct recipient *recipient);

/*
 * Written with + or 00, a short code, or as it is dialled in the SIM's country. `suggestion`
 * is then what to write instead, "" when nobody can tell.
 */
bool recipient_is_well_spelt(const struct recipient *recipient,
			     char suggestion_out[NUMBER_FORM_BYTES]);

/* `ofono_numbers`: more of them, blanks between. In any form that reaches the desk. */
bool recipient_is_emergency(const struct recipient *recipient, const char *ofono_numbers);
/* A call may reach it all the same: emergency digits, and some more. */
bool recipient_begins_as_emergency(const struct recipient *recipient);
/* Premium rate, shared cost, a short code: it may cost extra. */
bool recipient_is_premium(const struct recipient *recipient);
/* ... in words: "a premium number". */
const char *recipient_premium_kind(const struct recipient *recipient);
/* A national number counts as home; one that is international and cannot be placed not. */
bool recipient_is_at_home(const struct recipient *recipient);
/* Of no country: a satellite phone, or a service that costs much more than any country. */
bool recipient_has_no_country(const struct recipient *recipient);
/* Does it begin with these digits, behind the +? */
bool recipient_begins_with(const struct recipient *recipient, const char *digits);

/*
 * Does one of the words stand for it: a number in any form, or a prefix with *? National ones
 * are meant as dialled in the country of the SIM.
 */
bool recipient_is_in(const struct recipient *recipient, const char *words);
/* ... or in this country, whatever SIM it is. */
bool recipient_is_in_as_dialled_in(const struct recipient *recipient, const char *words,
				   const struct country *country);
/* ... a whole number, no prefix. */
bool recipient_is_named_in(const struct recipient *recipient, const char *words);

#endif
