/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks and reads the values of [policy]: phone numbers and prefixes, countries, quiet
 * hours, minimum balances. A list is one or more lines; spaces and commas separate the
 * words of a line.
 */
#include "config/config_policy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/explanation.h"
#include "base/word_list.h"
#include "numbers/phone_number.h"

#define DIGITS "0123456789"

enum { HOURS_PER_DAY = 24, MINUTES_PER_HOUR = 60 };

/*
 * Accepts "+36201234567", "1234", "+3620*" and "*". "+36 20 123 4567" is four words; "+36" is no
 * number.
 */
static bool config_policy_is_number(const char *word)
{
	char number[PHONE_NUMBER_BYTES];

	return phone_number_parse_beginning(word, number) ||
	       phone_number_parse(word, number) == PHONE_NUMBER_OK;
}

/*
 * Are these digits no number, such as "+36" or "12", which earlier versions accepted? Where digits
 * follow without a comma, they are rather a piece of a number with spaces: whoever wrote it would
 * deny, or allow, other numbers than they meant.
 */
static bool config_policy_is_useless(const char *word, const char *behind)
{
	size_t plus = word[0] == '+' ? 1 : 0;
	size_t digits = strspn(word + plus, DIGITS);
	const char *end = word + plus + digits;

	behind += strspn(behind, " \t");
	return digits && (!*end || strcmp(end, "*") == 0) && !strspn(behind, DIGITS);
}

bool config_policy_next_useless(const char **at_inout,
				char word_out[CONFIG_POLICY_NUMBER_BYTES])
{
	while (word_list_next(at_inout, word_out, CONFIG_POLICY_NUMBER_BYTES)) {
		if (!config_policy_is_number(word_out))
			return true;
	}
	return false;
}

static bool config_policy_is_accepted(const char *word, const char *behind)
{
	return config_policy_is_number(word) || config_policy_is_useless(word, behind);
}

static bool config_policy_is_country(const char *word, const char *behind)
{
	size_t digits = word[0] == '+' ? strspn(word + 1, DIGITS) : 0;

	(void)behind;
	return strcmp(word, "home") == 0 || strcmp(word, "any") == 0 ||
	       (digits && !word[1 + digits]);
}

/* Reads "7:30" or "07:30", up to 24:00; *end_out is what follows. */
static bool config_policy_parse_minute(const char *text, const char **end_out,
				       int *minute_out)
{
	int hour, minute, length = 0;

	if (*text < '0' || *text > '9' ||
	    sscanf(text, "%2d:%2d%n", &hour, &minute, &length) != 2)
		return false;
	if (text[length - 3] != ':' || text[length - 2] < '0' || text[length - 2] > '9')
		return false;
	*minute_out = hour * MINUTES_PER_HOUR + minute;
	*end_out = text + length;
	return minute < MINUTES_PER_HOUR &&
	       *minute_out <= HOURS_PER_DAY * MINUTES_PER_HOUR;
}

bool config_policy_parse_hours(const char *text, struct config_policy_hours *hours_out)
{
	struct config_policy_hours hours;
	const char *end;

	if (!config_policy_parse_minute(text, &end, &hours.from) || *end != '-' ||
	    !config_policy_parse_minute(end + 1, &end, &hours.until) || *end != '\0' ||
	    hours.from == hours.until)
		return false;
	*hours_out = hours;
	return true;
}

/* Parses "500": *sim_id_out is 0, all SIMs; "2=10.50": it is 2. */
static bool config_policy_parse_minimum(const char *word, int64_t *sim_id_out,
					struct amount *minimum_out)
{
	size_t digits = strspn(word, DIGITS);
	const char *amount = word;

	*sim_id_out = 0;
	if (word[digits] == '=') {
		*sim_id_out = strtoll(word, NULL, 10);
		amount = word + digits + 1;
		if (*sim_id_out == 0)
			return false;
	}
	/* thousands separators would also separate words */
	return strspn(amount, "-" DIGITS ".") == strlen(amount) &&
	       amount_read(amount, strlen(amount), minimum_out);
}

static bool config_policy_is_minimum(const char *word, const char *behind)
{
	struct amount minimum;
	int64_t sim_id;

	(void)behind;
	return config_policy_parse_minimum(word, &sim_id, &minimum);
}

bool config_policy_find_minimum(const struct config_list *list, int64_t sim_id,
				struct amount *minimum_out)
{
	bool found = false;

	for (size_t i = 0; i < list->count; i++) {
		const char *at = list->items[i];
		char word[CONFIG_POLICY_NUMBER_BYTES];
		struct amount minimum;
		int64_t of_sim_id;

		while (word_list_next(&at, word, sizeof(word))) {
			if (!config_policy_parse_minimum(word, &of_sim_id, &minimum) ||
			    (of_sim_id && of_sim_id != sim_id) || (found && !of_sim_id))
				continue;
			*minimum_out = minimum;
			found = true;
		}
	}
	return found;
}

/* "1 500" and "12,50" are two words; somebody may have meant one amount. */
static bool config_policy_is_ambiguous(const struct config_list *minima)
{
	unsigned count = 0;

	for (size_t i = 0; i < minima->count; i++) {
		const char *at = minima->items[i];
		char word[CONFIG_POLICY_NUMBER_BYTES];

		while (word_list_next(&at, word, sizeof(word)))
			count += !strchr(word, '=');
	}
	return count > 1;
}

/* Returns -EINVAL if `word` is the first one that is not valid. */
static int config_policy_check_list(const struct config_list *list,
				    bool (*is_valid)(const char *word,
						     const char *behind),
				    char word[CONFIG_POLICY_NUMBER_BYTES])
{
	for (size_t i = 0; i < list->count; i++) {
		const char *at = list->items[i];

		while (word_list_next(&at, word, CONFIG_POLICY_NUMBER_BYTES)) {
			if (!is_valid(word, at))
				return -EINVAL;
		}
	}
	return 0;
}

int config_policy_check(const struct config_policy *policy, struct explanation *error)
{
	const struct {
		const char *key;
		const struct config_list *list;
		bool (*is_valid)(const char *word, const char *behind);
		const char *wanted;
	} lists[] = {
		{ "allow", &policy->allow, config_policy_is_accepted,
		  "a number or a prefix that ends with *, such as +3620*" },
		{ "deny", &policy->deny, config_policy_is_accepted,
		  "a number or a prefix that ends with *, such as +3620*" },
		{ "countries", &policy->countries, config_policy_is_country,
		  "home, any, or a prefix such as +43" },
		{ "minimum_balance", &policy->minimum_balance, config_policy_is_minimum,
		  "an amount such as 500 or 10.50, or with a subscription_id 2=10.50" },
	};
	char word[CONFIG_POLICY_NUMBER_BYTES];
	struct config_policy_hours hours;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (config_policy_check_list(lists[i].list, lists[i].is_valid, word))
			return explanation_set(error, -EINVAL,
					       "policy.%s: \"%s\" is not %s",
					       lists[i].key, word, lists[i].wanted);
	}
	if (config_policy_is_ambiguous(&policy->minimum_balance))
		return explanation_set(
			error, -EINVAL,
			"policy.minimum_balance: there are two amounts for all SIMs; "
			"write one amount without separators, such as 1500 or 12.50");
	if (!*policy->quiet_hours ||
	    config_policy_parse_hours(policy->quiet_hours, &hours))
		return 0;
	return explanation_set(
		error, -EINVAL,
		"policy.quiet_hours: \"%s\" is not two times of the day such as 22:00-07:00",
		policy->quiet_hours);
}
