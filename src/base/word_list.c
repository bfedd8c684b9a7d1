/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/word_list.h"

#include <string.h>

static const char separators[] = " \t,";

bool word_list_next(const char **at_inout, char *word_out, size_t room)
{
	const char *word = *at_inout + strspn(*at_inout, separators);
	size_t length = strcspn(word, separators);

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
		words += strspn(words, separators);
		length = strcspn(words, separators);
		if (length == 0)
			return false;
		if (length == wanted && memcmp(words, word, length) == 0)
			return true;
	}
}
