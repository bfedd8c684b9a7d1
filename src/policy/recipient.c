/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/recipient.h"

#include <string.h>

#include "base/config_policy.h"
#include "base/word_list.h"

/*
 * 112 and 911 are emergency numbers in every network, the others in one that has no card of
 * its own (3GPP TS 22.101, 10.1.1).
 */
static const char everywhere[] = "112 911 000 08 110 118 119 999";

static bool is_short(const char *number)
{
	return number_form_is_short(number) && strncmp(number, "00", 2) != 0;
}

void recipient_read(struct recipient *recipient, const char *written,
		    const struct country *home)
{
	char form[NUMBER_FORM_BYTES];
	size_t length;

	*recipient = (struct recipient){ .home = home, .national = "" };
	recipient->problem = written ? phone_number_parse(written, recipient->number)
				     : PHONE_NUMBER_EMPTY;
	if (recipient->problem != PHONE_NUMBER_OK)
		return;
	recipient->is_short = is_short(recipient->number);
	if (recipient->is_short || !number_form_write(recipient->number, home, form) ||
	    *form != '+')
		return;
	strcpy(recipient->digits, form + 1);
	recipient->country = country_of_digits(recipient->digits, &length);
	recipient->national = recipient->digits + length;
}

static bool is_emergency(const char *number, const struct country *country,
			 const char *ofono_numbers)
{
	return *number && (word_list_has(everywhere, number) ||
			   word_list_has(ofono_numbers, number) ||
			   (country && word_list_has(country->emergency, number)));
}

/* As it is written, without what is dialled in front, also abroad, and behind the calling code. */
bool recipient_is_emergency(const struct recipient *recipient, const char *ofono_numbers)
{
	const struct country *home = recipient->home;
	const char *number = recipient->number;
	const char *trunks = home ? home->trunk : NULL;
	char trunk[COUNTRY_CODE_BYTES];

	if (is_emergency(number, home, ofono_numbers) ||
	    is_emergency(number + strspn(number, "0"), home, ofono_numbers))
		return true;
	while (trunks && word_list_next(&trunks, trunk, sizeof(trunk))) {
		if (strncmp(number, trunk, strlen(trunk)) == 0 &&
		    is_emergency(number + strlen(trunk), home, ofono_numbers))
			return true;
	}
	return is_emergency(recipient->national, recipient->country, ofono_numbers) ||
	       is_emergency(recipient->digits, home, ofono_numbers);
}

/*
 * 112 begins no number as it is dialled in any country, and 911 none in North America, so an
 * exchange that has heard these may put the call through.
 */
bool recipient_begins_as_emergency(const struct recipient *recipient)
{
	const struct country *home = recipient->home;
	const char *number = recipient->number;
	bool is_american = home && *home->codes == '1';

	return strncmp(number, "112", 3) == 0 ||
	       (is_american && strncmp(number, "911", 3) == 0);
}

static bool is_premium(const struct country *country, const char *national)
{
	const char *words = country ? country->premium : NULL;
	char word[CONFIG_NUMBER_BYTES];

	while (words && word_list_next(&words, word, sizeof(word))) {
		if (strncmp(national, word, strlen(word)) == 0)
			return true;
	}
	return false;
}

static size_t trunk_length(const struct country *country, const char *national)
{
	return country ? country_trunk_length(country, national) : 0;
}

/*
 * Also when what seems to have its calling code in front were a national number, or has a
 * trunk prefix behind it.
 */
bool recipient_is_premium(const struct recipient *recipient)
{
	const struct country *home = recipient->home, *country = recipient->country;
	const char *number = recipient->number, *national = recipient->national;

	if (recipient->is_short || is_premium(country, national) ||
	    is_premium(country, national + trunk_length(country, national)))
		return true;
	return home && *recipient->digits && *number != '+' &&
	       is_premium(home, number + country_trunk_length(home, number));
}

/* Digits are only known of one that is international, or of a home that is known. */
bool recipient_is_at_home(const struct recipient *recipient)
{
	if (!*recipient->digits)
		return true;
	return recipient->home && country_has_digits(recipient->home, recipient->digits);
}

/* Satellites, networks and services that have a calling code of their own (ITU-T E.164). */
bool recipient_is_nowhere(const struct recipient *recipient)
{
	static const char *const codes[] = { "808", "870", "878", "881",
					     "882", "883", "979" };

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (strncmp(recipient->digits, codes[i], strlen(codes[i])) == 0)
			return true;
	}
	return false;
}

static bool matches(const char *text, const char *word, bool is_prefix)
{
	return is_prefix ? strncmp(text, word, strlen(word)) == 0
			 : strcmp(text, word) == 0;
}

static bool word_form(const struct country *home, const char *word, bool is_prefix,
		      char form_out[NUMBER_FORM_BYTES])
{
	return (is_prefix ? number_form_write_beginning(word, home, form_out)
			  : number_form_write(word, home, form_out)) &&
	       *form_out == '+';
}

static bool word_fits(const struct recipient *recipient, const char *word, bool is_prefix)
{
	char form[NUMBER_FORM_BYTES];

	if (matches(recipient->number, word, is_prefix))
		return true;
	return *recipient->digits && (is_prefix || !is_short(word)) &&
	       word_form(recipient->home, word, is_prefix, form) &&
	       matches(recipient->digits, form + 1, is_prefix);
}

static bool is_in(const struct recipient *recipient, const char *words, bool prefixes)
{
	char word[CONFIG_NUMBER_BYTES];

	while (word_list_next(&words, word, sizeof(word))) {
		char *star = strchr(word, '*');

		if (!*word || (star && !prefixes))
			continue;
		if (star)
			*star = '\0';
		if (word_fits(recipient, word, star != NULL))
			return true;
	}
	return false;
}

bool recipient_is_in(const struct recipient *recipient, const char *words)
{
	return is_in(recipient, words, true);
}

bool recipient_is_named_in(const struct recipient *recipient, const char *words)
{
	return is_in(recipient, words, false);
}
