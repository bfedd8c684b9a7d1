/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/text_word.h"

#include <string.h>

#include "base/utf8.h"
#include "base/escape.h"

enum { ABBREVIATION_BYTES = 3 };

enum text_word_letter_kind {
	NO_LETTER,
	LETTER,
	DIGIT,
	IDEOGRAPH, /* of a script without spaces between words */
};

static bool text_word_is_within(uint32_t character, uint32_t first, uint32_t last)
{
	return character >= first && character <= last;
}

static enum text_word_letter_kind text_word_kind_of(uint32_t character)
{
	if (text_word_is_within(character, '0', '9'))
		return DIGIT;
	if (character < 0xc0 || escape_is_needed(character))
		return text_word_is_within(utf8_fold(character), 'a', 'z') ? LETTER
									   : NO_LETTER;
	if (text_word_is_within(character, 0x2000, 0x2fff) ||
	    text_word_is_within(character, 0x3000, 0x303f) ||
	    text_word_is_within(character, 0xfe00, 0xff20) || character >= 0x1f000 ||
	    character == 0xd7 || character == 0xf7 || character == 0x37e ||
	    text_word_is_within(character, 0x60c, 0x60d) || character == 0x61b ||
	    character == 0x61f || text_word_is_within(character, 0x66a, 0x66d) ||
	    character == 0x6d4 || text_word_is_within(character, 0x964, 0x965))
		return NO_LETTER; /* marks of Greek, Arabic, Urdu, Hindi among letters */
	if (text_word_is_within(character, 0x3040, 0x9fff) ||
	    text_word_is_within(character, 0xac00, 0xd7af))
		return IDEOGRAPH;
	return LETTER;
}

static bool text_word_is_blank(uint32_t character)
{
	return character == ' ' || character == '\n' || character == '\t' ||
	       character == '\r' || character == 0xa0 || character == 0x202f ||
	       !character;
}

/* the state of the splitting */
struct text_word_splitter {
	const char *at;
	unsigned letters;
	unsigned sentence;
	uint32_t previous;    /* the character before `at`, 0 none */
	unsigned word_length; /* bytes, of the last word */
	bool starts;
};

static uint32_t text_word_peek(const struct text_word_splitter *splitter)
{
	const char *at = splitter->at;

	return *at ? utf8_next(&at) : 0;
}

static uint32_t text_word_step(struct text_word_splitter *splitter)
{
	splitter->previous = utf8_next(&splitter->at);
	splitter->letters++;
	return splitter->previous;
}

/* "No. 12345": the number belongs to the word. */
static bool text_word_is_abbreviation(const struct text_word_splitter *splitter)
{
	return splitter->word_length <= ABBREVIATION_BYTES && splitter->previous == '.' &&
	       splitter->at[0] == ' ' && splitter->at[1] >= '0' && splitter->at[1] <= '9';
}

/* Punctuation between words: it may end a sentence or start a new part. */
static void text_word_step_mark(struct text_word_splitter *splitter)
{
	uint32_t mark = text_word_step(splitter);
	bool ends = mark == '.' || mark == '!' || mark == '?' || mark == 0x3002;

	if (mark == '\n' || (ends && text_word_is_blank(text_word_peek(splitter)) &&
			     !text_word_is_abbreviation(splitter))) {
		splitter->sentence++;
		splitter->starts = true;
	} else if (mark == ':') {
		splitter->starts = true;
	}
}

static void text_word_add_folded(struct text_word *word, size_t *length,
				 uint32_t character)
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

/* A change between ideographs and other letters ends a word. */
static bool text_word_continues(enum text_word_letter_kind first,
				enum text_word_letter_kind next)
{
	return next != NO_LETTER && (first == IDEOGRAPH) == (next == IDEOGRAPH);
}

static enum text_word_type text_word_find_type(bool digits, bool ascii_letters,
					       bool other_letters)
{
	if (!digits)
		return TEXT_WORD;
	if (other_letters)
		return TEXT_OTHER;
	return ascii_letters ? TEXT_MIXED : TEXT_NUMBER;
}

static void text_word_read_word(struct text_word_splitter *splitter,
				struct text_word *word)
{
	enum text_word_letter_kind first = text_word_kind_of(text_word_peek(splitter));
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
	while (text_word_continues(first, text_word_kind_of(text_word_peek(splitter)))) {
		uint32_t character = text_word_step(splitter);
		bool is_digit = text_word_kind_of(character) == DIGIT;

		digits |= is_digit;
		ascii_letters |= !is_digit && character < 0x80;
		other_letters |= character >= 0x80;
		word->is_upper &= is_digit || utf8_fold(character) != character;
		text_word_add_folded(word, &folded_length, character);
	}
	word->length = (unsigned)(splitter->at - word->text);
	word->behind = text_word_peek(splitter);
	splitter->word_length = word->length;
	word->type = text_word_find_type(digits, ascii_letters, other_letters);
	splitter->starts = false;
}

size_t text_word_split(const char *text, struct text_word words[TEXT_WORDS_MAX])
{
	struct text_word_splitter splitter = { .at = text, .starts = true };
	size_t count = 0;

	while (*splitter.at && count < TEXT_WORDS_MAX) {
		if (text_word_kind_of(text_word_peek(&splitter)) == NO_LETTER)
			text_word_step_mark(&splitter);
		else
			text_word_read_word(&splitter, &words[count++]);
	}
	return count;
}

/* utf8_fold() would also remove accents. */
bool text_word_is_capital(uint32_t character)
{
	return text_word_is_within(character, 'A', 'Z') ||
	       (text_word_is_within(character, 0xc0, 0xde) && character != 0xd7) ||
	       (text_word_is_within(character, 0x100, 0x137) && character % 2 == 0) ||
	       (text_word_is_within(character, 0x139, 0x148) && character % 2 == 1) ||
	       (text_word_is_within(character, 0x14a, 0x177) && character % 2 == 0) ||
	       (text_word_is_within(character, 0x179, 0x17e) && character % 2 == 1) ||
	       text_word_is_within(character, 0x391, 0x3a9) ||
	       text_word_is_within(character, 0x400, 0x42f);
}
