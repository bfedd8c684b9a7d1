/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/mended_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "store/store_message.h"

enum {
	MENDED_TEXT_LOST = 0x10000,	/* what 16 bits lose */
	MENDED_TEXT_LOST_TAG = 0xe0000, /* of the letters in the flag of England */
	MENDED_TEXT_FLAG = 0xf3f4,
	MENDED_TEXT_FLAG_END = 0x7f,
	MENDED_TEXT_FLAG_LETTERS_MAX = 6, /* "gbeng" */
	MENDED_TEXT_OCTETS_MAX = 4,	  /* of a character */
};

struct mended_text_range {
	uint32_t first, last;
};

/*
 * Emoji beyond 16 bits. The last block is given to emoji as a whole, so that those of next year
 * are known.
 *
 * Source: Unicode 15, emoji-data.txt, property Emoji.
 */
static const struct mended_text_range mended_text_emoji[] = {
	{ 0x1f004, 0x1f004 }, { 0x1f0cf, 0x1f0cf }, { 0x1f170, 0x1f171 },
	{ 0x1f17e, 0x1f17f }, { 0x1f18e, 0x1f18e }, { 0x1f191, 0x1f19a },
	{ 0x1f1e6, 0x1f1ff }, { 0x1f201, 0x1f202 }, { 0x1f21a, 0x1f21a },
	{ 0x1f22f, 0x1f22f }, { 0x1f232, 0x1f23a }, { 0x1f250, 0x1f251 },
	{ 0x1f300, 0x1f321 }, { 0x1f324, 0x1f393 }, { 0x1f396, 0x1f397 },
	{ 0x1f399, 0x1f39b }, { 0x1f39e, 0x1f3f0 }, { 0x1f3f3, 0x1f3f5 },
	{ 0x1f3f7, 0x1f4fd }, { 0x1f4ff, 0x1f53d }, { 0x1f549, 0x1f54e },
	{ 0x1f550, 0x1f567 }, { 0x1f56f, 0x1f570 }, { 0x1f573, 0x1f57a },
	{ 0x1f587, 0x1f587 }, { 0x1f58a, 0x1f58d }, { 0x1f590, 0x1f590 },
	{ 0x1f595, 0x1f596 }, { 0x1f5a4, 0x1f5a5 }, { 0x1f5a8, 0x1f5a8 },
	{ 0x1f5b1, 0x1f5b2 }, { 0x1f5bc, 0x1f5bc }, { 0x1f5c2, 0x1f5c4 },
	{ 0x1f5d1, 0x1f5d3 }, { 0x1f5dc, 0x1f5de }, { 0x1f5e1, 0x1f5e1 },
	{ 0x1f5e3, 0x1f5e3 }, { 0x1f5e8, 0x1f5e8 }, { 0x1f5ef, 0x1f5ef },
	{ 0x1f5f3, 0x1f5f3 }, { 0x1f5fa, 0x1f64f }, { 0x1f680, 0x1f6c5 },
	{ 0x1f6cb, 0x1f6d2 }, { 0x1f6d5, 0x1f6d8 }, { 0x1f6dc, 0x1f6e5 },
	{ 0x1f6e9, 0x1f6e9 }, { 0x1f6eb, 0x1f6ec }, { 0x1f6f0, 0x1f6f0 },
	{ 0x1f6f3, 0x1f6fc }, { 0x1f7e0, 0x1f7eb }, { 0x1f7f0, 0x1f7f0 },
	{ 0x1f90c, 0x1f93a }, { 0x1f93c, 0x1f945 }, { 0x1f947, 0x1f9ff },
	{ 0x1fa70, 0x1faff },
};

/* Chinese, Japanese and Korean. */
static const struct mended_text_range mended_text_east_asian[] = {
	{ 0x1100, 0x11ff }, { 0x2e80, 0x2fdf }, { 0x3005, 0x3007 }, { 0x3021, 0x318f },
	{ 0x31a0, 0x31ff }, { 0x3400, 0x4dbf }, { 0x4e00, 0x9fff }, { 0xa960, 0xa97f },
	{ 0xac00, 0xd3ff }, { 0xff66, 0xffdc },
};

enum mended_text_kind {
	MENDED_TEXT_OTHER,
	MENDED_TEXT_PRIVATE,   /* U+E000 to U+F8FF, and no emoji */
	MENDED_TEXT_EMOJI,     /* an emoji certainly lost its first bit */
	MENDED_TEXT_IDEOGRAPH, /* U+F900 to U+FAFF, and no emoji */
	MENDED_TEXT_EITHER,    /* an ideograph or an emoji */
	MENDED_TEXT_EAST_ASIAN,
	MENDED_TEXT_HANGUL, /* or a mathematical letter: U+D400 to U+D7FF */
	MENDED_TEXT_WHOLE,  /* beyond 16 bits: this oFono cuts nothing */
};

