/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recipient: a phone number as somebody wrote it, and what the policy must know of it when it
 * is dialled from the country of the SIM.
 */
#pragma once

#include "numbers/number.h"
#include "numbers/phone_number.h"

struct recipient {
	enum phone_number_problem problem; /* if not OK, the rest is empty */
	char number[PHONE_NUMBER_BYTES];   /* without separators */
	bool is_short;			   /* a short code */
	const struct country *home;	   /* of the SIM; NULL if unknown */
	struct number read;
};

/* If `written` is NULL, there is no number, which is PHONE_NUMBER_EMPTY. */
void recipient_read(struct recipient *recipient, const char *written,
		    const struct country *home);

/* Returns "+36201234567" if the number can be placed, otherwise the digits as they were written. */
const char *recipient_form(const struct recipient *recipient);

/*
 * Returns true if a short code, or written with + or 00, or as it is dialled in the SIM's country.
 * If it returns false, *suggestion_out is what to write instead, "" if that is unknown.
 */
bool recipient_is_well_spelt(const struct recipient *recipient,
			     char suggestion_out[NUMBER_FORM_BYTES]);

/* Returns whether the number, in any form, reaches an emergency service. `ofono_numbers` holds
 * further emergency numbers, separated by spaces. */
bool recipient_is_emergency(const struct recipient *recipient, const char *ofono_numbers);
/* Does it begin with emergency digits, so that a call may reach an emergency service? */
bool recipient_begins_as_emergency(const struct recipient *recipient);
/* Is it a premium number, a shared-cost number or a short code, which may cost extra? */
bool recipient_is_premium(const struct recipient *recipient);
/* Returns which of these, in words: "a premium number". */
const char *recipient_premium_kind(const struct recipient *recipient);
/* Returns true for national numbers; false for international ones that cannot be placed. */
bool recipient_is_at_home(const struct recipient *recipient);
/* Is it a satellite phone, or a service that costs much more than any country? */
bool recipient_has_no_country(const struct recipient *recipient);
/* Does its form begin with + and these digits? */
bool recipient_begins_with(const struct recipient *recipient, const char *digits);

/*
 * Is it one of the words: a number in any form, or a prefix with *? National numbers are read
 * as dialled in the country of the SIM.
 */
bool recipient_is_in(const struct recipient *recipient, const char *words);
/* The same, with national numbers as dialled in this country. */
bool recipient_is_in_as_dialled_in(const struct recipient *recipient, const char *words,
				   const struct country *country);
/* The same, but prefixes do not count. */
bool recipient_is_named_in(const struct recipient *recipient, const char *words);
