/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table has the emoji that people use most, by code point. Letters in other shapes
 * (regional indicators, which flags are made of, and mathematical alphabets) are computed.
 * Everything else has no near character: a picture is left out, a rare ideograph is a word
 * that only its author can say otherwise.
 */
#include "text/replacement.h"

#include <stdbool.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "text/segments.h"

enum { REPLACEMENT_NAMED_MAX = 8, REPLACEMENT_LETTERS = 26 };

static const struct {
	uint32_t first;
	uint32_t last;
	char instead[REPLACEMENT_BYTES];
} replacement_table[] = {
	{ 0x1f17e, 0x1f17e, "O" },	{ 0x1f197, 0x1f197, "OK" },
	{ 0x1f198, 0x1f198, "SOS" },	{ 0x1f31e, 0x1f31e, "\u2600" }, /* sun */
	{ 0x1f31f, 0x1f31f, "\u2605" },					/* star */
	{ 0x1f389, 0x1f389, "\\o/" },	{ 0x1f3b5, 0x1f3b6, "\u266a" }, /* note */
	{ 0x1f446, 0x1f446, "\u2191" },					/* arrow */
	{ 0x1f447, 0x1f447, "\u2193" },					/* arrow */
	{ 0x1f448, 0x1f448, "<-" },	{ 0x1f449, 0x1f449, "->" },
	{ 0x1f44b, 0x1f44b, "o/" },	{ 0x1f44c, 0x1f44c, "OK" },
	{ 0x1f44d, 0x1f44d, "(y)" },	{ 0x1f44e, 0x1f44e, "(n)" },
	{ 0x1f480, 0x1f480, "\u2620" }, /* skull */
	{ 0x1f48b, 0x1f48b, ":-*" },	{ 0x1f493, 0x1f493, "<3" },
	{ 0x1f494, 0x1f494, "</3" },	{ 0x1f495, 0x1f49f, "<3" },
	{ 0x1f4a4, 0x1f4a4, "Zzz" },	{ 0x1f4af, 0x1f4af, "100" },
	{ 0x1f4de, 0x1f4de, "\u260e" }, /* telephone */
	{ 0x1f4e7, 0x1f4e9, "\u2709" }, /* envelope */
	{ 0x1f534, 0x1f535, "\u25cf" }, /* circle */
	{ 0x1f5a4, 0x1f5a4, "<3" },	{ 0x1f600, 0x1f604, ":-D" },
	{ 0x1f605, 0x1f605, "^^'" },	{ 0x1f606, 0x1f606, "XD" },
	{ 0x1f607, 0x1f607, "O:-)" },	{ 0x1f608, 0x1f608, ">:-)" },
	{ 0x1f609, 0x1f609, ";-)" },	{ 0x1f60a, 0x1f60a, ":-)" },
	{ 0x1f60b, 0x1f60b, ":-P" },	{ 0x1f60c, 0x1f60c, ":-)" },
	{ 0x1f60d, 0x1f60d, "<3" },	{ 0x1f60e, 0x1f60e, "B-)" },
	{ 0x1f60f, 0x1f60f, ";-)" },	{ 0x1f610, 0x1f611, ":-|" },
	{ 0x1f612, 0x1f616, ":-/" },	{ 0x1f617, 0x1f61a, ":-*" },
	{ 0x1f61b, 0x1f61d, ":-P" },	{ 0x1f61e, 0x1f61f, ":-(" },
	{ 0x1f620, 0x1f621, ">:-(" },	{ 0x1f622, 0x1f622, ":'-(" },
	{ 0x1f623, 0x1f623, ":-(" },	{ 0x1f625, 0x1f629, ":-(" },
	{ 0x1f62a, 0x1f62a, "Zzz" },	{ 0x1f62c, 0x1f62c, ":-/" },
	{ 0x1f62d, 0x1f62d, ":'-(" },	{ 0x1f62e, 0x1f633, ":-O" },
	{ 0x1f634, 0x1f634, "Zzz" },	{ 0x1f636, 0x1f636, ":-|" },
	{ 0x1f641, 0x1f641, ":-(" },	{ 0x1f642, 0x1f643, ":-)" },
	{ 0x1f644, 0x1f644, ":-/" },	{ 0x1f64b, 0x1f64b, "o/" },
	{ 0x1f64c, 0x1f64c, "\\o/" },	{ 0x1f7e0, 0x1f7e4, "\u25cf" }, /* circle */
	{ 0x1f7e5, 0x1f7eb, "\u25a0" },					/* square */
	{ 0x1f90d, 0x1f90e, "<3" },	{ 0x1f914, 0x1f914, ":-/" },
	{ 0x1f917, 0x1f917, ":-)" },	{ 0x1f923, 0x1f923, ":'-D" },
	{ 0x1f929, 0x1f929, "*-*" },	{ 0x1f92a, 0x1f92a, ":-P" },
	{ 0x1f92c, 0x1f92c, ">:-(" },	{ 0x1f970, 0x1f970, "<3" },
	{ 0x1f973, 0x1f973, "\\o/" },	{ 0x1f97a, 0x1f97a, ":-(" },
	{ 0x1f9e1, 0x1f9e1, "<3" },
};

