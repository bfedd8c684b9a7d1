/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/word_list.h"

#include <string.h>

static bool word_list_separates(char byte)
{
	return byte == ' ' || byte == '\t' || byte == ',';
}

/* Does not use strspn(), which builds a table for each call: words are short. */
static const char *word_list_begin(const char *at)
{
	while (word_list_separates(*at))
		at++;
	return at;
}

static size_t word_list_length(const char *word)
{
	size_t length = 0;

	while (word[length] && !word_list_separates(word[length]))
		length++;
	return length;
}

bool word_list_next(const char **at_inout, char *word_out, size_t room)
{
	const char *word = word_list_begin(*at_inout);
	size_t length = word_list_length(word);

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
		words = word_list_begin(words);
		length = word_list_length(words);
		if (length == 0)
			return false;
		if (length == wanted && memcmp(words, word, length) == 0)
			return true;
	}
}
