/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/recipient.h"

#include <string.h>

#include "base/word_list.h"
#include "config/config_policy.h"

/*
 * 112 and 911 are emergency numbers in every network, the others in one that has no card of
 * its own (3GPP TS 22.101, 10.1.1).
 */
static const char everywhere[] = "112 911 000 08 110 118 119 999";

/* calling codes; a freephone number costs nobody but its owner */
enum { NORTH_AMERICA = 1, INTERNATIONAL_FREEPHONE = 800 };

void recipient_read(struct recipient *recipient, const char *written,
		    const struct country *home)
{
	*recipient = (struct recipient){ .home = home };
	recipient->problem = written ? phone_number_parse(written, recipient->number)
				     : PHONE_NUMBER_EMPTY;
	if (recipient->problem != PHONE_NUMBER_OK)
		return;
	number_read(recipient->number, home, &recipient->read);
	recipient->is_short = recipient->read.spelling == NUMBER_SHORT;
}

const char *recipient_form(const struct recipient *recipient)
{
	return *recipient->read.form ? recipient->read.form : recipient->number;
}

bool recipient_is_well_spelt(const struct recipient *recipient,
			     char suggestion_out[NUMBER_FORM_BYTES])
{
	switch (recipient->read.spelling) {
	case NUMBER_SHORT:
	case NUMBER_PLUS:
	case NUMBER_ABROAD:
	case NUMBER_NATIONAL:
		return true;
	case NUMBER_UNPLACED:
	case NUMBER_BARE:
		break;
	}
	if (!number_suggest(recipient->number, recipient->home, suggestion_out))
		*suggestion_out = '\0';
	return false;
}

/* ---- emergency */

static bool is_emergency(const char *number, const struct country *country,
			 const char *ofono_numbers)
{
	return *number && (word_list_has(everywhere, number) ||
			   word_list_has(ofono_numbers, number) ||
			   number_is_emergency(number, country));
}

/* Without what is dialled before a national number, where that is there. */
static const char *behind_trunk(const char *number, const struct country *country)
{
	size_t length = country ? strlen(country->trunk) : 0;

	return length && strncmp(number, country->trunk, length) == 0 ? number + length
								      : number;
}

/* In any country with its calling code. */
static bool is_emergency_there(const char *form, const char *ofono_numbers)
{
	size_t length;
	const struct country *country =
		*form == '+' ? country_of_digits(form + 1, &length) : NULL;

	for (; country; country = country_next(country)) {
		const char *number = form + 1 + length;

		if (is_emergency(number, country, ofono_numbers) ||
		    is_emergency(behind_trunk(number, country), country, ofono_numbers))
			return true;
	}
	return false;
}

/* As it is written, without what is dialled in front, also abroad, and behind the calling code. */
bool recipient_is_emergency(const struct recipient *recipient, const char *ofono_numbers)
{
	const struct country *home = recipient->home;
	const char *number = recipient->number, *form = recipient->read.form;

	return is_emergency(number, home, ofono_numbers) ||
	       is_emergency(number + strspn(number, "0"), home, ofono_numbers) ||
	       is_emergency(behind_trunk(number, home), home, ofono_numbers) ||
	       is_emergency_there(form, ofono_numbers) ||
	       (*form == '+' && is_emergency(form + 1, home, ofono_numbers));
}

/*
 * 112 begins no number as it is dialled in any country, so an exchange that has heard it may
 * put the call through; so with what reaches an emergency service of the SIM's country, unless
 * it is a number there.
 */
bool recipient_begins_as_emergency(const struct recipient *recipient)
{
	const char *number = recipient->number;

	return strncmp(number, "112", 3) == 0 ||
	       (recipient->read.spelling != NUMBER_NATIONAL &&
		number_begins_as_emergency(number, recipient->home));
}

/* ---- costs and countries */

bool recipient_is_premium(const struct recipient *recipient)
{
	return recipient->is_short || recipient->read.costs_extra;
}

const char *recipient_premium_kind(const struct recipient *recipient)
{
	if (recipient->is_short)
		return "a short code";
	return recipient->read.cost == NUMBER_SHARED ? "a shared-cost number"
						     : "a premium number";
}

/*
 * No plan knows it yet, or it is one of those for films: where a country has a calling code
 * nearly to itself it is one of that country. In North America it may be anybody's.
 */
static bool is_nobodys_at_home(const struct recipient *recipient)
{
	const struct country *home = recipient->home;
	size_t length;

	return !recipient->read.country && home->calling_code != NORTH_AMERICA &&
	       country_of_digits(recipient->read.form + 1, &length) == home;
}

bool recipient_is_at_home(const struct recipient *recipient)
{
	const struct number *read = &recipient->read;

	if (*read->form != '+')
		return true;
	if (!recipient->home)
		return false;
	return read->country == recipient->home ||
	       number_is_of(read->form, recipient->home) || is_nobodys_at_home(recipient);
}

bool recipient_has_no_country(const struct recipient *recipient)
{
	const struct country *country = recipient->read.country;

	return country && country_is_none(country) &&
	       country->calling_code != INTERNATIONAL_FREEPHONE;
}

bool recipient_begins_with(const struct recipient *recipient, const char *digits)
{
	return *recipient->read.form == '+' &&
	       strncmp(recipient->read.form + 1, digits, strlen(digits)) == 0;
}

/* ---- lists */

static bool matches(const char *text, const char *word, bool is_prefix)
{
	return is_prefix ? strncmp(text, word, strlen(word)) == 0
			 : strcmp(text, word) == 0;
}

static bool word_form(const struct country *home, const char *word, bool is_prefix,
		      char form_out[NUMBER_FORM_BYTES])
{
	return (is_prefix ? number_form_beginning(word, home, form_out)
			  : number_form(word, home, form_out)) &&
	       *form_out == '+';
}

static bool word_fits(const struct recipient *recipient, const char *word, bool is_prefix,
		      const struct country *country)
{
	char form[NUMBER_FORM_BYTES];

	if (matches(recipient->number, word, is_prefix))
		return true;
	return *recipient->read.form == '+' &&
	       word_form(country, word, is_prefix, form) &&
	       matches(recipient->read.form, form, is_prefix);
}

static bool is_in(const struct recipient *recipient, const char *words, bool prefixes,
		  const struct country *country)
{
	char word[CONFIG_POLICY_NUMBER_BYTES];

	while (word_list_next(&words, word, sizeof(word))) {
		char *star = strchr(word, '*');

		if (!*word || (star && !prefixes))
			continue;
		if (star)
			*star = '\0';
		if (word_fits(recipient, word, star != NULL, country))
			return true;
	}
	return false;
}

bool recipient_is_in(const struct recipient *recipient, const char *words)
{
	return is_in(recipient, words, true, recipient->home);
}

bool recipient_is_in_as_dialled_in(const struct recipient *recipient, const char *words,
				   const struct country *country)
{
	return is_in(recipient, words, true, country);
}

bool recipient_is_named_in(const struct recipient *recipient, const char *words)
{
	return is_in(recipient, words, false, recipient->home);
}
