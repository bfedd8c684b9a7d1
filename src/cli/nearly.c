/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/nearly.h"

#include <string.h>

enum { LETTERS_MAX = 31, LETTERS_PER_SLIP = 3, SLIPS_MAX = 2 };

static unsigned least(unsigned one, unsigned other)
{
	return one < other ? one : other;
}

/* Levenshtein's, a row of his table at a time. */
static unsigned distance(const char *given, const char *word)
{
	size_t length = strlen(word);
	unsigned row[LETTERS_MAX + 1];

	for (unsigned at = 0; at <= length; at++)
		row[at] = at;
	for (unsigned line = 1; *given; given++, line++) {
		unsigned before = row[0];

		row[0] = line;
		for (size_t at = 1; at <= length; at++) {
			unsigned changed = before + (word[at - 1] != *given);

			before = row[at];
			row[at] = least(changed, least(row[at], row[at - 1]) + 1);
		}
	}
	return row[length];
}

bool nearly(const char *given, const char *word)
{
	size_t length = strlen(word);
	unsigned slips = least(SLIPS_MAX, (unsigned)length / LETTERS_PER_SLIP);

	return length <= LETTERS_MAX && strlen(given) <= LETTERS_MAX &&
	       distance(given, word) <= slips;
}
