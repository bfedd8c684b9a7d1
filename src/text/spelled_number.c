/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What may follow what, in all languages of text/number_word.h together:
 *
 *   forty eight           a ten and a unit
 *   acht und vierzig      a unit, "and", a ten
 *   soixante dix-huit     sixty or eighty, and 10 to 19; quatre vingt: four and twenty
 *   four hundred ...      a number up to 99, a hundred, and a number up to 99
 *   ... thousand ...      a number up to 999, a thousand, and a number up to 999
 *   mille cent ...        a hundred without a number before it is 100
 */
#include "text/spelled_number.h"

enum { TEN = 10, HUNDRED = 100, THOUSAND = 1000 };

bool spelled_number_is_empty(const struct spelled_number *number)
{
	return number->last.kind == NUMBER_WORD_NONE;
}

uint64_t spelled_number_value(const struct spelled_number *number)
{
	return number->total + number->part;
}

static bool spelled_number_may_add(const struct spelled_number *number, unsigned value)
{
	const struct number_word *last = &number->last;
	unsigned tens = last->value;

	if (last->kind == NUMBER_WORD_TIMES)
		return value < last->value;
	if (tens >= HUNDRED && tens % HUNDRED == 0)
		return value < HUNDRED;
	if (tens >= 20 && tens < HUNDRED && tens % 10 == 0 && value > 0 && value < 10)
		return true;
	if ((tens == 60 || tens == 80) && value >= 10 && value < 20)
		return true;
	return number->is_joined && tens > 0 && tens < 10 && value >= 20 &&
	       value < HUNDRED && value % 10 == 0;
}

static bool spelled_number_multiply(struct spelled_number *number, unsigned by)
{
	bool is_thousand = by == THOUSAND;

	if (number->last.kind == NUMBER_WORD_TIMES && number->last.value == by)
		return false;
	if (is_thousand) {
		if (number->total)
			return false;
		number->total = (number->has_part ? number->part : 1) * THOUSAND;
		number->part = 0;
		number->has_part = false;
		return true;
	}
	if (number->part >= (number->style == SPELLED_HUNDRED_ALONE ? TEN : HUNDRED) ||
	    (number->unit && number->style == SPELLED_UNIT_AHEAD))
		return false;
	number->part = (number->has_part ? number->part : 1) * HUNDRED;
	number->has_part = true;
	return true;
}

bool spelled_number_add(struct spelled_number *number, const struct number_word *word)
{
	unsigned unit = 0;

	if (word->kind == NUMBER_WORD_AND) {
		bool is_first = spelled_number_is_empty(number) || number->is_joined;

		number->is_joined = true;
		return !is_first;
	}
	if (word->kind == NUMBER_WORD_TIMES) {
		if (!spelled_number_multiply(number, word->value))
			return false;
	} else if (spelled_number_is_empty(number)) {
		number->part = word->value;
	} else if (number->last.value == 4 && word->value == 20) {
		number->part += 80 - 4;
		number->last = *word;
		number->last.value = 80;
		number->is_joined = false;
		return true;
	} else if (spelled_number_may_add(number, word->value)) {
		if (word->value < TEN && number->last.kind == NUMBER_WORD_VALUE &&
		    number->last.value < HUNDRED)
			unit = word->value;
		number->part += word->value;
	} else {
		return false;
	}
	number->has_part = number->has_part || word->kind == NUMBER_WORD_VALUE;
	number->last = *word;
	if (word->kind == NUMBER_WORD_VALUE) /* after "forty-eight" comes no other unit */
		number->last.value = number->part % HUNDRED
					     ? (unsigned)(number->part % HUNDRED)
					     : word->value;
	number->is_joined = false;
	number->unit = unit;
	return true;
}

bool spelled_number_split(struct spelled_number *number, const struct number_word *word,
			  struct spelled_number *next_out)
{
	const struct number_word unit = { NUMBER_WORD_VALUE, number->unit, false, 0 };
	const struct number_word and = { .kind = NUMBER_WORD_AND };

	if (!number->unit || number->style != SPELLED_UNIT_AHEAD || word->value < TEN)
		return false;
	number->part -= number->unit;
	*next_out = (struct spelled_number){ .style = number->style };
	spelled_number_add(next_out, &unit);
	if (number->is_joined)
		spelled_number_add(next_out, &and);
	return true;
}
