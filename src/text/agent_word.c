/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks words up in sorted tables of thousands of phrases. Byte by byte of the word, a binary
 * search narrows the range of phrases that begin like it. The phrases whose first word ends at
 * this byte come first in the range. A word that begins no phrase costs a few comparisons.
 */
#include "text/agent_word.h"

#include <string.h>

/* Phrases that have the same first `depth` bytes. */
struct agent_word_range {
	const struct agent_word_table *table;
	size_t first, behind;
	size_t depth;
};

static const char *agent_word_phrase(const struct agent_word_table *table, size_t row)
{
	const char *phrase = table->text + table->offsets[row];

	return phrase + (*phrase == '^');
}

static unsigned agent_word_meanings(const struct agent_word_table *table, size_t row)
{
	return table->meanings[table->kinds[row]];
}

static struct agent_word_range agent_word_range_of_all(
	const struct agent_word_table *table)
{
	return (struct agent_word_range){ table, 0, table->count - table->ends, 0 };
}

/* Returns the first row of the range whose next byte is at least this one. */
static size_t agent_word_lower_bound(const struct agent_word_range *range, unsigned byte)
{
	size_t first = range->first, behind = range->behind;

	while (first < behind) {
		size_t middle = (first + behind) / 2;
		const char *phrase = agent_word_phrase(range->table, middle);

		if ((unsigned char)phrase[range->depth] < byte)
			first = middle + 1;
		else
			behind = middle;
	}
	return first;
}

/* Keeps the phrases that go on with this byte. Returns false if there is none. */
static bool agent_word_narrow(struct agent_word_range *range, unsigned char byte)
{
	range->first = agent_word_lower_bound(range, byte);
	range->behind = agent_word_lower_bound(range, byte + 1u);
	range->depth++;
	return range->first < range->behind;
}

/* Does the word fit a pattern of so many bytes? */
static bool agent_word_fits(const struct text_word *word, const char *pattern,
			    size_t length)
{
	size_t size = strlen(word->folded);

	if (*pattern == '^') {
		if (!word->is_upper)
			return false;
		pattern++;
		length--;
	}
	if (*pattern == '*')
		return size > length - 1 && memcmp(word->folded + size - (length - 1),
						   pattern + 1, length - 1) == 0;
	if (pattern[length - 1] == '*')
		return size >= length - 1 &&
		       memcmp(word->folded, pattern, length - 1) == 0;
	return size == length && memcmp(word->folded, pattern, length) == 0;
}

/* Adds what the phrase says to the words that it takes, if it stands here. */
static void agent_word_add_phrase(const struct agent_word_table *table, size_t row,
				  const struct text_word *words, size_t count,
				  unsigned *meanings_out)
{
	const char *phrase = table->text + table->offsets[row];
	size_t taken = 0;

	while (*phrase) {
		const char *end = strchrnul(phrase, ' ');

		if (taken == count ||
		    !agent_word_fits(&words[taken], phrase, (size_t)(end - phrase)))
			return;
		taken++;
		phrase = end + (*end == ' ');
	}
	while (taken > 0)
		meanings_out[--taken] |= agent_word_meanings(table, row);
}

/* The phrases that begin with the first of the words. */
static void agent_word_look_up(const struct agent_word_table *table,
			       const struct text_word *words, size_t count,
			       unsigned *meanings_out)
{
	struct agent_word_range range = agent_word_range_of_all(table);
	const char *word = words->folded;

	for (size_t row = table->count - table->ends; row < table->count; row++)
		agent_word_add_phrase(table, row, words, count, meanings_out);
	while (*word && agent_word_narrow(&range, (unsigned char)*word)) {
		word++;
		for (size_t row = range.first; row < range.behind; row++) {
			char next = agent_word_phrase(table, row)[range.depth];

			if (next != '\0' && next != ' ' && next != '*')
				break;
			if (!*word || next == '*')
				agent_word_add_phrase(table, row, words, count,
						      meanings_out);
		}
	}
}

unsigned agent_word_read(const struct text_word *words, size_t count,
			 unsigned *meanings_out)
{
	unsigned all = 0;

	memset(meanings_out, 0, count * sizeof(*meanings_out));
	for (size_t at = 0; at < count; at++)
		agent_word_look_up(&agent_lexicon, words + at, count - at,
				   meanings_out + at);
	for (size_t at = 0; at < count; at++)
		all |= meanings_out[at];
	return all;
}

unsigned agent_word_find_anywhere(const char *folded, size_t length)
{
	unsigned meanings = 0;

	for (size_t at = 0; at < length; at++) {
		struct agent_word_range range = agent_word_range_of_all(&agent_script);

		while (at + range.depth < length &&
		       agent_word_narrow(&range,
					 (unsigned char)folded[at + range.depth])) {
			if (!agent_word_phrase(&agent_script, range.first)[range.depth])
				meanings |=
					agent_word_meanings(&agent_script, range.first);
		}
	}
	return meanings;
}
