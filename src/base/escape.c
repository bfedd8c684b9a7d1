/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text is copied in runs: `kept` marks the start of what has not been appended yet, and a
 * character that is escaped or dropped ends the run before it. Whether a joiner or selector
 * is escaped depends on its neighbours, so the previous character is remembered.
 */
#include "base/escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

struct escape_range {
	uint32_t first, last;
};

/*
 * Unicode 15: Cc, Cf, Zl, Zp, Co, noncharacters, unused planes, and others that draw nothing,
 * except those named in the header. Unassigned characters within used blocks stay: they draw
 * a box, which hides nothing, and may become emoji.
 */
static const struct escape_range escape_ranges[] = {
	{ 0x0000, 0x0008 },    { 0x000b, 0x001f },   { 0x007f, 0x009f },
	{ 0x00ad, 0x00ad }, /* soft hyphen */
	{ 0x034f, 0x034f }, /* grapheme joiner */
	{ 0x061c, 0x061c }, /* Arabic letter mark */
	{ 0x115f, 0x1160 }, /* Hangul fillers */
	{ 0x17b4, 0x17b5 },    { 0x180b, 0x180f },   { 0x200b, 0x200b },
	{ 0x200e, 0x200f }, /* zero width space; marks of direction */
	{ 0x2028, 0x202e }, /* line, paragraph; embeddings and overrides */
	{ 0x2060, 0x206f }, /* invisible operators, isolates */
	{ 0x2800, 0x2800 }, /* Braille without a dot */
	{ 0x3164, 0x3164 },    { 0xe000, 0xf8ff },   { 0xfdd0, 0xfdef },
	{ 0xfe00, 0xfe0d }, /* variation selectors but the two of emoji */
	{ 0xfeff, 0xfeff },    { 0xffa0, 0xffa0 },   { 0xfff0, 0xfffc },
	{ 0xfffe, 0xffff },    { 0x110bd, 0x110bd }, { 0x110cd, 0x110cd },
	{ 0x13430, 0x1343f },  { 0x1bca0, 0x1bca3 }, { 0x1d159, 0x1d159 },
	{ 0x1d173, 0x1d17a },  { 0x1fffe, 0x1ffff }, { 0x2fffe, 0x2ffff },
	{ 0x323b0, 0x10ffff }, /* tags (invisible sentences), selectors, private */
};

/* Parts of emoji, except the digits of keycaps. */
static const struct escape_range escape_emoji[] = {
	{ 0x00a9, 0x00a9 }, { 0x00ae, 0x00ae }, { 0x203c, 0x203c },   { 0x2049, 0x2049 },
	{ 0x20e3, 0x20e3 }, { 0x2122, 0x2122 }, { 0x2139, 0x2139 },   { 0x2190, 0x21ff },
	{ 0x2300, 0x23ff }, { 0x24c2, 0x24c2 }, { 0x25a0, 0x27bf },   { 0x2900, 0x297f },
	{ 0x2b00, 0x2bff }, { 0x3030, 0x3030 }, { 0x303d, 0x303d },   { 0x3297, 0x3297 },
	{ 0x3299, 0x3299 }, { 0xfe0f, 0xfe0f }, { 0x1f000, 0x1faff },
};

/* Arabic and related scripts, India and Sri Lanka, Burmese, Khmer, Mongolian. */
static const struct escape_range escape_joining[] = {
	{ 0x0620, 0x08ff }, { 0x0900, 0x0dff }, { 0x1000, 0x109f }, { 0x1780, 0x18af },
	{ 0xfb50, 0xfdcf }, { 0xfdf0, 0xfdff }, { 0xfe70, 0xfefc },
};

enum {
	NON_JOINER = 0x200c,
	JOINER = 0x200d,
	TEXT_SELECTOR = 0xfe0e,
	EMOJI_SELECTOR = 0xfe0f,
	KEYCAP = 0x20e3,
};

#define IS_IN(table, character) \
	escape_is_in(table, sizeof(table) / sizeof(*(table)), character)

/* The ranges are sorted. */
static bool escape_is_in(const struct escape_range *table, size_t count,
			 uint32_t character)
{
	for (size_t i = 0; i < count; i++) {
		if (character <= table[i].last)
			return character >= table[i].first;
	}
	return false;
}

