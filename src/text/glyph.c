/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of ranges, by what Unicode 15 says about each: general category Nd and No, and the
 * compatibility decompositions of letters; and by look, from Unicode's confusables.txt: the
 * letters of Cyrillic, Greek, Armenian and Cherokee that pass for Latin ones.
 */
#include "text/glyph.h"

#include "base/escape.h"
#include "base/utf8.h"
#include "text/code.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* `count` numbers from `value` on. */
static const struct glyph_numbers {
	uint32_t first;
	unsigned value, count;
} numbers[] = {
	{ 0x2070, 0, 1 },   { 0x00b9, 1, 1 },	{ 0x00b2, 2, 2 },   { 0x2074, 4, 6 },
	{ 0x2080, 0, 10 },  { 0x24ea, 0, 1 },	{ 0x24ff, 0, 1 },   { 0x1f100, 0, 1 },
	{ 0x1f101, 0, 10 }, { 0x2460, 1, 20 },	{ 0x2474, 1, 20 },  { 0x2488, 1, 20 },
	{ 0x24f5, 1, 10 },  { 0x24eb, 11, 10 }, { 0x2776, 1, 10 },  { 0x2780, 1, 10 },
	{ 0x278a, 1, 10 },  { 0x1f10b, 0, 1 },	{ 0x1f10c, 0, 1 },  { 0x3021, 1, 9 },
	{ 0x3220, 1, 10 },  { 0x3280, 1, 10 },	{ 0x2680, 1, 6 },   { 0x1d360, 1, 9 },
	{ 0x2170, 1, 10 },  { 0x2160, 1, 10 },	{ 0x1f51f, 10, 1 }, { 0x1369, 1, 9 },
	{ 0x10a40, 1, 4 },  { 0x104a0, 0, 10 }, { 0x11066, 0, 10 }, { 0x1d2e0, 0, 20 },
	{ 0x1e140, 0, 10 }, { 0x1e950, 0, 10 }, { 0xa8e0, 0, 10 },  { 0x19da, 1, 1 },
	{ 0x1f030, 0, 1 },  { 0x1f0a1, 1, 10 }, { 0x1f0b1, 1, 10 }, { 0x1f0c1, 1, 10 },
	{ 0x1f0d1, 1, 10 }, { 0x1f007, 1, 9 },	{ 0x1f010, 1, 9 },  { 0x1f019, 1, 9 },
	{ 0x1f550, 1, 12 }, { 0x32c0, 1, 9 },	{ 0x3192, 1, 4 },   { 0xf20, 0, 10 },
};

/* Chinese and Japanese numerals, ordinary and for cheques, in pairs of look and value. */
static const struct glyph_numeral {
	uint32_t character;
	unsigned value;
} numerals[] = {
	{ 0x3007, 0 }, { 0x96f6, 0 }, { 0x25cb, 0 }, { 0x4e00, 1 }, { 0x58f9, 1 },
	{ 0x58f1, 1 }, { 0x5f0c, 1 }, { 0x5e7a, 1 }, { 0x4e8c, 2 }, { 0x8d30, 2 },
	{ 0x8cb3, 2 }, { 0x5f10, 2 }, { 0x4e24, 2 }, { 0x5169, 2 }, { 0x4e09, 3 },
	{ 0x53c1, 3 }, { 0x53c2, 3 }, { 0x53c3, 3 }, { 0x56db, 4 }, { 0x8086, 4 },
	{ 0x4e94, 5 }, { 0x4f0d, 5 }, { 0x516d, 6 }, { 0x9646, 6 }, { 0x9678, 6 },
	{ 0x4e03, 7 }, { 0x67d2, 7 }, { 0x516b, 8 }, { 0x634c, 8 }, { 0x4e5d, 9 },
	{ 0x7396, 9 },
};