/* Letters and digits in other shapes; 0 if it is none. */
static char replacement_letter(uint32_t character)
{
	uint32_t letter;

	if (character >= 0x1f1e6 && character <= 0x1f1ff) /* flags: two letters */
		return (char)('A' + character - 0x1f1e6);
	if (character >= 0x1f130 && character <= 0x1f149) /* in a square */
		return (char)('A' + character - 0x1f130);
	if (character >= 0x1d7ce && character <= 0x1d7ff) /* mathematical */
		return (char)('0' + (character - 0x1d7ce) % 10);
	if (character < 0x1d400 || character > 0x1d6a3)
		return 0;
	letter = (character - 0x1d400) % (2 * REPLACEMENT_LETTERS);
	return (char)(letter < REPLACEMENT_LETTERS ? 'A' + letter
						   : 'a' + letter - REPLACEMENT_LETTERS);
}

void replacement_find(uint32_t character, char instead_out[REPLACEMENT_BYTES])
{
	size_t count = sizeof(replacement_table) / sizeof(*replacement_table);

	instead_out[0] = replacement_letter(character);
	instead_out[1] = '\0';
	for (size_t i = 0; i < count; i++) {
		if (character >= replacement_table[i].first &&
		    character <= replacement_table[i].last)
			memcpy(instead_out, replacement_table[i].instead,
			       REPLACEMENT_BYTES);
	}
}

/* A colour of skin belongs to the emoji before it, which is named. */
static bool replacement_is_part(uint32_t character, bool follows_emoji)
{
	return follows_emoji && character >= 0x1f3fb && character <= 0x1f3ff;
}

/* The different characters of a text that cannot be sent, in its order. */
struct replacement_list {
	const char *at[REPLACEMENT_NAMED_MAX]; /* in the text */
	size_t count;
	bool has_more;
};

static bool replacement_list_has(const struct replacement_list *list, uint32_t character)
{
	for (size_t i = 0; i < list->count; i++) {
		const char *at = list->at[i];

		if (utf8_next(&at) == character)
			return true;
	}
	return false;
}

static struct replacement_list replacement_list_read(const char *text)
{
	struct replacement_list list = { .count = 0 };
	bool follows = false;

	while (*text) {
		const char *at = text;
		uint32_t character = utf8_next(&text);
		bool is_named = segments_is_unsendable(character) &&
				!replacement_is_part(character, follows) &&
				!replacement_list_has(&list, character);

		follows = character > 0xffff;
		if (is_named && list.count == REPLACEMENT_NAMED_MAX)
			list.has_more = true;
		else if (is_named)
			list.at[list.count++] = at;
	}
	return list;
}

/* `text` and the result are NULL if memory ran out. */
static const char *replacement_append(struct arena *arena, const char *text,
				      const char *separator, const char *more)
{
	if (!text || !more)
		return NULL;
	return arena_printf(arena, "%s%s%s", text, *text ? separator : "", more);
}

static const char *replacement_format_characters(struct arena *arena,
						 const struct replacement_list *list)
{
	const char *names = "";

	for (size_t i = 0; i < list->count; i++) {
		const char *at = list->at[i];
		uint32_t character = utf8_next(&at);

		names = replacement_append(
			arena, names, ", ",
			segments_name_character(arena, list->at[i], character));
	}
	return list->has_more ? replacement_append(arena, names, " ", "and others")
			      : names;
}

static const char *replacement_format_fix(struct arena *arena,
					  const struct replacement_list *list)
{
	const char *written = "", *left_out = "", *fix;

	for (size_t i = 0; i < list->count; i++) {
		const char *at = list->at[i], *named = escape_quote(arena, at, 1);
		char instead[REPLACEMENT_BYTES];

		replacement_find(utf8_next(&at), instead);
		if (*instead)
			written = replacement_append(
				arena, written, ", ",
				arena_printf(
					arena, "\"%s\" instead of %s",
					escape_quote(arena, instead, REPLACEMENT_BYTES),
					named));
		else
			left_out = replacement_append(arena, left_out, ", ", named);
	}
	if (!written || !left_out)
		return NULL;
	fix = *written ? arena_printf(arena, "Write %s", written) : "";
	if (*left_out)
		fix = replacement_append(arena, fix, "; ",
					 arena_printf(arena, "%s out %s",
						      *written ? "leave" : "Leave",
						      left_out));
	return fix ? arena_printf(arena, "%s%s.", fix,
				  list->has_more ? ", and no other emoji" : "")
		   : NULL;
}

struct replacement_advice replacement_advise(struct arena *arena, const char *text)
{
	struct replacement_list list = replacement_list_read(text);

	return (struct replacement_advice){
		.characters = replacement_format_characters(arena, &list),
		.fix = replacement_format_fix(arena, &list),
	};
}
