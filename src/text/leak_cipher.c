/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each row of the table writes one other text from the given one, or nothing if it has none of
 * what the row undoes: letters moved by 13, the text backwards, characters written as numbers,
 * words of base64, base32 or hexadecimal digits, digits in place of letters, invisible tags.
 */
#include "text/leak.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "text/glyph.h"

enum {
	WORD_LEAST = 6,
	WORD_MOST = 4096,
	CHARACTERS_LEAST = 4,
	PLACES_LEAST = 6,
	DEPTH_MOST = 3, /* base64 of base64 */
};

static bool leak_cipher_is_letter(char byte)
{
	return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

static void leak_cipher_put(struct buffer *out, char byte)
{
	buffer_append(out, &byte, 1);
}

/* ---- other letters ------------------------------------------------------------------- */

static void leak_cipher_rotate_letters(const char *text, struct buffer *out)
{
	for (; *text; text++) {
		char base = (char)(*text & 0x20 ? 'a' : 'A');

		leak_cipher_put(out, leak_cipher_is_letter(*text)
					     ? (char)(base + (*text - base + 13) % 26)
					     : *text);
	}
}

static void leak_cipher_mirror_letters(const char *text, struct buffer *out)
{
	for (; *text; text++) {
		char base = (char)(*text & 0x20 ? 'a' : 'A');

		leak_cipher_put(out, leak_cipher_is_letter(*text)
					     ? (char)(base + 25 - (*text - base))
					     : *text);
	}
}

static void leak_cipher_rotate_signs(const char *text, struct buffer *out)
{
	for (; *text; text++)
		leak_cipher_put(out, *text > ' ' && *text < 0x7f
					     ? (char)('!' + (*text - '!' + 47) % 94)
					     : *text);
}

static void leak_cipher_turn(const char *text, struct buffer *out)
{
	size_t end = strlen(text);

	while (end > 0) {
		size_t from = end - 1;

		while (from > 0 && ((unsigned char)text[from] & 0xc0) == 0x80)
			from--;
		buffer_append(out, text + from, end - from);
		end = from;
	}
}

static void leak_cipher_turn_and_rotate(const char *text, struct buffer *out)
{
	struct buffer turned = BUFFER_INIT;

	leak_cipher_turn(text, &turned);
	buffer_append(&turned, "", 1);
	if (!turned.failed)
		leak_cipher_rotate_letters(turned.data, out);
	out->failed |= turned.failed;
	buffer_deinit(&turned);
}

/* "I g n o r e  a l l": letters with a space between them, words with two. */
static void leak_cipher_join_letters(const char *text, struct buffer *out)
{
	bool any = false;

	for (const char *begin = text; *text; text++) {
		bool joins = *text == ' ' && leak_cipher_is_letter(text[1]) &&
			     !leak_cipher_is_letter(text[2]) && text > begin &&
			     leak_cipher_is_letter(text[-1]) &&
			     (text - begin < 2 || text[-2] == ' ');

		any |= joins;
		if (!joins)
			leak_cipher_put(out, *text);
	}
	if (!any)
		out->length = 0;
}

/* Writes "f0ur", "3ight": digits in a word with letters. */
static void leak_cipher_write_as_letters(const char *text, const char *letters,
					 struct buffer *out)
{
	static const char signs[] = "0123456789$@!|";
	bool any = false;

	while (*text) {
		size_t length = 0;
		bool has_letter = false, is_word;

		for (; text[length] && (leak_cipher_is_letter(text[length]) ||
					strchr(signs, text[length]));
		     length++)
			has_letter |= leak_cipher_is_letter(text[length]);
		is_word = length > 0 && has_letter;
		length += length == 0;
		for (; length > 0; length--, text++) {
			const char *sign = is_word ? strchr(signs, *text) : NULL;

			leak_cipher_put(out, sign ? letters[sign - signs] : *text);
			any |= sign != NULL;
		}
	}
	if (!any)
		out->length = 0;
}

static void leak_cipher_write_letters(const char *text, struct buffer *out)
{
	leak_cipher_write_as_letters(text, "oizeasgtbgsail", out);
}

static void leak_cipher_write_other_letters(const char *text, struct buffer *out)
{
	leak_cipher_write_as_letters(text, "olzehsbvbqsail", out);
}

/*
 * Writes "glG2BS": letters that look like digits, which depends on their case. Words without a
 * digit must be long, because any short one can be read so.
 */
static void leak_cipher_write_digits(const char *text, struct buffer *out)
{
	static const char letters[] = "OoDQIilZzEeAaSsGTtBgqb",
			  digits[] = "0000111223344556778996";
	bool any = false;

	while (*text) {
		size_t before = out->length, length = 0;
		bool has_digit = false, has_letter = false, is_number = true;

		for (; (unsigned char)text[length] > ' '; length++) {
			const char *letter = strchr(letters, text[length]);

			has_digit |= text[length] >= '0' && text[length] <= '9';
			has_letter |= letter != NULL;
			if (letter)
				leak_cipher_put(out, digits[letter - letters]);
			else if (text[length] >= '0' && text[length] <= '9')
				leak_cipher_put(out, text[length]);
			else if (strchr(".,;:!?()-/", text[length]))
				leak_cipher_put(out, text[length]);
			else
				is_number = false;
		}
		if (!is_number || (!has_digit && length < WORD_LEAST)) {
			out->length = before;
			buffer_append(out, text, length);
		} else {
			any |= has_letter;
		}
		leak_cipher_put(out, ' ');
		text += length;
		text += *text != '\0';
	}
	if (!any)
		out->length = 0;
}

/* ---- characters as numbers ----------------------------------------------------------- */

static const struct {
	const char *begin, *end;
	int base;
	size_t digits; /* 0 for up to `end`, which may be missing */
} escapes[] = {
	{ "&#x", ";", 16, 0 },	{ "&#X", ";", 16, 0 }, { "&#", ";", 10, 0 },
	{ "\\u{", "}", 16, 0 }, { "\\u", "", 16, 4 },  { "\\x", "", 16, 2 },
	{ "U+", "", 16, 4 },	{ "u+", "", 16, 4 },   { "%u", "", 16, 4 },
	{ "%", "", 16, 2 },	{ "=", "", 16, 2 },    { "\\", "", 8, 3 },
};

/* Returns the bytes of the escape here, and its character; 0 if there is none. */
static size_t leak_cipher_read_escape(const char *text, uint32_t *character_out)
{
	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++) {
		size_t begin, length, most = escapes[i].digits;
		char digits[8] = "", *end;

		if (*text != *escapes[i].begin)
			continue;
		begin = strlen(escapes[i].begin);
		if (strncmp(text, escapes[i].begin, begin) != 0)
			continue;
		length = strspn(text + begin, "0123456789abcdefABCDEF");
		if (most && length > most)
			length = most;
		if (length == 0 || length >= sizeof(digits) || (most && length < most))
			continue;
		memcpy(digits, text + begin, length);
		*character_out = (uint32_t)strtoul(digits, &end, escapes[i].base);
		if (*end || *character_out < ' ' || *character_out > 0x10ffff ||
		    (*character_out >= 0xd800 && *character_out < 0xe000))
			continue;
		length += begin;
		return length + (*escapes[i].end && text[length] == *escapes[i].end);
	}
	return 0;
}

