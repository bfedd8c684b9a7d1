/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dates and times are found here because a code may look like one: "2026", "1830". A number of
 * such a form counts as a date; what follows from that decides text/code.h.
 *
 *   18:30  18.30  18h30  1830h    23.11.2026  23/11  2026-11-23    1900 to 2099
 */
#include "text/leak.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/glyph.h"

enum { LEAK_TEXT_DATES = 250 };

/* Is it punctuation among the letters of other scripts? */
static bool leak_text_is_foreign_mark(uint32_t character)
{
	static const struct {
		uint32_t first, last;
	} marks[] = {
		{ 0xaa, 0xb4 },	    { 0xb6, 0xb9 },	{ 0xbb, 0xbf },
		{ 0xd7, 0xd7 },	    { 0xf7, 0xf7 },	{ 0x37e, 0x37e },
		{ 0x387, 0x387 },   { 0x55a, 0x55f },	{ 0x589, 0x58a },
		{ 0x5be, 0x5be },   { 0x5c3, 0x5c3 },	{ 0x5f3, 0x5f4 },
		{ 0x606, 0x60f },   { 0x61b, 0x61f },	{ 0x66a, 0x66d },
		{ 0x6d4, 0x6d4 },   { 0x964, 0x965 },	{ 0xe2f, 0xe2f },
		{ 0xe5a, 0xe5b },   { 0x104a, 0x104f }, { 0x1361, 0x1368 },
		{ 0x17d4, 0x17da }, { 0x2010, 0x2bff }, { 0x3001, 0x3003 },
		{ 0x3008, 0x3020 }, { 0x3030, 0x3030 }, { 0x303d, 0x303f },
		{ 0x30fb, 0x30fb }, { 0xfe10, 0xfe1f }, { 0xfe30, 0xfe6f },
		{ 0xff5f, 0xff65 },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		if (character >= marks[i].first && character <= marks[i].last)
			return true;
	}
	return false;
}

static enum leak_text_kind leak_text_kind_of(uint32_t character)
{
	if (character >= '0' && character <= '9')
		return LEAK_NUMBER;
	if (character >= 'a' && character <= 'z')
		return LEAK_WORD;
	return character < 0xaa || leak_text_is_foreign_mark(character) ? LEAK_MARK
									: LEAK_WORD;
}

static bool leak_text_is_space(uint32_t character)
{
	return character == ' ' || character == '\n' || character == '\r' ||
	       character == '\t';
}

static void leak_text_split(struct leak_text *read, const char *own)
{
	const char *at = read->text, *end = NULL;
	struct leak_text_piece *piece = NULL;

	while (*at) {
		const char *from = at;
		uint32_t character = utf8_next(&at);
		enum leak_text_kind kind = leak_text_kind_of(character);

		if (leak_text_is_space(character))
			continue;
		if (!piece || end != from || from == own || kind == LEAK_MARK ||
		    piece->kind != kind) {
			bool is_glued = piece && end == from && from != own;

			piece = &read->pieces[read->count++];
			*piece = (struct leak_text_piece){ kind,     from,	  0,
							   is_glued, from >= own, 0 };
			read->words += kind == LEAK_WORD && piece->is_own;
			read->numbers += kind == LEAK_NUMBER && piece->is_own;
		}
		piece->length += (size_t)(at - from);
		end = at;
	}
}

/* ---- dates --------------------------------------------------------------------------- */

static const struct leak_text_piece *leak_text_at(const struct leak_text *read, size_t at)
{
	static const struct leak_text_piece none = { .kind = LEAK_MARK };

	return at < read->count ? &read->pieces[at] : &none;
}

/* Returns -1 if there is no number, or it is longer than any in a date. */
static int leak_text_value(const struct leak_text *read, size_t at)
{
	const struct leak_text_piece *piece = leak_text_at(read, at);
	int value = 0;

	if (piece->kind != LEAK_NUMBER || piece->length > 4)
		return -1;
	for (size_t i = 0; i < piece->length; i++)
		value = 10 * value + piece->text[i] - '0';
	return value;
}

static bool leak_text_is_mark(const struct leak_text *read, size_t at, const char *marks)
{
	const struct leak_text_piece *piece = leak_text_at(read, at);

	return piece->is_glued && piece->length == 1 && strchr(marks, *piece->text);
}

static bool leak_text_is_within(int value, int least, int most)
{
	return value >= least && value <= most;
}

static bool leak_text_is_year(const struct leak_text *read, size_t at)
{
	return leak_text_at(read, at)->length == 4 &&
	       leak_text_is_within(leak_text_value(read, at), 1900, 2099);
}

static bool leak_text_is_hour_word(const struct leak_text *read, size_t at)
{
	static const char *const words[] = { "h",      "uhr", "hrs", "hours", "hour",
					     "heures", "ore", "uur", "godz",  "ч" };
	const struct leak_text_piece *piece = leak_text_at(read, at);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (piece->kind == LEAK_WORD && strlen(words[i]) == piece->length &&
		    strncmp(words[i], piece->text, piece->length) == 0)
			return true;
	}
	return false;
}

