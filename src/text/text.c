/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/text.h"

#include <string.h>
#include <strings.h>

#include "base/escape.h"
#include "base/utf8.h"

enum { ABBREVIATION_BYTES = 3 };

static bool text_is_within(uint32_t character, uint32_t first, uint32_t last)
{
	return character >= first && character <= last;
}

/* ---- words */

enum text_word_letter_kind {
	NO_LETTER,
	LETTER,
	DIGIT,
	IDEOGRAPH, /* of a script without spaces between words */
};

static enum text_word_letter_kind text_word_kind_of(uint32_t character)
{
	if (text_is_within(character, '0', '9'))
		return DIGIT;
	if (character < 0xc0 || escape_is_needed(character))
		return text_is_within(utf8_fold(character), 'a', 'z') ? LETTER
								      : NO_LETTER;
	if (text_is_within(character, 0x2000, 0x2fff) ||
	    text_is_within(character, 0x3000, 0x303f) ||
	    text_is_within(character, 0xfe00, 0xff20) || character >= 0x1f000 ||
	    character == 0xd7 || character == 0xf7 || character == 0x37e ||
	    text_is_within(character, 0x60c, 0x60d) || character == 0x61b ||
	    character == 0x61f || text_is_within(character, 0x66a, 0x66d) ||
	    character == 0x6d4 || text_is_within(character, 0x964, 0x965))
		return NO_LETTER; /* marks of Greek, Arabic, Urdu, Hindi among letters */
	if (text_is_within(character, 0x3040, 0x9fff) ||
	    text_is_within(character, 0xac00, 0xd7af))
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
	uint32_t previous;    /* the character before `at`; 0 if there is none */
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
	return text_is_within(character, 'A', 'Z') ||
	       (text_is_within(character, 0xc0, 0xde) && character != 0xd7) ||
	       (text_is_within(character, 0x100, 0x137) && character % 2 == 0) ||
	       (text_is_within(character, 0x139, 0x148) && character % 2 == 1) ||
	       (text_is_within(character, 0x14a, 0x177) && character % 2 == 0) ||
	       (text_is_within(character, 0x179, 0x17e) && character % 2 == 1) ||
	       text_is_within(character, 0x391, 0x3a9) ||
	       text_is_within(character, 0x400, 0x42f);
}

/* ---- links */

static const char *const schemes[] = { "https://", "http://" };

/* Is it a space, comma, full stop, bracket or one of their East Asian relatives? */
static bool text_link_is_wide_mark(uint32_t character)
{
	return text_is_within(character, 0x3000, 0x3002) ||
	       text_is_within(character, 0x3008, 0x301b) || character == 0xff01 ||
	       text_is_within(character, 0xff08, 0xff09) || character == 0xff0c ||
	       text_is_within(character, 0xff1a, 0xff1b) || character == 0xff1f;
}

static bool text_link_ends_link(uint32_t character)
{
	if (character < 0x80)
		return character <= ' ' || strchr("<>\"", (int)character);
	return escape_is_needed(character) || character == 0xa0 || character == 0xab ||
	       character == 0xbb || text_is_within(character, 0x2000, 0x200a) ||
	       text_is_within(character, 0x2018, 0x202f) ||
	       text_link_is_wide_mark(character);
}

/* A closing bracket belongs to the link if it was opened inside it. */
static bool text_link_is_closed_within(const char *link, size_t length, char close)
{
	char open = close == ')' ? '(' : '[';
	int depth = 0;

	for (size_t i = 0; i < length; i++)
		depth += (link[i] == open) - (link[i] == close);
	return depth >= 0;
}

static size_t text_link_without_marks(const char *link, size_t length)
{
	while (length > 0) {
		char last = link[length - 1];

		if ((last == ')' || last == ']') &&
		    text_link_is_closed_within(link, length, last))
			break;
		if (!strchr(".,;:!?'*)]}", last))
			break;
		length--;
	}
	return length;
}

/* Returns the length of the scheme at this position; 0 if there is none. */
static size_t text_link_scheme_length(const char *text)
{
	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
		size_t length = strlen(schemes[i]);

		if (strncasecmp(text, schemes[i], length) == 0)
			return length;
	}
	return 0;
}

static size_t text_link_measure(const char *link)
{
	const char *end = link;

	while (*end) {
		const char *next = end;

		if (text_link_ends_link(utf8_next(&next)))
			break;
		end = next;
	}
	return text_link_without_marks(link, (size_t)(end - link));
}

const char *text_link_find(const char *text, size_t *length_out)
{
	for (; *text; text++) {
		size_t scheme = (*text | 0x20) == 'h' ? text_link_scheme_length(text) : 0;
		size_t length = scheme ? text_link_measure(text) : 0;

		if (length > scheme) {
			*length_out = length;
			return text;
		}
	}
	return NULL;
}

static const char host[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
enum { TOP_LEAST = 2 }; /* letters of a top-level domain */

/* Accepts "example.com/", but not "and/or" or "1.5/2". */
static bool text_link_is_host(const char *word, size_t length)
{
	size_t top = 0;

	if (word[length] != '/')
		return false;
	while (top < length && ((word[length - 1 - top] | 0x20) >= 'a') &&
	       ((word[length - 1 - top] | 0x20) <= 'z'))
		top++;
	return top >= TOP_LEAST && top + 1 < length && word[length - 1 - top] == '.';
}

bool text_link_is_hinted(const char *text)
{
	while (*text) {
		size_t length = strspn(text, host);

		if ((length > 4 && strncasecmp(text, "www.", 4) == 0) ||
		    text_link_is_host(text, length))
			return true;
		text += length ? length : 1;
	}
	return false;
}