static void leak_cipher_unescape(const char *text, struct buffer *out)
{
	bool any = false;

	while (*text) {
		uint32_t character;
		size_t length = leak_cipher_read_escape(text, &character);
		char bytes[4];

		if (!length) {
			leak_cipher_put(out, *text++);
			continue;
		}
		buffer_append(out, bytes, utf8_write(character, bytes));
		text += length;
		any = true;
	}
	if (!any)
		out->length = 0;
}

/* Reads "75 57 88 52", "4b 39 58 34": four or more characters by their numbers. */
static void leak_cipher_read_characters(const char *text, int base, struct buffer *out)
{
	static const char between[] = " ,;:.-\n\t";
	size_t before = out->length, count = 0;

	while (*text) {
		size_t length = strcspn(text, between);
		char *end;
		long value = strtol(text, &end, base);
		bool is_one = length && length <= 3 && end == text + length &&
			      value > ' ' && value < 0x7f;

		if (is_one) {
			leak_cipher_put(out, (char)value);
			count++;
		} else {
			if (count < CHARACTERS_LEAST)
				out->length = before;
			count = 0;
			leak_cipher_put(out, ' ');
			before = out->length;
		}
		text += length;
		text += strspn(text, between);
	}
	if (count < CHARACTERS_LEAST)
		out->length = before;
}

static void leak_cipher_read_numbers(const char *text, struct buffer *out)
{
	leak_cipher_read_characters(text, 10, out);
	leak_cipher_put(out, '\n');
	leak_cipher_read_characters(text, 16, out);
}