/* `count` letters of the Latin alphabet from 'a' on. */
static const struct glyph_letters {
	uint32_t first;
	unsigned count;
} letters[] = {
	{ 0x24b6, 26 },	 { 0x24d0, 26 },  { 0x249c, 26 },  { 0x1f110, 26 },
	{ 0x1f130, 26 }, { 0x1f150, 26 }, { 0x1f170, 26 }, { 0x1f1e6, 26 },
	{ 0xff21, 26 },	 { 0xff41, 26 },
};

/* Letters one by one: what they are, then what they look like. */
static const struct glyph_pair {
	uint32_t from;
	char to;
} singles[] = {
	{ 0x1d2c, 'a' },
	{ 0x1d2e, 'b' },
	{ 0x1d30, 'd' },
	{ 0x1d31, 'e' },
	{ 0x1d33, 'g' },
	{ 0x1d34, 'h' },
	{ 0x1d35, 'i' },
	{ 0x1d36, 'j' },
	{ 0x1d37, 'k' },
	{ 0x1d38, 'l' },
	{ 0x1d39, 'm' },
	{ 0x1d3a, 'n' },
	{ 0x1d3c, 'o' },
	{ 0x1d3e, 'p' },
	{ 0x1d3f, 'r' },
	{ 0x1d40, 't' },
	{ 0x1d41, 'u' },
	{ 0x1d42, 'w' },
	{ 0x1d43, 'a' },
	{ 0x1d47, 'b' },
	{ 0x1d48, 'd' },
	{ 0x1d49, 'e' },
	{ 0x1d4d, 'g' },
	{ 0x1d4f, 'k' },
	{ 0x1d50, 'm' },
	{ 0x1d52, 'o' },
	{ 0x1d56, 'p' },
	{ 0x1d57, 't' },
	{ 0x1d58, 'u' },
	{ 0x1d5b, 'v' },
	{ 0x1d9c, 'c' },
	{ 0x1da0, 'f' },
	{ 0x1dbb, 'z' },
	{ 0x2071, 'i' },
	{ 0x207f, 'n' },
	{ 0x2090, 'a' },
	{ 0x2091, 'e' },
	{ 0x2092, 'o' },
	{ 0x2093, 'x' },
	{ 0x2095, 'h' },
	{ 0x2096, 'k' },
	{ 0x2097, 'l' },
	{ 0x2098, 'm' },
	{ 0x2099, 'n' },
	{ 0x209a, 'p' },
	{ 0x209b, 's' },
	{ 0x209c, 't' },
	{ 0x02b0, 'h' },
	{ 0x02b2, 'j' },
	{ 0x02b3, 'r' },
	{ 0x02b7, 'w' },
	{ 0x02b8, 'y' },
	{ 0x02e1, 'l' },
	{ 0x02e2, 's' },
	{ 0x02e3, 'x' },
	{ 0x1d00, 'a' },
	{ 0x0299, 'b' },
	{ 0x1d04, 'c' },
	{ 0x1d05, 'd' },
	{ 0x1d07, 'e' },
	{ 0xa730, 'f' },
	{ 0x0262, 'g' },
	{ 0x029c, 'h' },
	{ 0x026a, 'i' },
	{ 0x1d0a, 'j' },
	{ 0x1d0b, 'k' },
	{ 0x029f, 'l' },
	{ 0x1d0d, 'm' },
	{ 0x0274, 'n' },
	{ 0x1d0f, 'o' },
	{ 0x1d18, 'p' },
	{ 0x0280, 'r' },
	{ 0xa731, 's' },
	{ 0x1d1b, 't' },
	{ 0x1d1c, 'u' },
	{ 0x1d20, 'v' },
	{ 0x1d21, 'w' },
	{ 0x028f, 'y' },
	{ 0x1d22, 'z' },
	{ 0x0250, 'a' },
	{ 0x0254, 'c' },
	{ 0x01dd, 'e' },
	{ 0x025f, 'f' },
	{ 0x0253, 'b' },
	{ 0x0265, 'h' },
	{ 0x1d09, 'i' },
	{ 0x029e, 'k' },
	{ 0x026f, 'm' },
	{ 0x0279, 'r' },
	{ 0x0287, 't' },
	{ 0x028c, 'v' },
	{ 0x028d, 'w' },
	{ 0x028e, 'y' },
	{ 0x0261, 'g' },
	{ 0x1e9e, 's' },
	{ 0x212f, 'e' },
	{ 0x210a, 'g' },
	{ 0x2134, 'o' },
	{ 0x210e, 'h' },
	{ 0x2113, 'l' },
	{ 0x210b, 'h' },
	{ 0x210c, 'h' },
	{ 0x210d, 'h' },
	{ 0x2110, 'i' },
	{ 0x2111, 'i' },
	{ 0x2112, 'l' },
	{ 0x2115, 'n' },
	{ 0x2119, 'p' },
	{ 0x211a, 'q' },
	{ 0x211b, 'r' },
	{ 0x211c, 'r' },
	{ 0x211d, 'r' },
	{ 0x2124, 'z' },
	{ 0x2128, 'z' },
	{ 0x212c, 'b' },
	{ 0x212d, 'c' },
	{ 0x2102, 'c' },
	{ 0x2130, 'e' },
	{ 0x2131, 'f' },
	{ 0x2133, 'm' },
	{ 0x2139, 'i' },
	{ 0x0218, 's' },
	{ 0x0219, 's' },
	{ 0x021a, 't' },
	{ 0x021b, 't' },
	/* Braille */
	{ 0x2801, 'a' },
	{ 0x2803, 'b' },
	{ 0x2809, 'c' },
	{ 0x2819, 'd' },
	{ 0x2811, 'e' },
	{ 0x280b, 'f' },
	{ 0x281b, 'g' },
	{ 0x2813, 'h' },
	{ 0x280a, 'i' },
	{ 0x281a, 'j' },
	{ 0x2805, 'k' },
	{ 0x2807, 'l' },
	{ 0x280d, 'm' },
	{ 0x281d, 'n' },
	{ 0x2815, 'o' },
	{ 0x280f, 'p' },
	{ 0x281f, 'q' },
	{ 0x2817, 'r' },
	{ 0x280e, 's' },
	{ 0x281e, 't' },
	{ 0x2825, 'u' },
	{ 0x2827, 'v' },
	{ 0x283a, 'w' },
	{ 0x282d, 'x' },
	{ 0x283d, 'y' },
	{ 0x2835, 'z' },
};