int escape_hex_digit(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	digit |= 'a' ^ 'A';
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

bool escape_is_needed(uint32_t character)
{
	return IS_IN(escape_ranges, character);
}

static uint32_t escape_peek(const char *text)
{
	return *text ? utf8_next(&text) : 0;
}

static bool escape_joins(uint32_t before, uint32_t joiner, uint32_t after)
{
	if (joiner == JOINER && IS_IN(escape_emoji, before) && IS_IN(escape_emoji, after))
		return after != EMOJI_SELECTOR;
	return IS_IN(escape_joining, before) && IS_IN(escape_joining, after);
}

static bool escape_selects(uint32_t before, uint32_t after)
{
	if (after == KEYCAP)
		return before < 0x80;
	return before != EMOJI_SELECTOR && IS_IN(escape_emoji, before);
}

/* `text` is what follows the character. */
static bool escape_is_due(uint32_t before, uint32_t character, const char *text)
{
	switch (character) {
	case '\\':
		return text[0] == 'u' && text[1] == '{';
	case '\r':
		return *text != '\n';
	case NON_JOINER:
	case JOINER:
		return !escape_joins(before, character, escape_peek(text));
	case TEXT_SELECTOR:
	case EMOJI_SELECTOR:
		return !escape_selects(before, escape_peek(text));
	default:
		return escape_is_needed(character);
	}
}

static void escape_append(struct buffer *buffer, uint32_t character)
{
	char escape[16];

	snprintf(escape, sizeof(escape), "\\u{%X}", (unsigned)character);
	buffer_append_text(buffer, escape);
}

static bool escape_breaks_line(uint32_t character)
{
	return character == '\n' || character == '\r' || character == '\t';
}

/* Returns the bytes that stay whatever their neighbours are; most texts are nothing else. */
static size_t escape_plain_run(const char *text)
{
	const char *at = text;

	while (*at >= ' ' && *at < 0x7f && *at != '\\')
		at++;
	return (size_t)(at - text);
}

static bool escape_all(struct buffer *buffer, const char *text, bool is_line)
{
	const char *kept = text; /* appended up to here */
	uint32_t before = 0;
	bool escaped = false;

	while (*text) {
		size_t plain = escape_plain_run(text);
		const char *at = text + plain;
		uint32_t character;
		bool is_due;

		if (plain)
			before = (unsigned char)at[-1];
		text = at;
		if (!*text)
			break;
		character = utf8_next(&text);
		is_due = escape_is_due(before, character, text) ||
			 (is_line && escape_breaks_line(character));
		before = character;
		if (!is_due && character != '\r')
			continue;
		buffer_append(buffer, kept, (size_t)(at - kept));
		if (is_due)
			escape_append(buffer, character);
		escaped |= is_due;
		kept = text;
	}
	buffer_append(buffer, kept, (size_t)(text - kept));
	return escaped;
}

bool escape_text(struct buffer *buffer, const char *text)
{
	return escape_all(buffer, text, false);
}

bool escape_line(struct buffer *buffer, const char *text)
{
	return escape_all(buffer, text, true);
}

const char *escape_quote(struct arena *arena, const char *text, size_t characters)
{
	const char *quoted = arena_copy(arena, text, utf8_cut(text, characters));
	struct buffer escaped = BUFFER_INIT;

	if (quoted) {
		escape_line(&escaped, quoted);
		quoted = escaped.failed
				 ? NULL
				 : arena_copy(arena, escaped.length ? escaped.data : "",
					      escaped.length);
	}
	buffer_deinit(&escaped);
	return quoted ? quoted : "";
}

bool escape_is_plain(const char *text)
{
	uint32_t before = 0;

	while (*text) {
		uint32_t character = utf8_next(&text);

		if (character == '\r' || escape_is_due(before, character, text))
			return false;
		before = character;
	}
	return true;
}

static bool escape_is_character(unsigned long value)
{
	return value && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
}

/* Returns the bytes of the escape at `text`; 0 if there is none. */
static size_t escape_read(const char *text, uint32_t *character_out)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t count;
	unsigned long value;

	if (strncmp(text, "\\u{", 3) != 0)
		return 0;
	count = strspn(text + 3, digits);
	if (count < 1 || count > 6 || text[3 + count] != '}')
		return 0;
	value = strtoul(text + 3, NULL, 16);
	if (!escape_is_character(value))
		return 0;
	*character_out = (uint32_t)value;
	return count + 4;
}

void escape_undo(char *text)
{
	char *end = text;

	while (*text) {
		uint32_t character;
		size_t length = escape_read(text, &character);

		if (length) {
			end += utf8_write(character, end);
			text += length;
		} else {
			*end++ = *text++;
		}
	}
	*end = '\0';
}

/* ---- messages for a terminal */

/* Returns the bytes of the character at `text`; 0 if it is not UTF-8, or a control character. */
static size_t escape_message_character(const char *text)
{
	unsigned char first = (unsigned char)*text;
	size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	if (first < 0x20 || first == 0x7f || strnlen(text, length) < length)
		return 0;
	return utf8_valid(text, length) ? length : 0;
}

void escape_message(const char *text, char *out, size_t bytes)
{
	size_t room = bytes - 1;

	while (*text) {
		size_t length = escape_message_character(text);
		const char *next = text;
		char written[16] = "?";

		if (length) {
			uint32_t character = utf8_next(&next);

			snprintf(written, sizeof(written), "%.*s", (int)length, text);
			if (escape_is_needed(character))
				snprintf(written, sizeof(written), "\\u{%X}",
					 (unsigned)character);
		}
		if (strlen(written) > room)
			break;
		strcpy(out, written);
		out += strlen(written);
		room -= strlen(written);
		text += length ? length : 1;
	}
	*out = '\0';
}
