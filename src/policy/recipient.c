/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/recipient.h"

#include <string.h>

#include "base/word_list.h"
#include "config/config_policy.h"

/*
 * A number is compared in two forms: as it was written, and as + with country code if it can
 * be placed (recipient->read.form). Emergency numbers are also searched behind whatever could
 * be dialled in front of them. The words of the owner's lists are read as dialled in the
 * country of the SIM.
 */

/* 112 and 911 in every network, the others in a phone without a SIM (3GPP TS 22.101, 10.1.1). */
static const char recipient_emergency_numbers[] = "112 911 000 08 110 118 119 999";

/* Calling codes. Only the owner of a freephone number pays for it. */
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

static bool recipient_has_emergency_digits(const char *number,
					   const struct country *country,
					   const char *ofono_numbers)
{
	return *number && (word_list_has(recipient_emergency_numbers, number) ||
			   word_list_has(ofono_numbers, number) ||
			   number_is_emergency(number, country));
}

/* Skips the trunk prefix of the country, if the number has it. */
static const char *recipient_skip_trunk(const char *number, const struct country *country)
{
	size_t length = country ? strlen(country->trunk) : 0;

	return length && strncmp(number, country->trunk, length) == 0 ? number + length
								      : number;
}

/* Is it an emergency number in any country with its calling code? */
static bool recipient_is_emergency_form(const char *form, const char *ofono_numbers)
{
	size_t length;
	const struct country *country =
		*form == '+' ? country_of_digits(form + 1, &length) : NULL;

	for (; country; country = country_next(country)) {
		const char *number = form + 1 + length;

		if (recipient_has_emergency_digits(number, country, ofono_numbers) ||
		    recipient_has_emergency_digits(recipient_skip_trunk(number, country),
						   country, ofono_numbers))
			return true;
	}
	return false;
}

/*
 * Checks the number as written, without leading zeros, without the trunk prefix, behind the
 * calling code, and with it.
 */
bool recipient_is_emergency(const struct recipient *recipient, const char *ofono_numbers)
{
	const struct country *home = recipient->home;
	const char *number = recipient->number, *form = recipient->read.form;

	return recipient_has_emergency_digits(number, home, ofono_numbers) ||
	       recipient_has_emergency_digits(number + strspn(number, "0"), home,
					      ofono_numbers) ||
	       recipient_has_emergency_digits(recipient_skip_trunk(number, home), home,
					      ofono_numbers) ||
	       recipient_is_emergency_form(form, ofono_numbers) ||
	       (*form == '+' &&
		recipient_has_emergency_digits(form + 1, home, ofono_numbers));
}

/*
 * No number in any country begins with 112, so an exchange may connect the call after these
 * digits. The same goes for emergency numbers of the SIM's country, unless the whole number is
 * a valid one there.
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
 * No numbering plan knows it: it is too new, or reserved for films. If it has the calling code
 * of the home country it counts as a number of that country. In North America it may belong
 * to any of the countries that share +1.
 */
static bool recipient_is_unassigned_at_home(const struct recipient *recipient)
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
	       number_is_of(read->form, recipient->home) ||
	       recipient_is_unassigned_at_home(recipient);
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

static bool recipient_matches(const char *text, const char *word, bool is_prefix)
{
	return is_prefix ? strncmp(text, word, strlen(word)) == 0
			 : strcmp(text, word) == 0;
}

static bool recipient_word_form(const struct country *home, const char *word,
				bool is_prefix, char form_out[NUMBER_FORM_BYTES])
{
	return (is_prefix ? number_form_beginning(word, home, form_out)
			  : number_form(word, home, form_out)) &&
	       *form_out == '+';
}

static bool recipient_word_fits(const struct recipient *recipient, const char *word,
				bool is_prefix, const struct country *country)
{
	char form[NUMBER_FORM_BYTES];

	if (recipient_matches(recipient->number, word, is_prefix))
		return true;
	return *recipient->read.form == '+' &&
	       recipient_word_form(country, word, is_prefix, form) &&
	       recipient_matches(recipient->read.form, form, is_prefix);
}

static bool recipient_is_in_words(const struct recipient *recipient, const char *words,
				  bool prefixes, const struct country *country)
{
	char written[CONFIG_POLICY_NUMBER_BYTES], word[PHONE_NUMBER_BYTES];

	while (word_list_next(&words, written, sizeof(written))) {
		bool is_prefix = phone_number_parse_beginning(written, word);

		if (is_prefix ? !prefixes
			      : phone_number_parse(written, word) != PHONE_NUMBER_OK)
			continue;
		if (recipient_word_fits(recipient, word, is_prefix, country))
			return true;
	}
	return false;
}

bool recipient_is_in(const struct recipient *recipient, const char *words)
{
	return recipient_is_in_words(recipient, words, true, recipient->home);
}

bool recipient_is_in_as_dialled_in(const struct recipient *recipient, const char *words,
				   const struct country *country)
{
	return recipient_is_in_words(recipient, words, true, country);
}

bool recipient_is_named_in(const struct recipient *recipient, const char *words)
{
	return recipient_is_in_words(recipient, words, false, recipient->home);
}
