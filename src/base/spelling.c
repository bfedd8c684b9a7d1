/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/spelling.h"

#include <limits.h>
#include <string.h>

enum { SPELLING_LETTERS_PER_TYPO = 3, SPELLING_TYPOS_MAX = 2 };

static unsigned spelling_least(unsigned one, unsigned other)
{
	return one < other ? one : other;
}

/*
 * One row of the table at a time: row[i] is the distance of what was read of `given` from the
 * first i letters of `word`.
 */
unsigned spelling_distance(const char *given, const char *word)
{
	unsigned row[SPELLING_LETTERS_MAX + 1];
	size_t length = strlen(word);

	if (length > SPELLING_LETTERS_MAX || strlen(given) > SPELLING_LETTERS_MAX)
		return UINT_MAX;
	for (unsigned i = 0; i <= length; i++)
		row[i] = i;
	for (unsigned at = 0; given[at]; at++) {
		unsigned diagonal = row[0];

		row[0] = at + 1;
		for (size_t i = 1; i <= length; i++) {
			unsigned replaced = diagonal + (given[at] != word[i - 1]);

			diagonal = row[i];
			row[i] = spelling_least(replaced,
						1 + spelling_least(row[i], row[i - 1]));
		}
	}
	return row[length];
}

bool spelling_is_similar(const char *given, const char *word)
{
	unsigned letters = (unsigned)strlen(word);

	return spelling_distance(given, word) <=
	       spelling_least(SPELLING_TYPOS_MAX, letters / SPELLING_LETTERS_PER_TYPO);
}

bool spelling_is_better(const char *given, const char *word, const char *best)
{
	return spelling_is_similar(given, word) &&
	       (!best || spelling_distance(given, word) < spelling_distance(given, best));
}
