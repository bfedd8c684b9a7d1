/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recipient: a number as somebody wrote it, and what can be told of it from the country of
 * the SIM that it is dialled from.
 */
#ifndef POLICY_RECIPIENT_H
#define POLICY_RECIPIENT_H

#include "base/config.h"
#include "base/number_form.h"
#include "text/phone_number.h"

struct recipient {
	enum phone_number_problem problem; /* other than OK: the rest is empty */
	char number[PHONE_NUMBER_BYTES];   /* as oFono is given it */
	bool is_short;			   /* 3 to 6 digits: a short code */
	const struct country *home;	   /* of the SIM; NULL not known */
	char digits[NUMBER_FORM_BYTES];	   /* from the calling code on; "" not known */
	const struct country *country;	   /* of these; NULL nobody's */
	const char *national;		   /* ... behind the calling code */
};

/* `written` NULL: of none in particular, which is PHONE_NUMBER_EMPTY. */
void recipient_read(struct recipient *recipient, const char *written,
		    const struct country *home);

/* `ofono_numbers`: more of them, blanks between. In any form that reaches the desk. */
bool recipient_is_emergency(const struct recipient *recipient, const char *ofono_numbers);
/* A call may reach it all the same: emergency digits, and some more. */
bool recipient_begins_as_emergency(const struct recipient *recipient);
bool recipient_is_premium(const struct recipient *recipient);
/* A national number counts as home; one that is international and cannot be placed not. */
bool recipient_is_at_home(const struct recipient *recipient);
/* Of no country: a satellite phone, or a service that costs much more than any country. */
bool recipient_is_nowhere(const struct recipient *recipient);

/* Does one of the words stand for it: a number in any form, or a prefix with *? */
bool recipient_is_in(const struct recipient *recipient, const char *words);
/* ... a whole number, no prefix. */
bool recipient_is_named_in(const struct recipient *recipient, const char *words);

#endif
