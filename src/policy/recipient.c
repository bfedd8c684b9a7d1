/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/recipient.h"

#include <string.h>

#include "base/config_policy.h"
#include "base/word_list.h"

enum { SHORT_DIGITS_MOST = 6 };

/*
 * 112 and 911 are emergency numbers in every network, the others in one that has no card of
 * its own (3GPP TS 22.101, 10.1.1).
 */
static const char everywhere[] = "112 911 000 08 110 118 119 999";

static bool is_short(const char *number)
{
	return *number != '+' && strncmp(number, "00", 2) != 0 &&
	       strlen(number) <= SHORT_DIGITS_MOST;
}

void recipient_read(struct recipient *recipient, const char *written,
		    const struct country *home)
{
	size_t length;

	*recipient = (struct recipient){ .home = home, .national = "" };
	recipient->problem = written ? phone_number_parse(written, recipient->number)
				     : PHONE_NUMBER_EMPTY;
	if (recipient->problem != PHONE_NUMBER_OK)
		return;
	recipient->is_short = is_short(recipient->number);
	if (recipient->is_short ||
	    !country_dial(home, recipient->number, recipient->digits)) {
		recipient->digits[0] = '\0';
		return;
	}
	recipient->country = country_of_digits(recipient->digits, &length);
	recipient->national = recipient->digits + length;
}

static bool stands_in(const char *number, const char *words)
{
	char word[CONFIG_NUMBER_BYTES];

	while (words && word_list_next(&words, word, sizeof(word))) {
		if (*word && strcmp(word, number) == 0)
			return true;
	}
	return false;
}

static bool is_emergency(const char *number, const struct country *country,
			 const char *ofono_numbers)
{
	return *number &&
	       (stands_in(number, everywhere) || stands_in(number, ofono_numbers) ||
		(country && stands_in(number, country->emergency)));
}

/* As it is written, without what is dialled in front, and behind the calling code. */
bool recipient_is_emergency(const struct recipient *recipient, const char *ofono_numbers)
{
	const struct country *home = recipient->home;
	const char *number = recipient->number;
	size_t trunk = home && home->trunk ? strlen(home->trunk) : 0;

	if (is_emergency(number, home, ofono_numbers))
		return true;
	if (trunk && strncmp(number, home->trunk, trunk) == 0 &&
	    is_emergency(number + trunk, home, ofono_numbers))
		return true;
	return is_emergency(recipient->national, recipient->country, ofono_numbers) ||
	       is_emergency(recipient->digits, home, ofono_numbers);
}

bool recipient_is_premium(const struct recipient *recipient)
{
	const char *words = recipient->country ? recipient->country->premium : NULL;
	char word[CONFIG_NUMBER_BYTES];

	if (recipient->is_short)
		return true;
	while (words && word_list_next(&words, word, sizeof(word))) {
		if (strncmp(recipient->national, word, strlen(word)) == 0)
			return true;
	}
	return false;
}

/* Digits are only known of one that is international, or of a home that is known. */
bool recipient_is_at_home(const struct recipient *recipient)
{
	if (!*recipient->digits)
		return true;
	return recipient->home && country_has_digits(recipient->home, recipient->digits);
}

static bool matches(const char *text, const char *word, bool is_prefix)
{
	return is_prefix ? strncmp(text, word, strlen(word)) == 0
			 : strcmp(text, word) == 0;
}

static bool word_fits(const struct recipient *recipient, const char *word, bool is_prefix)
{
	char digits[COUNTRY_DIGITS_BYTES];

	if (matches(recipient->number, word, is_prefix))
		return true;
	return *recipient->digits && (is_prefix || !is_short(word)) &&
	       country_dial(recipient->home, word, digits) &&
	       matches(recipient->digits, digits, is_prefix);
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
