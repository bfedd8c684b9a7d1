/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/word_list.h"

#include <string.h>

static bool separates(char letter)
{
	return letter == ' ' || letter == '\t' || letter == ',';
}

/* Words are short: strspn() would make its table for each of them. */
static const char *word_begin(const char *at)
{
	while (separates(*at))
		at++;
	return at;
}

static size_t word_length(const char *word)
{
	size_t length = 0;

	while (word[length] && !separates(word[length]))
		length++;
	return length;
}

bool word_list_next(const char **at_inout, char *word_out, size_t room)
{
	const char *word = word_begin(*at_inout);
	size_t length = word_length(word);

	*at_inout = word + length;
	if (length == 0)
		return false;
	if (length >= room)
		length = 0;
	memcpy(word_out, word, length);
	word_out[length] = '\0';
	return true;
}

bool word_list_has(const char *words, const char *word)
{
	size_t wanted = strlen(word), length;

	if (!words)
		return false;
	for (;; words += length) {
		words = word_begin(words);
		length = word_length(words);
		if (length == 0)
			return false;
		if (length == wanted && memcmp(words, word, length) == 0)
			return true;
	}
}
