/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "contacts/contact_query.h"

#include <string.h>

#include "base/letter.h"
#include "base/utf8.h"

/* Never longer than the text. */
static void fold(const char *text, char *folded_out)
{
	size_t length = 0;

	while (*text) {
		uint32_t letter = letter_fold(utf8_next(&text));

		if (!letter_is_accent(letter))
			length += utf8_write(letter, folded_out + length);
	}
	folded_out[length] = '\0';
}

bool contact_query_read(struct contact_query *query, const char *name)
{
	if (strlen(name) >= sizeof(query->words))
		return false;
	fold(name, query->words);
	return true;
}

bool contact_query_fits(const struct contact_query *query, const char *name)
{
	char folded[VCARD_NAME_BYTES], words[VCARD_NAME_BYTES];
	char *rest = strcpy(words, query->words);
	const char *word;

	fold(name, folded);
	while ((word = strsep(&rest, " \t\n"))) {
		if (!strstr(folded, word))
			return false;
	}
	return true;
}