static const struct glyph_pair looks[] = {
	{ 0x0430, 'a' },
	{ 0x0432, 'b' },
	{ 0x0435, 'e' },
	{ 0x0451, 'e' },
	{ 0x0437, '3' },
	{ 0x0456, 'i' },
	{ 0x0457, 'i' },
	{ 0x0458, 'j' },
	{ 0x043a, 'k' },
	{ 0x043c, 'm' },
	{ 0x043d, 'h' },
	{ 0x043e, 'o' },
	{ 0x0440, 'p' },
	{ 0x0441, 'c' },
	{ 0x0442, 't' },
	{ 0x0443, 'y' },
	{ 0x0445, 'x' },
	{ 0x0431, '6' },
	{ 0x0455, 's' },
	{ 0x0501, 'd' },
	{ 0x051b, 'q' },
	{ 0x051d, 'w' },
	{ 0x04bb, 'h' },
	{ 0x04cf, 'l' },
	{ 0x044c, 'b' },
	{ 0x03b1, 'a' },
	{ 0x03b2, 'b' },
	{ 0x03b5, 'e' },
	{ 0x03b6, 'z' },
	{ 0x03b7, 'h' },
	{ 0x03b9, 'i' },
	{ 0x03ba, 'k' },
	{ 0x03bc, 'm' },
	{ 0x03bd, 'n' },
	{ 0x03bf, 'o' },
	{ 0x03c1, 'p' },
	{ 0x03c4, 't' },
	{ 0x03c5, 'y' },
	{ 0x03c7, 'x' },
	{ 0x03b3, 'y' },
	{ 0x03c9, 'w' },
	{ 0x03c3, 'o' },
	{ 0x0585, 'o' },
	{ 0x0578, 'n' },
	{ 0x057d, 'u' },
	{ 0x0570, 'h' },
	{ 0x0581, 'g' },
	{ 0x0566, 'q' },
	{ 0x0131, 'i' },
	{ 0x01c0, 'l' },
	{ 0x2223, 'l' },
	{ 0x13aa, 'a' },
	{ 0x13e2, 'v' },
	{ 0x13fb, '6' },
	{ 0x13ce, '4' },
	{ 0x10dd, 'o' },
	{ 0x0ed0, 'o' },
	{ 0x05e1, 'o' },
	{ 0x05d5, 'i' },
	{ 0x0417, '3' },
	{ 0x04e1, '3' },
	{ 0x0292, '3' },
	{ 0x021d, '3' },
	{ 0x01b7, '3' },
	{ 0x2c9d, 'o' },
	{ 0x01bc, '5' },
	{ 0x01bd, '5' },
	{ 0x0223, '8' },
	{ 0x0222, '8' },
	{ 0x2d54, 'o' },
	/* digits upside down, and others */
	{ 0x0447, '4' },
	{ 0x0196, '1' },
	{ 0x0269, '1' },
	{ 0x1105, '2' },
	{ 0x0190, '3' },
	{ 0x025b, '3' },
	{ 0x3123, '4' },
	{ 0x03db, '5' },
	{ 0x3125, '7' },
	{ 0x0437, '3' },
	{ 0x01a7, '2' },
	{ 0x01a8, '2' },
	{ 0x0184, 'b' },
	{ 0x0185, 'b' },
};