/* Reads "6 9 22 5": letters by their places in the alphabet. */
static void leak_cipher_read_places(const char *text, struct buffer *out)
{
	static const char between[] = " ,;:.-/\n\t";
	size_t before = 0, count = 0;

	while (*text) {
		size_t length = strcspn(text, between);
		char *end;
		long value = strtol(text, &end, 10);

		if (length && length <= 2 && end == text + length && value >= 1 &&
		    value <= 26) {
			leak_cipher_put(out, (char)('a' + value - 1));
			count++;
		} else if (length) {
			if (count < PLACES_LEAST)
				out->length = before;
			count = 0;
			leak_cipher_put(out, ' ');
			before = out->length;
		}
		text += length;
		if (strspn(text, between) > 1 || *text == '/' || *text == '\n')
			leak_cipher_put(out, ' ');
		text += strspn(text, between);
	}
	if (count < PLACES_LEAST)
		out->length = before;
}

/* ---- Morse --------------------------------------------------------------------------- */

/*
 * Returns '.' or '-' for a sign or a word ("dit", "dash"), with its bytes; '\0' if it is neither.
 */
static char leak_cipher_morse_sign(const char *text, size_t *length_out)
{
	static const struct {
		const char *text;
		char sign;
	} signs[] = {
		{ ".", '.' },	  { "-", '-' },	   { "_", '-' },     { "*", '.' },
		{ "dit", '.' },	  { "dah", '-' },  { "dot", '.' },   { "dash", '-' },
		{ "di", '.' },	  { "da", '-' },   { "kurz", '.' },  { "lang", '-' },
		{ "short", '.' }, { "long", '-' }, { "punkt", '.' }, { "strich", '-' },
		{ "ti", '.' },	  { "ta", '-' },   { "точка", '.' }, { "тире", '-' },
	};
	char found = '\0';

	*length_out = 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		size_t length;

		if (*text != *signs[i].text)
			continue;
		length = strlen(signs[i].text);
		if (length > *length_out && strncmp(text, signs[i].text, length) == 0) {
			*length_out = length;
			found = signs[i].sign;
		}
	}
	return found;
}

/* Returns one character; '\0' if there is none with these signs. */
static char leak_cipher_morse_character(const char *signs)
{
	static const char *const characters[] = {
		".-a",	  "-...b",  "-.-.c",  "-..d",	".e",	  "..-.f",
		"--.g",	  "....h",  "..i",    ".---j",	"-.-k",	  ".-..l",
		"--m",	  "-.n",    "---o",   ".--.p",	"--.-q",  ".-.r",
		"...s",	  "-t",	    "..-u",   "...-v",	".--w",	  "-..-x",
		"-.--y",  "--..z",  "-----0", ".----1", "..---2", "...--3",
		"....-4", ".....5", "-....6", "--...7", "---..8", "----.9",
	};
	size_t length = strlen(signs);

	for (size_t i = 0; i < sizeof(characters) / sizeof(*characters); i++) {
		if (strlen(characters[i]) == length + 1 &&
		    strncmp(characters[i], signs, length) == 0)
			return characters[i][length];
	}
	return '\0';
}

/*
 * The signs of a character follow each other; words for signs may have "-" or a space between
 * them, and then a comma behind the character. What is not Morse becomes a space.
 */
static void leak_cipher_read_morse(const char *text, struct buffer *out)
{
	char *folded = malloc(2 * strlen(text) + 1), signs[8] = "", sign;
	size_t count = 0, length, characters = 0;

	if (!folded) {
		out->failed = true;
		return;
	}
	glyph_write(text, false, folded);
	for (const char *at = folded;; at += length) {
		bool in_words;

		sign = leak_cipher_morse_sign(at, &length);
		in_words = sign && length > 1;
		if (sign && count + 1 < sizeof(signs)) {
			signs[count++] = sign;
			signs[count] = '\0';
			if (in_words)
				length += strspn(at + length, " -");
			continue;
		}
		sign = count ? leak_cipher_morse_character(signs) : '\0';
		characters += sign != '\0';
		if (sign)
			leak_cipher_put(out, sign);
		count = 0;
		if (!*at)
			break;
		length = 1;
		if (*at != ' ' && *at != ',')
			leak_cipher_put(out, ' ');
	}
	if (characters < CHARACTERS_LEAST)
		out->length = 0;
	free(folded);
}

/* ---- words of base64 and the like ---------------------------------------------------- */

static const char *const alphabets[] = {
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	"abcdefghijklmnopqrstuvwxyz234567",
	"0123456789abcdef",
	"0123456789ABCDEF",
};

static bool leak_cipher_is_readable(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)bytes[i] < ' ' && !strchr("\n\r\t", bytes[i]))
			return false;
	}
	return length >= 3 && utf8_valid(bytes, length);
}