static bool leak_text_is_day_and_month(const struct leak_text *read, size_t at)
{
	int one = leak_text_value(read, at), other = leak_text_value(read, at + 2);

	return (leak_text_is_within(one, 1, 31) && leak_text_is_within(other, 1, 12)) ||
	       (leak_text_is_within(one, 1, 12) && leak_text_is_within(other, 1, 31));
}

/* "4.8.2.9" is no date. */
static bool leak_text_goes_on(const struct leak_text *read, size_t at)
{
	return leak_text_is_mark(read, at, ".:/") &&
	       leak_text_at(read, at + 1)->is_glued && leak_text_value(read, at + 1) >= 0;
}

static bool leak_text_is_date(const struct leak_text *read, size_t at)
{
	size_t length = leak_text_at(read, at + 4)->length;

	if (!leak_text_is_mark(read, at + 1, ".-/") ||
	    !leak_text_is_mark(read, at + 3, ".-/") ||
	    !leak_text_at(read, at + 4)->is_glued || leak_text_value(read, at + 4) < 0)
		return false;
	if (leak_text_is_year(read, at))
		return leak_text_is_day_and_month(read, at + 2);
	return leak_text_is_day_and_month(read, at) &&
	       (length == 2 || leak_text_is_year(read, at + 4));
}

static bool leak_text_is_time(const struct leak_text *read, size_t at)
{
	return leak_text_is_mark(read, at + 1, ":.h") &&
	       leak_text_at(read, at + 2)->length == 2 &&
	       leak_text_is_within(leak_text_value(read, at), 0, 23) &&
	       leak_text_is_within(leak_text_value(read, at + 2), 0, 59);
}

/* Returns the pieces of the date or time that begins here; 0 if none does. */
static size_t leak_text_date_length(const struct leak_text *read, size_t at)
{
	bool has_next = leak_text_at(read, at + 2)->is_glued &&
			leak_text_value(read, at + 2) >= 0;
	int value = leak_text_value(read, at);

	if (value < 0)
		return 0;
	if (has_next && leak_text_is_date(read, at) && !leak_text_goes_on(read, at + 5))
		return 5;
	if (has_next && leak_text_is_time(read, at) && !leak_text_goes_on(read, at + 3))
		return 3;
	if (has_next && leak_text_is_mark(read, at + 1, "./") &&
	    leak_text_is_day_and_month(read, at) && !leak_text_goes_on(read, at + 3))
		return 3;
	if (leak_text_at(read, at)->length == 4 &&
	    leak_text_is_within(value / 100, 0, 23) && value % 100 < 60 &&
	    leak_text_is_hour_word(read, at + 1))
		return 1;
	return leak_text_is_year(read, at) ? 1 : 0;
}

/* Right behind another number and a mark only a year may begin: "482/2026". */
static bool leak_text_may_begin_date(const struct leak_text *read, size_t at)
{
	return !leak_text_at(read, at)->is_glued || at < 2 ||
	       leak_text_at(read, at - 1)->kind == LEAK_WORD ||
	       !leak_text_at(read, at - 1)->is_glued ||
	       leak_text_at(read, at - 2)->kind != LEAK_NUMBER ||
	       leak_text_is_mark(read, at - 1, "-") || leak_text_is_year(read, at);
}

static void leak_text_mark_dates(struct leak_text *read)
{
	unsigned char date = 0;

	for (size_t at = 0; at < read->count && date < LEAK_TEXT_DATES;) {
		size_t length = leak_text_may_begin_date(read, at)
					? leak_text_date_length(read, at)
					: 0;

		date += length > 0;
		for (size_t i = 0; i < length; i++)
			read->pieces[at + i].date = date;
		at += length ? length : 1;
	}
}

int leak_text_init(struct leak_text *read, const char *earlier, const char *text,
		   bool by_look)
{
	size_t room = 2 * (strlen(earlier) + strlen(text)) + 2, length;

	*read = (struct leak_text){
		.text = malloc(room),
		.pieces = calloc(room, sizeof(*read->pieces)),
	};
	if (!read->text || !read->pieces) {
		leak_text_deinit(read);
		return -ENOMEM;
	}
	length = glyph_write(earlier, by_look, read->text);
	glyph_write(text, by_look, read->text + length);
	leak_text_split(read, read->text + length);
	leak_text_mark_dates(read);
	return 0;
}

void leak_text_disown_numbers(struct leak_text *read)
{
	for (size_t at = 0; at < read->count; at++)
		read->pieces[at].is_own &= read->pieces[at].kind == LEAK_WORD;
}

void leak_text_deinit(struct leak_text *read)
{
	free(read->text);
	free(read->pieces);
}