static bool glyph_is_within(uint32_t character, uint32_t first, uint32_t last)
{
	return character >= first && character <= last;
}

char glyph_of_tag(uint32_t character)
{
	return glyph_is_within(character, 0xe0020, 0xe007e) ? (char)(character - 0xe0000)
							    : '\0';
}

/* Is it there to be hidden: a tag, a direction, a selector? */
static bool glyph_is_hidden(uint32_t character)
{
	return glyph_is_within(character, 0xe0000, 0xe0fff) ||
	       glyph_is_within(character, 0x202a, 0x202e) ||
	       glyph_is_within(character, 0x2066, 0x2069) ||
	       glyph_is_within(character, 0x2060, 0x2064) || character == 0x200b;
}

/* Is it nothing that a reader sees: a control, joiner, accent, frame, selector or filler? */
static bool glyph_is_nothing(uint32_t character)
{
	if (character == '\n' || character == '\r' || character == '\t')
		return false;
	return escape_is_needed(character) || utf8_is_accent(character) ||
	       glyph_is_hidden(character) || glyph_is_within(character, 0x200b, 0x200f) ||
	       glyph_is_within(character, 0xfe00, 0xfe0f) ||
	       glyph_is_within(character, 0x20d0, 0x20ff) ||
	       glyph_is_within(character, 0x1ab0, 0x1aff) ||
	       glyph_is_within(character, 0x1dc0, 0x1dff) ||
	       glyph_is_within(character, 0xfe20, 0xfe2f) ||
	       glyph_is_within(character, 0x0483, 0x0489) ||
	       glyph_is_within(character, 0x064b, 0x065f) ||
	       glyph_is_within(character, 0x115f, 0x1160) || character == 0x0640 ||
	       character == 0x3164 || character == 0xffa0 || character == 0x2800 ||
	       character == 0x283c || /* Braille: blank, and that numbers follow */
	       character == 0x0670;
}

static bool glyph_number(uint32_t character, unsigned *value_out)
{
	for (size_t i = 0; i < COUNT(numbers); i++) {
		if (character - numbers[i].first < numbers[i].count) {
			*value_out = numbers[i].value + character - numbers[i].first;
			return true;
		}
	}
	for (size_t i = 0; i < COUNT(numerals); i++) {
		if (character == numerals[i].character) {
			*value_out = numerals[i].value;
			return true;
		}
	}
	return false;
}

