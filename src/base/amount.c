/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading goes in two steps: the text becomes compact ASCII without surrounding spaces, then
 * the decimal mark is found and the digits before and after it are read. The rules for the
 * mark are in amount.h.
 */
#include "base/amount.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DIGITS "0123456789"

enum { COMPACT_BYTES = 32, WHOLE_DIGITS_MAX = 12, GROUP_DIGITS = 3, SHORT_GROUP = 2 };

/* Unicode characters that networks write for ASCII ones. */
static const struct {
	const char *written;
	char ascii;
} amount_spellings[] = {
	{ "\xc2\xa0", ' ' },	  /* U+00A0, no-break space */
	{ "\xe2\x80\xaf", ' ' },  /* U+202F, narrow no-break space */
	{ "\xe2\x80\x89", ' ' },  /* U+2009, thin space */
	{ "\xe2\x80\x99", '\'' }, /* U+2019, apostrophe */
	{ "\xe2\x88\x92", '-' },  /* U+2212, minus */
};

/* Returns the character at `text` in ASCII; 0 if it is not part of an amount. */
static char amount_read_character(const char *text, size_t length, size_t *used_out)
{
	*used_out = 1;
	if (*text && strchr(DIGITS " '.,+-", *text))
		return *text;
	for (size_t i = 0; i < sizeof(amount_spellings) / sizeof(amount_spellings[0]);
	     i++) {
		size_t bytes = strlen(amount_spellings[i].written);

		*used_out = bytes;
		if (bytes <= length &&
		    memcmp(text, amount_spellings[i].written, bytes) == 0)
			return amount_spellings[i].ascii;
	}
	return 0;
}

/* Copies the text in ASCII, without spaces around it. Returns false if it has other characters. */
static bool amount_compact(const char *text, size_t length, char compact[COMPACT_BYTES])
{
	size_t at = 0, count = 0, used;

	for (; at < length; at += used) {
		char one = amount_read_character(text + at, length - at, &used);

		if (!one || count == COMPACT_BYTES - 1)
			return false;
		if (one != ' ' || count)
			compact[count++] = one;
	}
	/* the end of a sentence */
	while (count && strchr(" .,", compact[count - 1]))
		count--;
	compact[count] = '\0';
	return count > 0;
}

static size_t amount_count(const char *text, char one)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == one;
	return count;
}

/* Returns the decimal mark; NULL if there is none. */
static const char *amount_find_mark(const char *number)
{
	const char *dot = strrchr(number, '.'), *comma = strrchr(number, ',');
	const char *last = dot > comma ? dot : comma;

	if (!last || (dot && comma))
		return last;
	if (amount_count(number, *last) > 1)
		return NULL;
	if (strlen(last + 1) == GROUP_DIGITS && *number != '0' &&
	    (size_t)(last - number) == strspn(number, DIGITS) &&
	    last - number <= GROUP_DIGITS)
		return NULL; /* it separates thousands */
	return last;
}

/* Reads groups of digits with one kind of separator, up to `end`. */
static bool amount_read_whole(const char *number, const char *end, int64_t *whole_out)
{
	size_t digits = 0, group = 0;
	int64_t whole = 0;
	char separator = 0;

	for (const char *at = number; at < end; at++) {
		if (strchr(DIGITS, *at)) {
			whole = whole * 10 + (*at - '0');
			group++;
			if (++digits > WHOLE_DIGITS_MAX)
				return false;
			continue;
		}
		/* India writes "1,23,456" */
		if (group == 0 || group > GROUP_DIGITS ||
		    (separator && (*at != separator || group < SHORT_GROUP)))
			return false;
		separator = *at;
		group = 0;
	}
	*whole_out = whole;
	return separator ? group == GROUP_DIGITS : group > 0;
}

/* Adds the digits after the mark, as thousandths. */
static bool amount_read_decimals(const char *text, struct amount *amount)
{
	size_t count = strlen(text);
	int64_t thousandths = 0;

	if (count == 0 || count > AMOUNT_DECIMALS_MAX || strspn(text, DIGITS) != count)
		return false;
	for (size_t i = 0; i < AMOUNT_DECIMALS_MAX; i++)
		thousandths = thousandths * 10 + (i < count ? text[i] - '0' : 0);
	amount->decimals = (unsigned)count;
	amount->thousandths += thousandths;
	return true;
}

bool amount_read(const char *text, size_t length, struct amount *amount_out)
{
	struct amount amount = { 0 };
	char compact[COMPACT_BYTES];
	const char *number, *mark;
	bool is_negative;

	if (!amount_compact(text, length, compact))
		return false;
	is_negative = *compact == '-';
	number = compact + strspn(compact, "+-");
	if (number - compact > 1)
		return false;
	number += strspn(number, " ");
	mark = amount_find_mark(number);
	if (!amount_read_whole(number, mark ? mark : number + strlen(number),
			       &amount.thousandths))
		return false;
	amount.thousandths *= 1000;
	if (mark && !amount_read_decimals(mark + 1, &amount))
		return false;
	if (is_negative)
		amount.thousandths = -amount.thousandths;
	*amount_out = amount;
	return true;
}

void amount_write(const struct amount *amount, char text[AMOUNT_BYTES])
{
	uint64_t value = (uint64_t)amount->thousandths;
	char decimals[4];

	if (amount->thousandths < 0)
		value = -value;
	snprintf(decimals, sizeof(decimals), "%03u", (unsigned)(value % 1000));
	snprintf(text, AMOUNT_BYTES, "%s%" PRIu64 "%s%.*s",
		 amount->thousandths < 0 ? "-" : "", value / 1000,
		 amount->decimals ? "." : "", (int)amount->decimals, decimals);
}
