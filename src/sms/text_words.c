/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/text_words.h"

#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"

enum { ABBREVIATION_BYTES = 3 };

enum letter_kind {
	NO_LETTER,
	LETTER,
	DIGIT,
	IDEOGRAPH, /* of a script that puts no blanks between words */
};

static bool is_within(uint32_t character, uint32_t first, uint32_t last)
{
	return character >= first && character <= last;
}

static enum letter_kind kind_of(uint32_t character)
{
	if (is_within(character, '0', '9'))
		return DIGIT;
	if (character < 0xc0 || escape_is_needed(character))
		return is_within(utf8_fold(character), 'a', 'z') ? LETTER : NO_LETTER;
	if (is_within(character, 0x2000, 0x2fff) ||
	    is_within(character, 0x3000, 0x303f) ||
	    is_within(character, 0xfe00, 0xff20) || character >= 0x1f000 ||
	    character == 0xd7 || character == 0xf7 || character == 0x37e ||
	    is_within(character, 0x60c, 0x60d) || character == 0x61b ||
	    character == 0x61f || is_within(character, 0x66a, 0x66d) ||
	    character == 0x6d4 || is_within(character, 0x964, 0x965))
		return NO_LETTER; /* marks of Greek, Arabic, Urdu, Hindi among letters */
	if (is_within(character, 0x3040, 0x9fff) || is_within(character, 0xac00, 0xd7af))
		return IDEOGRAPH;
	return LETTER;
}

static bool is_blank(uint32_t character)
{
	return character == ' ' || character == '\n' || character == '\t' ||
	       character == '\r' || character == 0xa0 || character == 0x202f ||
	       !character;
}

/* where the splitting stands */
struct splitter {
	const char *at;
	unsigned letters;
	unsigned sentence;
	uint32_t previous;    /* the character before `at`, 0 none */
	unsigned word_length; /* bytes, of the last word */
	bool starts;
};

static uint32_t peek(const struct splitter *splitter)
{
	const char *at = splitter->at;

	return *at ? utf8_next(&at) : 0;
}

static uint32_t step(struct splitter *splitter)
{
	splitter->previous = utf8_next(&splitter->at);
	splitter->letters++;
	return splitter->previous;
}

/* "No. 12345": the number belongs to the word. */
static bool is_abbreviation(const struct splitter *splitter)
{
	return splitter->word_length <= ABBREVIATION_BYTES && splitter->previous == '.' &&
	       splitter->at[0] == ' ' && splitter->at[1] >= '0' && splitter->at[1] <= '9';
}

/* A mark between words: it may end a sentence or begin something new. */
static void step_mark(struct splitter *splitter)
{
	uint32_t mark = step(splitter);
	bool ends = mark == '.' || mark == '!' || mark == '?' || mark == 0x3002;

	if (mark == '\n' ||
	    (ends && is_blank(peek(splitter)) && !is_abbreviation(splitter))) {
		splitter->sentence++;
		splitter->starts = true;
	} else if (mark == ':') {
		splitter->starts = true;
	}
}

static void add_folded(struct text_word *word, size_t *length, uint32_t character)
{
	char bytes[4];
	size_t count;

	if (character > 0xffff)
		return;
	count = utf8_write(utf8_fold(character), bytes);
	if (*length + count >= TEXT_WORD_FOLDED_BYTES)
		return;
	memcpy(word->folded + *length, bytes, count);
	*length += count;
	word->folded[*length] = '\0';
}

/* Ideographs and what is none of them are words of their own. */
static bool goes_on(enum letter_kind first, enum letter_kind next)
{
	return next != NO_LETTER && (first == IDEOGRAPH) == (next == IDEOGRAPH);
}

static enum text_word_type type_of(bool digits, bool ascii_letters, bool other_letters)
{
	if (!digits)
		return TEXT_WORD;
	if (other_letters)
		return TEXT_OTHER;
	return ascii_letters ? TEXT_MIXED : TEXT_NUMBER;
}

static void read_word(struct splitter *splitter, struct text_word *word)
{
	enum letter_kind first = kind_of(peek(splitter));
	bool digits = false, ascii_letters = false, other_letters = false;
	size_t folded_length = 0;

	*word = (struct text_word){
		.text = splitter->at,
		.letters = splitter->letters,
		.sentence = splitter->sentence,
		.before = splitter->previous,
		.starts = splitter->starts,
		.is_upper = true,
	};
	while (goes_on(first, kind_of(peek(splitter)))) {
		uint32_t character = step(splitter);
		bool is_digit = kind_of(character) == DIGIT;

		digits |= is_digit;
		ascii_letters |= !is_digit && character < 0x80;
		other_letters |= character >= 0x80;
		word->is_upper &= is_digit || utf8_fold(character) != character;
		add_folded(word, &folded_length, character);
	}
	word->length = (unsigned)(splitter->at - word->text);
	word->behind = peek(splitter);
	splitter->word_length = word->length;
	word->type = type_of(digits, ascii_letters, other_letters);
	splitter->starts = false;
}

size_t text_words_split(const char *text, struct text_word words[TEXT_WORDS_MAX])
{
	struct splitter splitter = { .at = text, .starts = true };
	size_t count = 0;

	while (*splitter.at && count < TEXT_WORDS_MAX) {
		if (kind_of(peek(&splitter)) == NO_LETTER)
			step_mark(&splitter);
		else
			read_word(&splitter, &words[count++]);
	}
	return count;
}
