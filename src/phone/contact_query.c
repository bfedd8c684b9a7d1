/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "phone/contact_query.h"

#include <string.h>

#include "base/letter.h"
#include "base/utf8.h"

/* What people who look for a name leave out besides, or cannot type: from, to */
static const uint32_t plain[][2] = {
	{ 0x386, 0x3b1 }, { 0x388, 0x3b5 }, { 0x389, 0x3b7 },
	{ 0x38a, 0x3b9 }, /* Greek */
	{ 0x38c, 0x3bf }, { 0x38e, 0x3c5 }, { 0x38f, 0x3c9 },
	{ 0x390, 0x3b9 }, { 0x3aa, 0x3b9 }, { 0x3ab, 0x3c5 },
	{ 0x3ac, 0x3b1 }, { 0x3ad, 0x3b5 }, { 0x3ae, 0x3b7 },
	{ 0x3af, 0x3b9 }, { 0x3b0, 0x3c5 }, { 0x3c2, 0x3c3 },
	{ 0x3ca, 0x3b9 }, { 0x3cb, 0x3c5 }, { 0x3cc, 0x3bf },
	{ 0x3cd, 0x3c5 }, { 0x3ce, 0x3c9 }, { 0x450, 0x435 },
	{ 0x451, 0x435 }, /* Cyrillic */
	{ 0x218, 's' },	  { 0x219, 's' },   { 0x21a, 't' },
	{ 0x21b, 't' }, /* Romanian */
	{ 0x2018, '\'' }, { 0x2019, '\'' },
};

static uint32_t make_plain(uint32_t letter)
{
	for (size_t i = 0; letter > 0x7f && i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (plain[i][0] == letter)
			return plain[i][1];
	}
	return letter;
}

/* Never longer than the text. */
static void fold(const char *text, char *folded_out)
{
	size_t length = 0;

	while (*text) {
		uint32_t letter = make_plain(utf8_fold(utf8_next(&text)));

		if (!utf8_is_accent(letter))
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
