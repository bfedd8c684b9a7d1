/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/utf8.h"

#include <string.h>

static size_t utf8_ascii_run(const unsigned char *text, size_t length)
{
	size_t at = 0;
	uint64_t word;

	while (length - at >= sizeof(word)) {
		memcpy(&word, text + at, sizeof(word));
		if (word & UINT64_C(0x8080808080808080))
			break;
		at += sizeof(word);
	}
	while (at < length && text[at] < 0x80)
		at++;
	return at;
}

static size_t utf8_sequence_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead < 0xe0)
		return 2;
	return lead < 0xf0 ? 3 : 4;
}

/*
 * RFC 3629, section 4: only the second byte has limits other than 80 to BF, and they depend
 * on the first byte alone. Otherwise E0 and F0 would begin overlong forms, ED surrogates, and
 * F4 code points above U+10FFFF.
 */
static bool utf8_pair_valid(unsigned char lead, unsigned char second)
{
	switch (lead) {
	case 0xe0:
		return second >= 0xa0 && second <= 0xbf;
	case 0xed:
		return second >= 0x80 && second <= 0x9f;
	case 0xf0:
		return second >= 0x90 && second <= 0xbf;
	case 0xf4:
		return second >= 0x80 && second <= 0x8f;
	default:
		return lead >= 0xc2 && lead <= 0xf4 && (second & 0xc0) == 0x80;
	}
}

bool utf8_valid(const char *text, size_t length)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t at = 0;

	while (at < length) {
		size_t size, next;

		at += utf8_ascii_run(bytes + at, length - at);
		if (at == length)
			return true;
		size = utf8_sequence_length(bytes[at]);
		if (size > length - at || !utf8_pair_valid(bytes[at], bytes[at + 1]))
			return false;
		for (next = at + 2; next < at + size; next++) {
			if ((bytes[next] & 0xc0) != 0x80)
				return false;
		}
		at += size;
	}
	return true;
}

uint32_t utf8_next(const char **text)
{
	static const unsigned char lead_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	const unsigned char *bytes = (const unsigned char *)*text;
	size_t size = utf8_sequence_length(bytes[0]);
	uint32_t code_point = bytes[0] & lead_bits[size];
	size_t at;

	for (at = 1; at < size; at++)
		code_point = code_point << 6 | (bytes[at] & 0x3f);
	*text += size;
	return code_point;
}

bool utf8_begins(char byte)
{
	return ((unsigned char)byte & 0xC0) != 0x80;
}

size_t utf8_count(const char *text)
{
	size_t count = 0;

	for (; *text; count++)
		utf8_next(&text);
	return count;
}

size_t utf8_write(uint32_t code_point, char *bytes)
{
	size_t size = 1 + (code_point >= 0x80) + (code_point >= 0x800) +
		      (code_point >= 0x10000);
	size_t at;

	if (size == 1) {
		bytes[0] = (char)code_point;
		return 1;
	}
	for (at = size - 1; at > 0; at--, code_point >>= 6)
		bytes[at] = (char)(0x80 | (code_point & 0x3f));
	bytes[0] = (char)(0xf00 >> size | code_point);
	return size;
}

size_t utf8_cut(const char *text, size_t characters)
{
	const char *end = text;

	for (; *end && characters > 0; characters--)
		utf8_next(&end);
	return (size_t)(end - text);
}

/* U+00C0 to U+017F as lower case letters without accents; ' ': not a letter. */
static const char utf8_latin_folded[] =
	"aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty"
	"aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll"
	"lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

static bool utf8_is_within(uint32_t character, uint32_t first, uint32_t last)
{
	return character >= first && character <= last;
}