static void leak_cipher_decode_word(const char *word, size_t length, const char *alphabet,
				    struct buffer *out)
{
	unsigned bits = 0, width = 0, value = 0;
	size_t before = out->length;

	for (size_t size = strlen(alphabet); size > 1; size /= 2)
		width++;
	leak_cipher_put(out, ' ');
	for (size_t i = 0; i < length; i++) {
		value = value << width | (unsigned)(strchr(alphabet, word[i]) - alphabet);
		bits += width;
		if (bits < 8)
			continue;
		bits -= 8;
		leak_cipher_put(out, (char)(value >> bits & 0xff));
	}
	if (out->failed ||
	    !leak_cipher_is_readable(out->data + before + 1, out->length - before - 1))
		out->length = before;
}

static void leak_cipher_decode(const char *text, struct buffer *out)
{
	for (size_t i = 0; i < sizeof(alphabets) / sizeof(*alphabets); i++) {
		const char *at = text;

		while (*at) {
			size_t length =
				*at > ' ' && *at < 0x7f ? strspn(at, alphabets[i]) : 0;

			if (length >= WORD_LEAST && length <= WORD_MOST)
				leak_cipher_decode_word(at, length, alphabets[i], out);
			at += length ? length : 1;
		}
	}
}

/* ---- what nobody sees ---------------------------------------------------------------- */

/* Shows tags, and variation selectors as bytes. */
static void leak_cipher_show_hidden(const char *text, struct buffer *out)
{
	while (*text) {
		uint32_t character = utf8_next(&text);
		char tag = glyph_of_tag(character);

		if (tag)
			leak_cipher_put(out, tag);
		else if (character >= 0xe0100 && character <= 0xe016e)
			leak_cipher_put(out, (char)(character - 0xe0100 + 16));
	}
	if (out->length && !leak_cipher_is_readable(out->data, out->length))
		out->length = 0;
}

static const struct {
	void (*undo)(const char *text, struct buffer *out);
	enum leak_cipher_kind kind;
	bool is_coding; /* writes nothing from ordinary texts; may be applied twice */
} leak_ciphers[] = {
	{ leak_cipher_unescape, LEAK_CIPHER_WHOLE, true },
	{ leak_cipher_read_numbers, LEAK_CIPHER_WHOLE, true },
	{ leak_cipher_read_morse, LEAK_CIPHER_WHOLE, false },
	{ leak_cipher_read_places, LEAK_CIPHER_WHOLE, false },
	{ leak_cipher_write_digits, LEAK_CIPHER_LOOKS, false },
	{ leak_cipher_decode, LEAK_CIPHER_WHOLE, true },
	{ leak_cipher_show_hidden, LEAK_CIPHER_WHOLE, false },
	{ leak_cipher_write_letters, LEAK_CIPHER_LETTERS, false },
	{ leak_cipher_write_other_letters, LEAK_CIPHER_LETTERS, false },
	{ leak_cipher_join_letters, LEAK_CIPHER_LETTERS, false },
	{ leak_cipher_turn, LEAK_CIPHER_LETTERS, false },
	{ leak_cipher_rotate_letters, LEAK_CIPHER_LETTERS, false },
	{ leak_cipher_turn_and_rotate, LEAK_CIPHER_LETTERS, false },
	{ leak_cipher_mirror_letters, LEAK_CIPHER_LETTERS, false },
	{ leak_cipher_rotate_signs, LEAK_CIPHER_GUESS, false },
};

/* What was decoded may be coded once more. */
static bool leak_cipher_undo_again(const char *text, unsigned depth,
				   bool (*visit)(void *data, const char *text,
						 enum leak_cipher_kind kind),
				   void *data)
{
	bool found = false;

	for (size_t i = 0; !found && i < sizeof(leak_ciphers) / sizeof(*leak_ciphers);
	     i++) {
		struct buffer out = BUFFER_INIT;

		if (depth > 1 && !leak_ciphers[i].is_coding)
			continue;
		leak_ciphers[i].undo(text, &out);
		if (out.length || out.failed) {
			buffer_append(&out, "", 1);
			found = out.failed ||
				(utf8_valid(out.data, strlen(out.data)) &&
				 visit(data, out.data, leak_ciphers[i].kind));
			if (!found && leak_ciphers[i].is_coding && depth < DEPTH_MOST)
				found = leak_cipher_undo_again(out.data, depth + 1, visit,
							       data);
		}
		buffer_deinit(&out);
	}
	return found;
}

bool leak_cipher_undo(const char *text,
		      bool (*visit)(void *data, const char *text,
				    enum leak_cipher_kind kind),
		      void *data)
{
	return leak_cipher_undo_again(text, 1, visit, data);
}
