/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"

enum { SINGLES_MIN = 4 };

/*
 * The first of ten digits each: Unicode 15, category Nd, framed, raised and lowered ones.
 */
static const uint32_t zeros[] = {
	0x2070,	 0x2080,  0x0660,  0x06f0,  0x07c0,  0x0966, 0x09e6, 0x0a66, 0x0ae6,
	0x0b66,	 0x0be6,  0x0c66,  0x0ce6,  0x0d66,  0x0de6, 0x0e50, 0x0ed0, 0x0f20,
	0x1040,	 0x1090,  0x17e0,  0x1810,  0x1946,  0x19d0, 0x1b50, 0x1bb0, 0x1c40,
	0x1c50,	 0xa620,  0xa8d0,  0xa900,  0xa9d0,  0xaa50, 0xabf0, 0xff10, 0x1d7ce,
	0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1fbf0,
};

/* The first of nine digits, one to nine. */
static const uint32_t ones[] = { 0x2460, 0x2474, 0x2488, 0x24f5, 0x2776, 0x2780, 0x278a };

/* Digits that stand outside any such row. */
static const struct {
	uint32_t character;
	char digit;
} singles[] = {
	{ 0xb9, '1' }, { 0xb2, '2' }, { 0xb3, '3' }, { 0x24ea, '0' }, { 0x24ff, '0' },
};

bool code_text_digit_of(uint32_t character, char *digit_out)
{
	for (size_t i = 0; i < sizeof(zeros) / sizeof(*zeros); i++) {
		if (character >= zeros[i] && character <= zeros[i] + 9) {
			*digit_out = (char)('0' + (character - zeros[i]));
			return true;
		}
	}
	for (size_t i = 0; i < sizeof(singles) / sizeof(*singles); i++) {
		if (character == singles[i].character) {
			*digit_out = singles[i].digit;
			return true;
		}
	}
	for (size_t i = 0; i < sizeof(ones) / sizeof(*ones); i++) {
		if (character >= ones[i] && character <= ones[i] + 8) {
			*digit_out = (char)('1' + (character - ones[i]));
			return true;
		}
	}
	return false;
}

static bool code_text_is_within(uint32_t character, uint32_t first, uint32_t last)
{
	return character >= first && character <= last;
}

/* Invisible between digits, or a frame around them. */
static bool code_text_is_nothing(uint32_t character)
{
	if (character == '\r')
		return false;
	return escape_is_needed(character) ||
	       code_text_is_within(character, 0x200c, 0x200d) ||
	       code_text_is_within(character, 0xfe0e, 0xfe0f) ||
	       code_text_is_within(character, 0x20e0, 0x20e3);
}

/* Writes the plain form of a character; returns its bytes. */
static size_t code_text_convert(uint32_t character, char bytes[4])
{
	if (character < 0x80) {
		bytes[0] = (char)character;
		return !code_text_is_nothing(character);
	}
	if (code_text_is_nothing(character))
		return 0;
	if (code_text_digit_of(character, bytes))
		return 1;
	if (code_text_is_within(character, 0xff21, 0xff3a) ||
	    code_text_is_within(character, 0xff41, 0xff5a))
		character -= 0xff21 - 'A';
	if (character == 0xa0 || code_text_is_within(character, 0x2000, 0x200a) ||
	    character == 0x202f || character == 0x3000)
		character = ' ';
	return utf8_write(character, bytes);
}

static void code_text_append(struct code_text *read, const char *bytes, size_t size,
			     const size_t place[2])
{
	for (size_t i = 0; i < size; i++) {
		read->text[read->length] = bytes[i];
		read->from[read->length] = place[0];
		read->to[read->length] = place[1];
		read->length++;
	}
}

static void code_text_read_all(struct code_text *read, const char *text)
{
	const char *at = text;
	char bytes[4];

	while (*at) {
		size_t place[2] = { (size_t)(at - text) };
		size_t length = code_text_convert(utf8_next(&at), bytes);

		place[1] = (size_t)(at - text);
		code_text_append(read, bytes, length, place);
	}
	read->text[read->length] = '\0';
}

bool code_text_is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

bool code_text_is_part(char byte)
{
	return code_text_is_digit(byte) ||
	       ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') ||
	       (unsigned char)byte >= 0x80;
}

static bool code_text_is_symbol(char byte)
{
	return code_text_is_digit(byte) || (byte >= 'A' && byte <= 'Z');
}

/*
 * Bytes of a row of single characters here, "1 2 3 4", "K 7 P 3" or "1-2-3-4", and how many
 * bytes from one to the next; 0: there is none.
 */
static size_t code_text_row_length(const struct code_text *read, size_t at,
				   size_t *step_out)
{
	const char *text = read->text;
	char mark = text[at] ? text[at + 1] : '\0';
	size_t end = at, step = 2;

	if (!code_text_is_symbol(text[at]) || (mark != ' ' && mark != '-') ||
	    (at > 0 && code_text_is_part(text[at - 1])))
		return 0;
	while (mark == ' ' && text[at + step] == ' ')
		step++;
	*step_out = step;
	while (strspn(text + end + 1, (const char[]){ mark, '\0' }) == step - 1 &&
	       code_text_is_symbol(text[end + step]) &&
	       !code_text_is_part(text[end + step + 1]))
		end += step;
	return (end - at) / step + 1 < SINGLES_MIN ? 0 : end - at + 1;
}

static void code_text_join_singles(struct code_text *read)
{
	size_t kept = 0, at = 0;

	while (at < read->length) {
		size_t step = 1, row = code_text_row_length(read, at, &step);
		size_t end = at + (row ? row : 1);

		for (; at < end; at += step, kept++) {
			read->text[kept] = read->text[at];
			read->from[kept] = read->from[at];
			read->to[kept] = read->to[at];
		}
		at = end;
	}
	read->text[kept] = '\0';
	read->length = kept;
}

bool code_text_has_digits(const char *text)
{
	/* first byte of U+0640 and above, and of raised digits such as U+00B9 */
	static const unsigned char beyond_latin = 0xd9, raised = 0xc2;

	for (; *text; text++) {
		if ((*text >= '0' && *text <= '9') ||
		    (unsigned char)*text >= beyond_latin ||
		    (unsigned char)*text == raised)
			return true;
	}
	return false;
}

int code_text_init(struct code_text *read, const char *text)
{
	size_t room = strlen(text) + 4; /* code_text_row_length() looks ahead */

	*read = (struct code_text){
		.text = calloc(room, 1),
		.from = calloc(room, sizeof(*read->from)),
		.to = calloc(room, sizeof(*read->to)),
	};
	if (!read->text || !read->from || !read->to) {
		code_text_deinit(read);
		return -ENOMEM;
	}
	code_text_read_all(read, text);
	code_text_join_singles(read);
	return 0;
}

void code_text_deinit(struct code_text *read)
{
	free(read->text);
	free(read->from);
	free(read->to);
}
