/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct json *json_member(const struct json *object, const char *name)
{
	if (!object || object->type != JSON_OBJECT)
		return NULL;
	json_foreach (member, object) {
		if (strcmp(member->name, name) == 0)
			return member;
	}
	return NULL;
}

const char *json_string(const struct json *value)
{
	return value && value->type == JSON_STRING ? value->text : NULL;
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/*
 * The exponent at `text`, "" or "e+12". It saturates far beyond any length of text we
 * read, so that it can be added to a count of digits without overflow.
 */
static int64_t exponent_parse(const char *text)
{
	static const int64_t most = INT64_C(1) << 40;
	int64_t exponent = 0;
	bool negative;

	if (!*text)
		return 0;
	text++; /* e, E */
	negative = *text == '-';
	if (*text == '-' || *text == '+')
		text++;
	for (; is_digit(*text) && exponent < most; text++)
		exponent = exponent * 10 + (*text - '0');
	return negative ? -exponent : exponent;
}

/* value = value * 10 + digit, away from zero; false when it leaves int64_t */
static bool push_digit(int64_t *value, int digit, bool negative)
{
	return !__builtin_mul_overflow(*value, 10, value) &&
	       !__builtin_add_overflow(*value, negative ? -digit : digit, value);
}

/*
 * `point` digits of `digits` (which may hold a '.') stand before the decimal point once
 * the exponent is applied. What follows must be zeros, and what is missing is zeros.
 */
static bool scale(const char *digits, int64_t point, bool negative, int64_t *integer_out)
{
	int64_t value = 0;

	for (; is_digit(*digits) || *digits == '.'; digits++) {
		if (*digits == '.')
			continue;
		if (point-- > 0) {
			if (!push_digit(&value, *digits - '0', negative))
				return false;
		} else if (*digits != '0') {
			return false;
		}
	}
	for (; point > 0 && value != 0; point--) { /* overflows after 19 turns */
		if (!push_digit(&value, 0, negative))
			return false;
	}
	*integer_out = value;
	return true;
}

bool json_integer(const struct json *value, int64_t *integer_out)
{
	const char *digits;
	bool negative;

	if (!value || value->type != JSON_NUMBER)
		return false;
	negative = value->text[0] == '-';
	digits = value->text + (negative ? 1 : 0);
	return scale(digits,
		     (int64_t)strspn(digits, "0123456789") +
			     exponent_parse(digits + strspn(digits, "0123456789.")),
		     negative, integer_out);
}

bool json_real(const struct json *value, double *real_out)
{
	double real;

	if (!value || value->type != JSON_NUMBER)
		return false;
	real = strtod(value->text, NULL); /* the locale is C */
	if (!isfinite(real))
		return false;
	*real_out = real;
	return true;
}