/* Mathematical letters come in alphabets of 52, with small ones behind the capitals. */
static uint32_t glyph_letter(uint32_t character)
{
	if (glyph_is_within(character, 0x1d400, 0x1d6a3)) {
		uint32_t at = (character - 0x1d400) % 52;

		return 'a' + at % 26;
	}
	for (size_t i = 0; i < COUNT(letters); i++) {
		if (character - letters[i].first < letters[i].count)
			return 'a' + character - letters[i].first;
	}
	for (size_t i = 0; i < COUNT(singles); i++) {
		if (singles[i].from == character)
			return (unsigned char)singles[i].to;
	}
	return 0;
}

static uint32_t glyph_mark(uint32_t character)
{
	if (glyph_is_within(character, 0xff01, 0xff5e))
		return character - 0xff01 + '!';
	if (character == 0xa0 || glyph_is_within(character, 0x2000, 0x200a) ||
	    character == 0x202f || character == 0x3000 || character == 0x205f)
		return ' ';
	if (character == 0x2028 || character == 0x2029 || character == 0x85)
		return '\n';
	if (character == 0xb7 || character == 0x2022 || character == 0x2219 ||
	    character == 0x22c5 || character == 0x25cf || character == 0x2e31)
		return '.';
	return glyph_is_within(character, 0x2010, 0x2015) || character == 0x2212 ||
			       character == 0x2500 || character == 0x2501
		       ? '-'
		       : 0;
}

/*
 * Returns what one character reads as: a digit, a small letter without accent (of any alphabet), or
 * itself. Returns 0 if it is nothing that can be seen. A number such as "⑫" or "🔟" has two digits:
 * the second is in *second_out, else 0.
 */
static uint32_t glyph_read(uint32_t character, uint32_t *second_out)
{
	unsigned value;
	uint32_t plain;
	char digit;

	*second_out = 0;
	if (glyph_is_within(character, ' ', '~'))
		return utf8_fold(character);
	if (glyph_is_nothing(character))
		return 0;
	/* Greek, Cyrillic, Armenian and Hebrew are in no table. */
	if (character < 0x80 || glyph_is_within(character, 0x370, 0x5ff))
		return utf8_fold(character);
	if (glyph_number(character, &value)) {
		if (value < 10)
			return '0' + value;
		*second_out = '0' + value % 10;
		return '0' + value / 10;
	}
	if (code_text_digit_of(character, &digit))
		return (unsigned char)digit;
	plain = glyph_letter(character);
	if (!plain)
		plain = glyph_mark(character);
	return utf8_fold(plain ? plain : character);
}

/* Returns the Latin letter or digit that looks like this character of glyph_read(), or itself. */
static uint32_t glyph_look(uint32_t character)
{
	if (character < 0x80)
		return character;
	for (size_t i = 0; i < COUNT(looks); i++) {
		if (looks[i].from == character)
			return (unsigned char)looks[i].to;
	}
	return character;
}

static bool glyph_is_foreign_letter(uint32_t character)
{
	return character >= 0x370 && (character < 0x2000 || character >= 0x2c00);
}

/* Within a word a letter that looks like a digit is a letter. */
static uint32_t glyph_look_between(uint32_t before, uint32_t character, const char *text)
{
	uint32_t look = glyph_look(character), second;

	if (look < '0' || look > '9' || look == character)
		return look;
	return glyph_is_foreign_letter(before) ||
			       (*text && glyph_is_foreign_letter(
						 glyph_read(utf8_next(&text), &second)))
		       ? character
		       : look;
}

size_t glyph_write(const char *text, bool by_look, char *out)
{
	uint32_t before = 0;
	char *end = out;

	while (*text) {
		uint32_t second, character = glyph_read(utf8_next(&text), &second);
		uint32_t shown = character;

		if (by_look && character)
			shown = glyph_look_between(before, character, text);
		if (shown)
			end += utf8_write(shown, end);
		if (second)
			end += utf8_write(second, end);
		before = character ? character : before;
	}
	*end = '\0';
	return (size_t)(end - out);
}
