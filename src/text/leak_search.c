/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text is searched as it is, with each cipher undone, and with look-alikes of Latin letters
 * replaced. Behind earlier texts it is searched only as it is.
 */
#include "text/leak_search.h"

#include <stdlib.h>
#include <string.h>

#include "text/code.h"
#include "text/glyph.h"
#include "text/leak.h"
#include "text/text.h"

enum {
	LEAK_SEARCH_FEW = 2, /* words and numbers: there is nothing else in the text */
	LEAK_SEARCH_INVISIBLE = 4,
};

struct leak_search_pass {
	const struct leak_search *search;
	bool by_look;
	bool dates_count;
	bool is_hinted;
};

static bool leak_search_read(void *data, const char *text, enum leak_cipher_kind kind)
{
	const struct leak_search_pass *pass = data;
	const struct leak_search *search = pass->search;
	struct leak_text read;
	struct leak_reading reading = {
		.index = search->index,
		.words = search->words,
		.text = &read,
		.dates_count = pass->dates_count,
		.is_hinted = pass->is_hinted,
		.has_earlier = *search->earlier,
		.is_cipher = kind != LEAK_CIPHER_WHOLE,
		.least = kind == LEAK_CIPHER_GUESS ? CODE_INDEX_SURE : 0,
	};
	bool found;

	if (kind == LEAK_CIPHER_GUESS && code_index_is_crowded(reading.index))
		return false;
	if (leak_text_init(&read, search->earlier, text, pass->by_look))
		return true;
	if (kind == LEAK_CIPHER_LETTERS)
		leak_text_disown_numbers(&read);
	if (kind != LEAK_CIPHER_LOOKS) /* that one leaves words out */
		reading.dates_count |=
			read.words <= LEAK_SEARCH_FEW && read.numbers <= LEAK_SEARCH_FEW;
	found = leak_reading_has_code(&reading);
	leak_text_deinit(&read);
	return found;
}

/* Does the text speak of codes? Then what looks like a date may be one. */
static bool leak_search_names_codes(const char *text)
{
	struct text_word words[TEXT_WORDS_MAX];
	size_t count = text_word_split(text, words);

	for (size_t i = 0; i < count; i++) {
		if (code_word_kinds(&words[i]) & CODE_WORD_NAME)
			return true;
	}
	return false;
}

/* Does the text speak of digits, or of a way to write them? */
static bool leak_search_has_hint(const char *text)
{
	static const char *const hints[] = {
		"digit",    "ziffer",	 "chiffre",   "cifra",	   "cifre",
		"cijfer",   "cyfr",	 "rakam",     "revers",	   "backward",
		"ruckwart", "envers",	 "al reves",  "contrario", "achterste",
		"wstecz",   "mirror",	 "spiegel",   "minus",	   "subtract",
		"multipl",  "divide",	 "hex",	      "binar",	   "base64",
		"base 36",  "base 64",	 "decode",    "decipher",  "cipher",
		"encod",    "morse",	 "shift",     "rot13",	   "caesar",
		"keypad",   "swap",	 "rearrange", "scramble",  "in order",
		"half of",  "times two", "more than", "less than", "between",
		"plus one", "plus eins", "add ",      "цифр",	   "наоборот",
		"ters",	    "数字",	 "桁",	      "अंक",
	};
	char *folded = malloc(2 * strlen(text) + 1);
	bool found = !folded;

	if (folded)
		glyph_write(text, false, folded);
	for (size_t i = 0; !found && i < sizeof(hints) / sizeof(*hints); i++)
		found = strstr(folded, hints[i]);
	free(folded);
	return found;
}

/*
 * Are there many characters in a row that nobody sees? They can only be there to carry something.
 */
static bool leak_search_is_invisible(const char *text)
{
	static const char *const nothing[] = {
		"\u200b", "\u200c", "\u200d", "\u2060", "\u2061", "\u2062",
		"\u2063", "\u2064", "\ufeff", "\u180e", "\u00ad", "\u200e",
		"\u200f", "\u034f", "\u3164", "\uffa0",
	};
	unsigned row = 0;

	while (*text && row < LEAK_SEARCH_INVISIBLE) {
		size_t length = 0;

		for (size_t i = 0; i < sizeof(nothing) / sizeof(*nothing); i++) {
			if (strncmp(text, nothing[i], strlen(nothing[i])) == 0)
				length = strlen(nothing[i]);
		}
		row = length ? row + 1 : 0;
		text += length ? length : 1;
	}
	return row >= LEAK_SEARCH_INVISIBLE;
}

static bool leak_search_is_ascii(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text >= 0x80)
			return false;
	}
	return true;
}

bool leak_search_has_code(const struct leak_search *search)
{
	struct leak_search_pass pass = {
		.search = search,
		.dates_count = leak_search_names_codes(search->text),
	};

	pass.is_hinted = pass.dates_count || leak_search_has_hint(search->text);
	if (leak_search_read(&pass, search->text, LEAK_CIPHER_WHOLE))
		return true;
	if (*search->earlier)
		return false;
	if (leak_search_is_invisible(search->text) ||
	    leak_cipher_undo(search->text, leak_search_read, &pass))
		return true;
	pass.by_look = true;
	return !leak_search_is_ascii(search->text) &&
	       leak_search_read(&pass, search->text, LEAK_CIPHER_WHOLE);
}