static bool mended_text_is_in(const struct mended_text_range *ranges, size_t count,
			      uint32_t character)
{
	for (size_t i = 0; i < count; i++) {
		if (character >= ranges[i].first && character <= ranges[i].last)
			return true;
	}
	return false;
}

static enum mended_text_kind mended_text_kind_of(uint32_t character)
{
	bool is_emoji = mended_text_is_in(
		mended_text_emoji, sizeof(mended_text_emoji) / sizeof(*mended_text_emoji),
		character + MENDED_TEXT_LOST);

	if (character > 0xffff)
		return MENDED_TEXT_WHOLE;
	if (character >= 0xe000 && character <= 0xf8ff)
		return is_emoji ? MENDED_TEXT_EMOJI : MENDED_TEXT_PRIVATE;
	if (character >= 0xf900 && character <= 0xfaff)
		return is_emoji ? MENDED_TEXT_EITHER : MENDED_TEXT_IDEOGRAPH;
	if (character >= 0xd400 && character <= 0xd7ff)
		return MENDED_TEXT_HANGUL;
	return mended_text_is_in(mended_text_east_asian,
				 sizeof(mended_text_east_asian) /
					 sizeof(*mended_text_east_asian),
				 character)
		       ? MENDED_TEXT_EAST_ASIAN
		       : MENDED_TEXT_OTHER;
}

/* How many characters of each kind the text has. */
static void mended_text_count(const char *text, size_t counts[MENDED_TEXT_WHOLE + 1])
{
	memset(counts, 0, (MENDED_TEXT_WHOLE + 1) * sizeof(*counts));
	while (*text)
		counts[mended_text_kind_of(utf8_next(&text))]++;
}

/*
 * Returns how many letters follow at `text` in the flag of a part of a country, which are ASCII
 * after oFono has cut them; 0 if it is no such flag.
 */
static int mended_text_flag_letters(const char *text)
{
	int count = 0;

	while ((text[count] >= 'a' && text[count] <= 'z') ||
	       (text[count] >= '0' && text[count] <= '9'))
		count++;
	return count <= MENDED_TEXT_FLAG_LETTERS_MAX &&
			       text[count] == MENDED_TEXT_FLAG_END
		       ? count
		       : 0;
}

char *mended_text(const char *text, unsigned *flags)
{
	size_t counts[MENDED_TEXT_WHOLE + 1];
	bool is_east_asian, is_damaged;
	char *mended, *end;
	int tags = 0;

	mended_text_count(text, counts);
	is_east_asian = counts[MENDED_TEXT_EAST_ASIAN] || counts[MENDED_TEXT_HANGUL] ||
			counts[MENDED_TEXT_IDEOGRAPH];
	is_damaged = !counts[MENDED_TEXT_WHOLE] &&
		     (counts[MENDED_TEXT_EMOJI] ||
		      (!is_east_asian && counts[MENDED_TEXT_EITHER]));
	mended = malloc(MENDED_TEXT_OCTETS_MAX * strlen(text) + 1);
	if (!mended)
		return NULL;
	for (end = mended; *text;) {
		uint32_t character = utf8_next(&text);
		enum mended_text_kind kind = mended_text_kind_of(character);

		if (tags > 0) {
			tags--;
			end += utf8_write(character + MENDED_TEXT_LOST_TAG, end);
			continue;
		}
		if (is_damaged && character == MENDED_TEXT_FLAG &&
		    mended_text_flag_letters(text))
			tags = mended_text_flag_letters(text) + 1;
		if (is_damaged && (kind == MENDED_TEXT_EMOJI ||
				   (kind == MENDED_TEXT_EITHER && !is_east_asian)))
			character += MENDED_TEXT_LOST;
		end += utf8_write(character, end);
	}
	*end = '\0';
	if (is_damaged)
		*flags |= MESSAGE_REPAIRED;
	if (!counts[MENDED_TEXT_WHOLE] &&
	    (counts[MENDED_TEXT_PRIVATE] ||
	     (is_east_asian && counts[MENDED_TEXT_EITHER]) ||
	     (counts[MENDED_TEXT_HANGUL] && !counts[MENDED_TEXT_EAST_ASIAN])))
		*flags |= MESSAGE_DOUBTFUL;
	return mended;
}