uint32_t utf8_fold(uint32_t character)
{
	if (utf8_is_within(character, 'A', 'Z'))
		return character - 'A' + 'a';
	if (utf8_is_within(character, 0xc0, 0x17f))
		return (unsigned char)utf8_latin_folded[character - 0xc0];
	if (utf8_is_within(character, 0x391, 0x3a9) ||
	    utf8_is_within(character, 0x410, 0x42f))
		return character + 0x20;
	if (utf8_is_within(character, 0x400, 0x40f))
		return character + 0x50;
	return character;
}

bool utf8_is_accent(uint32_t character)
{
	return utf8_is_within(character, 0x300, 0x36f);
}

/* ---- capital and small letters */

/* Of the capital letters from first to last, in steps: how far behind them the small ones are. */
static const struct {
	uint32_t first, last, step, distance;
} utf8_capitals[] = {
	{ 'A', 'Z', 1, 0x20 },	   { 0xc0, 0xd6, 1, 0x20 },   { 0xd8, 0xde, 1, 0x20 },
	{ 0x100, 0x12e, 2, 1 },	   { 0x132, 0x136, 2, 1 },    { 0x139, 0x147, 2, 1 },
	{ 0x14a, 0x176, 2, 1 },	   { 0x179, 0x17d, 2, 1 },    { 0x18f, 0x18f, 1, 0xca },
	{ 0x1a0, 0x1a4, 2, 1 },	   { 0x1af, 0x1af, 1, 1 },    { 0x1cd, 0x1db, 2, 1 },
	{ 0x1f8, 0x21e, 2, 1 },	   { 0x386, 0x386, 1, 0x26 }, { 0x388, 0x38a, 1, 0x25 },
	{ 0x38c, 0x38c, 1, 0x40 }, { 0x38e, 0x38f, 1, 0x3f }, { 0x391, 0x3a1, 1, 0x20 },
	{ 0x3a3, 0x3ab, 1, 0x20 }, { 0x400, 0x40f, 1, 0x50 }, { 0x410, 0x42f, 1, 0x20 },
	{ 0x460, 0x480, 2, 1 },	   { 0x48a, 0x4be, 2, 1 },    { 0x4c1, 0x4cd, 2, 1 },
	{ 0x4d0, 0x52e, 2, 1 },	   { 0x531, 0x556, 1, 0x30 }, { 0x1e00, 0x1e94, 2, 1 },
	{ 0x1ea0, 0x1efe, 2, 1 },
};

enum { UTF8_CAPITALS = sizeof(utf8_capitals) / sizeof(*utf8_capitals) };

static bool utf8_is_capital(size_t row, uint32_t character)
{
	return utf8_is_within(character, utf8_capitals[row].first,
			      utf8_capitals[row].last) &&
	       (character - utf8_capitals[row].first) % utf8_capitals[row].step == 0;
}

static uint32_t utf8_small(uint32_t character)
{
	if (character < 0x80)
		return utf8_is_within(character, 'A', 'Z') ? character + 0x20 : character;
	for (size_t row = 0; row < UTF8_CAPITALS; row++) {
		if (utf8_is_capital(row, character))
			return character + utf8_capitals[row].distance;
	}
	return character;
}

uint32_t utf8_other_case(uint32_t character)
{
	uint32_t small = utf8_small(character);

	for (size_t row = 0; small == character && row < UTF8_CAPITALS; row++) {
		if (utf8_is_capital(row, character - utf8_capitals[row].distance))
			return character - utf8_capitals[row].distance;
	}
	return small;
}

static bool utf8_begins_with(const char *text, const char *part)
{
	while (*part) {
		if (!*text ||
		    utf8_small(utf8_next(&text)) != utf8_small(utf8_next(&part)))
			return false;
	}
	return true;
}

bool utf8_contains(const char *text, const char *part)
{
	uint32_t first, other;

	if (!*part)
		return true;
	first = utf8_next(&part);
	other = utf8_other_case(first);
	while (*text) {
		uint32_t character = utf8_next(&text);

		if ((character == first || character == other) &&
		    utf8_begins_with(text, part))
			return true;
	}
	return false;
}
