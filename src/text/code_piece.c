/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splits a text into pieces and counts what each consists of.
 *
 * A piece ends at a space, at punctuation of wide scripts, and at a letter of a script that
 * puts no spaces between words (Chinese, Japanese, Korean), so that a code inside such a
 * sentence is a piece of its own. Punctuation at both ends is cut off; inside it counts as a
 * mark, and if all marks are the same they separate groups.
 */
#include "text/code.h"

#include <string.h>

#include "base/utf8.h"

enum {
	CODE_PIECE_ENDING_MOST = 7, /* bytes of a case ending, with its mark */
};

static bool code_piece_is_within(uint32_t character, uint32_t first, uint32_t last)
{
	return character >= first && character <= last;
}

/* It ends a piece: a blank, a letter of a script without blanks, one of its marks. */
static bool code_piece_is_between(uint32_t character)
{
	return character <= ' ' || character == 0xa0 ||
	       code_piece_is_within(character, 0x2000, 0x206f) ||
	       code_piece_is_within(character, 0x3000, 0x9fff) ||
	       code_piece_is_within(character, 0xac00, 0xd7af) ||
	       code_piece_is_within(character, 0xff00, 0xff20) || character == 0xab ||
	       character == 0xbb || character == 0x60c || character == 0x61b;
}

bool code_piece_is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static bool code_piece_is_ascii_letter(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

bool code_piece_is_part(char byte)
{
	return code_piece_is_digit(byte) || code_piece_is_ascii_letter(byte) ||
	       (unsigned char)byte >= 0x80;
}

static size_t code_piece_end(const char *text, size_t at)
{
	while (text[at]) {
		const char *next = text + at;

		if (code_piece_is_between(utf8_next(&next)))
			break;
		at = (size_t)(next - text);
	}
	return at;
}

static void code_piece_count_letter(struct code_piece *piece, uint32_t character)
{
	if (character >= 0x80 && text_word_is_capital(character)) {
		piece->uppers++;
	} else if (character >= 0x80) {
		piece->others++;
	} else if (character >= 'A' && character <= 'Z') {
		piece->has_capital_inside |= piece->lowers > 0;
		piece->has_vowel |= strchr("AEIOUY", (char)character) != NULL;
		piece->uppers++;
	} else {
		piece->lowers++;
	}
}

static void code_piece_count_mark(struct code_piece *piece, char mark)
{
	if (piece->marks == 0)
		piece->separator = mark;
	else if (piece->separator != mark)
		piece->separator = '\0';
	piece->marks++;
	piece->groups++;
}

static void code_piece_measure(const char *text, struct code_piece *piece)
{
	const char *at = text + piece->from, *end = text + piece->to;

	piece->groups = 1;
	while (at < end) {
		uint32_t character = utf8_next(&at);

		if (code_piece_is_within(character, '0', '9'))
			piece->digits++;
		else if (character >= 0x80 || code_piece_is_ascii_letter((char)character))
			code_piece_count_letter(piece, character);
		else
			code_piece_count_mark(piece, (char)character);
	}
}

/* Its ends are letters or digits; false: it has none. */
static bool code_piece_trim(const char *text, struct code_piece *piece)
{
	while (piece->from < piece->to && !code_piece_is_part(text[piece->from]))
		piece->from++;
	while (piece->to > piece->from && !code_piece_is_part(text[piece->to - 1]))
		piece->to--;
	return piece->from < piece->to;
}

/* Finds the words of a piece, from the word on at which it may begin. */
static void code_piece_find_words(const struct code_context *context,
				  struct code_piece *piece, size_t *word)
{

	while (*word < context->count &&
	       context->words[*word].text < context->text + piece->from)
		++*word;
	piece->word = piece->behind = *word;
	while (piece->behind < context->count &&
	       context->words[piece->behind].text < context->text + piece->to)
		piece->behind++;
}

unsigned code_piece_letters(const struct code_piece *piece)
{
	return piece->uppers + piece->lowers + piece->others;
}

bool code_piece_next(const struct code_context *context,
		     struct code_piece_position *position, struct code_piece *piece_out)
{
	const char *text = context->text;

	while (text[position->at]) {
		struct code_piece piece = { .from = position->at,
					    .to = code_piece_end(text, position->at) };
		const char *next = text + position->at;

		utf8_next(&next);
		position->at = piece.to > position->at ? piece.to : (size_t)(next - text);
		if (!code_piece_trim(text, &piece))
			continue;
		code_piece_find_words(context, &piece, &position->word);
		if (piece.behind == piece.word)
			continue;
		code_piece_measure(text, &piece);
		*piece_out = piece;
		return true;
	}
	return false;
}

bool code_piece_join(const struct code_context *context, struct code_piece *piece)
{
	const size_t first = piece->behind;

	if (piece->marks || code_piece_letters(piece) ||
	    (piece->from > 1 && code_piece_is_digit(context->text[piece->from - 2])))
		return false;
	while (piece->behind < context->count) {
		const struct text_word *next = &context->words[piece->behind];

		if (next->type != TEXT_NUMBER || context->text[piece->to] != ' ' ||
		    next->text != context->text + piece->to + 1)
			break;
		piece->digits += next->length;
		piece->to += 1 + next->length;
		piece->groups++;
		piece->behind++;
	}
	return piece->behind > first &&
	       (!context->text[piece->to] ||
		!code_piece_is_part(context->text[piece->to + 1]) ||
		context->text[piece->to] == ' ');
}

bool code_piece_cut_ending(const struct code_context *context, struct code_piece *piece)
{
	const char *text = context->text;
	size_t mark = piece->from, at;

	while (mark < piece->to && (code_piece_is_digit(text[mark]) ||
				    (text[mark] >= 'A' && text[mark] <= 'Z')))
		mark++;
	at = mark + 1;
	if (mark - piece->from < CODE_PIECE_LEAST || at >= piece->to ||
	    !strchr("-':", text[mark]))
		return false;
	while (at < piece->to &&
	       ((text[at] >= 'a' && text[at] <= 'z') || (unsigned char)text[at] >= 0x80))
		at++;
	if (at < piece->to || at - mark > CODE_PIECE_ENDING_MOST)
		return false;
	*piece = (struct code_piece){ piece->from, mark, piece->word, piece->behind };
	code_piece_measure(text, piece);
	return true;
}
