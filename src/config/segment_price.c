/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line is read word by word: three capital letters are the currency, everything else is a
 * price, "[SIM][/COUNTRY]=AMOUNT" or an amount alone. Amounts have a decimal point and no
 * separators, and at most three decimals, so that "1.234" has one meaning only. They are kept
 * as thousandths: costs are exact sums.
 */
#include "config/segment_price.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/explanation.h"
#include "base/word_list.h"
#include "config/config_list.h"

#define SEGMENT_PRICE_DIGITS "0123456789"

enum { SEGMENT_PRICE_WORD_BYTES = 48, SEGMENT_PRICE_WHOLE_DIGITS = 6 };

/* Reads "0.09". Without separators there is nothing to guess. */
static bool segment_price_read_amount(const char *text, struct amount *amount_out)
{
	size_t whole = strspn(text, SEGMENT_PRICE_DIGITS), decimals = 0;
	int64_t thousandths = strtoll(text, NULL, 10) * 1000;
	int64_t place = 100;

	if (whole == 0 || whole > SEGMENT_PRICE_WHOLE_DIGITS)
		return false;
	if (text[whole] == '.')
		decimals = strspn(text + whole + 1, SEGMENT_PRICE_DIGITS);
	if (text[whole + (decimals ? decimals + 1 : 0)] != '\0' ||
	    decimals > AMOUNT_DECIMALS_MAX)
		return false;
	for (size_t i = 0; i < decimals; i++, place /= 10)
		thousandths += (text[whole + 1 + i] - '0') * place;
	*amount_out = (struct amount){ thousandths, (unsigned)decimals };
	return true;
}

/* Reads "home" or "+43" */
static bool segment_price_read_country(const char *text, struct segment_price *price)
{
	size_t digits;

	price->is_home = strcmp(text, "home") == 0;
	if (price->is_home)
		return true;
	digits = strspn(text + 1, SEGMENT_PRICE_DIGITS);
	if (*text != '+' || text[1 + digits] || digits == 0 ||
	    digits >= SEGMENT_PRICE_PREFIX_BYTES)
		return false;
	memcpy(price->prefix, text + 1, digits + 1);
	return true;
}

/* Reads "2", "+43" or "2/+43" */
static bool segment_price_read_condition(char *text, struct segment_price *price)
{
	char *country = strchr(text, '/'), *end;

	if (country)
		*country++ = '\0';
	else if (!strchr(SEGMENT_PRICE_DIGITS, *text))
		return segment_price_read_country(text, price);
	errno = 0;
	price->sim_id = strchr(SEGMENT_PRICE_DIGITS, *text) ? strtoll(text, &end, 10) : 0;
	return price->sim_id > 0 && !errno && !*end &&
	       (!country || segment_price_read_country(country, price));
}

static bool segment_price_read(const char *word, struct segment_price *price_out)
{
	struct segment_price price = { 0 };
	char text[SEGMENT_PRICE_WORD_BYTES];
	char *amount;

	strcpy(text, word);
	amount = strchr(text, '=');
	if (amount)
		*amount++ = '\0';
	if (!segment_price_read_amount(amount ? amount : text, &price.amount) ||
	    (amount && !segment_price_read_condition(text, &price)))
		return false;
	*price_out = price;
	return true;
}

static bool segment_price_is_currency(const char *word)
{
	return strlen(word) == SEGMENT_PRICE_CURRENCY_BYTES - 1 &&
	       strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(word);
}

/* Writes "" if the line has none, or more than one. */
static void segment_price_find_currency(const char *line,
					char currency[SEGMENT_PRICE_CURRENCY_BYTES])
{
	char word[SEGMENT_PRICE_WORD_BYTES];
	unsigned count = 0;

	*currency = '\0';
	while (word_list_next(&line, word, sizeof(word))) {
		if (segment_price_is_currency(word) && ++count == 1)
			strcpy(currency, word);
	}
	if (count != 1)
		*currency = '\0';
}

static bool segment_price_is_same(const struct segment_price *one,
				  const struct segment_price *other)
{
	return one->sim_id == other->sim_id && one->is_home == other->is_home &&
	       strcmp(one->prefix, other->prefix) == 0;
}

/* "0,09" is two prices; somebody meant one. */
static bool segment_price_is_repeated(const struct config_list *list,
				      const struct segment_price *price)
{
	char word[SEGMENT_PRICE_WORD_BYTES];
	struct segment_price other;
	unsigned count = 0;

	for (size_t i = 0; i < list->count; i++) {
		const char *at = list->items[i];

		while (word_list_next(&at, word, sizeof(word)))
			count += segment_price_read(word, &other) &&
				 segment_price_is_same(price, &other);
	}
	return count > 1;
}

static int segment_price_check_line(const struct config_list *list, const char *line,
				    struct explanation *error)
{
	char currency[SEGMENT_PRICE_CURRENCY_BYTES], word[SEGMENT_PRICE_WORD_BYTES];
	struct segment_price price;
	const char *at = line;
	unsigned count = 0;

	segment_price_find_currency(line, currency);
	if (!*currency)
		return explanation_set(
			error, -EINVAL,
			"sms.segment_price: \"%s\" must have one currency, such as EUR",
			line);
	while (word_list_next(&at, word, sizeof(word))) {
		if (segment_price_is_currency(word))
			continue;
		if (!segment_price_read(word, &price))
			return explanation_set(error, -EINVAL,
					       "sms.segment_price: \"%s\" is "
					       "not a price such as 0.09, "
					       "+43=0.25, 2=0.07 or 2/home=0.05",
					       word);
		if (segment_price_is_repeated(list, &price))
			return explanation_set(error, -EINVAL,
					       "sms.segment_price: \"%s\" is a second "
					       "price for the same messages; write "
					       "amounts with a point, such as 0.09",
					       word);
		count++;
	}
	return count ? 0
		     : explanation_set(error, -EINVAL,
				       "sms.segment_price: \"%s\" has no price", line);
}

int segment_price_check_list(const struct config_list *list, struct explanation *error)
{
	int flaw = 0;

	for (size_t i = 0; i < list->count && !flaw; i++)
		flaw = segment_price_check_line(list, list->items[i], error);
	return flaw;
}

/* A price for a country beats one for a SIM: it is usually the higher one. */
static size_t segment_price_rank(const struct segment_price *price)
{
	return 2 * (strlen(price->prefix) * 2 + price->is_home) + (price->sim_id != 0);
}

bool segment_price_find(const struct config_list *list, int64_t sim_id,
			bool (*applies)(const void *data,
					const struct segment_price *price),
			const void *data, struct segment_price *price_out)
{
	struct segment_price price;
	bool found = false;

	for (size_t i = 0; i < list->count; i++) {
		char currency[SEGMENT_PRICE_CURRENCY_BYTES];
		char word[SEGMENT_PRICE_WORD_BYTES];
		const char *at = list->items[i];

		segment_price_find_currency(at, currency);
		while (word_list_next(&at, word, sizeof(word))) {
			if (segment_price_is_currency(word) ||
			    !segment_price_read(word, &price) ||
			    (price.sim_id && price.sim_id != sim_id) ||
			    !applies(data, &price) ||
			    (found &&
			     segment_price_rank(&price) <= segment_price_rank(price_out)))
				continue;
			strcpy(price.currency, currency);
			*price_out = price;
			found = true;
		}
	}
	return found;
}
