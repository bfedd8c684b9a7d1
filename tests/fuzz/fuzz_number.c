/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Phone numbers, as people and models write them, for a SIM of any country: the first
 * byte selects it, and a line feed separates the number from the owner's lists of
 * numbers. */
#include "base/utf8.h"
#include "fuzz.h"
#include "numbers/plan.h"
#include "policy/recipient.h"

static const struct country *choose_country(uint8_t byte)
{
	size_t place = byte % (plan_country_count + 1);

	return place ? &plan_countries[place - 1] : NULL;
}

static void check_parsed(const char *written)
{
	char number[PHONE_NUMBER_BYTES], again[PHONE_NUMBER_BYTES];
	enum phone_number_problem problem = phone_number_parse(written, number);

	FUZZ_CHECK(phone_number_problem_text(problem) || problem == PHONE_NUMBER_OK);
	if (problem != PHONE_NUMBER_OK)
		return;
	FUZZ_CHECK(strspn(number + (*number == '+'), "0123456789") ==
		   strlen(number + (*number == '+')));
	FUZZ_CHECK(phone_number_parse(number, again) == PHONE_NUMBER_OK);
	FUZZ_CHECK(strcmp(number, again) == 0);
}

/* Normalising twice changes nothing more. */
static void check_form(const char *party, const struct country *country)
{
	char spellings[NUMBER_SPELLINGS][NUMBER_FORM_BYTES];
	char form[NUMBER_FORM_BYTES], again[NUMBER_FORM_BYTES], tidy[NUMBER_FORM_BYTES];
	size_t count;

	number_is_number(party);
	number_form_beginning(party, country, form);
	number_suggest(party, country, form);
	if (!number_form(party, country, form))
		return;
	number_is_short(form);
	FUZZ_CHECK(number_is_number(party));
	FUZZ_CHECK(strlen(form) < NUMBER_FORM_BYTES);
	count = number_spell(form, country, spellings);
	FUZZ_CHECK(count >= 1 && count <= NUMBER_SPELLINGS);
	FUZZ_CHECK(strcmp(spellings[0], form) == 0);
	FUZZ_CHECK(number_tidy(party, country, tidy));
	if (*form != '+')
		return;
	FUZZ_CHECK(number_form(form, country, again));
	FUZZ_CHECK(strcmp(form, again) == 0);
}

static void check_number(const char *party, const struct country *country)
{
	struct number number;

	if (!number_read(party, country, &number))
		return;
	FUZZ_CHECK(number.national_at <= strlen(number.form));
	FUZZ_CHECK(number.country || number.cost == NUMBER_INVALID);
	FUZZ_CHECK(number.costs_extra || number.cost == NUMBER_INVALID ||
		   number.cost == NUMBER_USUAL);
	FUZZ_CHECK(number.cost == NUMBER_INVALID ||
		   number_is_of(number.form, number.country));
}

static void check_recipient(const char *written, const char *words,
			    const struct country *home)
{
	char suggestion[NUMBER_FORM_BYTES];
	struct recipient recipient, other;

	recipient_read(&recipient, written, home);
	recipient_is_emergency(&recipient, words);
	recipient_begins_as_emergency(&recipient);
	recipient_is_premium(&recipient);
	recipient_is_at_home(&recipient);
	recipient_has_no_country(&recipient);
	recipient_is_in(&recipient, words);
	recipient_is_named_in(&recipient, words);
	if (recipient.problem != PHONE_NUMBER_OK)
		return;
	/* a number named as written is found, and a suggested number is accepted */
	FUZZ_CHECK(recipient_is_in(&recipient, recipient.number));
	FUZZ_CHECK(recipient_is_named_in(&recipient, recipient.number));
	if (recipient_is_well_spelt(&recipient, suggestion) || !*suggestion)
		return;
	recipient_read(&other, suggestion, home);
	FUZZ_CHECK(other.problem == PHONE_NUMBER_OK);
	FUZZ_CHECK(recipient_is_well_spelt(&other, suggestion));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	const struct country *country = length ? choose_country(data[0]) : NULL;
	char *text = fuzz_text(data + (length > 0), length ? length - 1 : 0);
	char *words = strchr(text, '\n');

	if (words)
		*words++ = '\0';
	if (utf8_valid(text, strlen(text)) &&
	    (!words || utf8_valid(words, strlen(words)))) {
		check_parsed(text);
		check_form(text, country);
		check_number(text, country);
		check_recipient(text, words ? words : "", country);
	}
	free(text);
	return 0;
}
