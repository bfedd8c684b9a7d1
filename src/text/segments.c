/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/segments.h"

#include <uchar.h>

#include "base/escape.h"
#include "base/utf8.h"

enum {
	GSM7_SINGLE = 160,
	GSM7_PART = 153,
	UCS2_SINGLE = 70,
	UCS2_PART = 67,
	NO_BREAK_SPACE = 0xa0, /* oFono sends a plain space for it */
};

/* 3GPP 23.038, 6.2.1, without the ASCII letters and digits. */
static const char16_t gsm7_alphabet[] = u"@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ"
					u" !\"#¤%&'()*+,-./:;<=>?¡ÄÖÑÜ§¿äöñüà";
/* 3GPP 23.038, 6.2.1.1: an escape and another septet */
static const char16_t gsm7_extension[] = u"\f^{}\\[~]|€";

/* of one encoding */
struct segments_count {
	unsigned units;
	unsigned parts; /* if it takes several segments */
	unsigned used;	/* in the last of these */
};

static bool segments_alphabet_has(const char16_t *alphabet, uint32_t character)
{
	for (; *alphabet; alphabet++) {
		if (*alphabet == character)
			return true;
	}
	return false;
}

static bool segments_is_letter_or_digit(uint32_t character)
{
	return (character >= 'a' && character <= 'z') ||
	       (character >= 'A' && character <= 'Z') ||
	       (character >= '0' && character <= '9');
}

/* Returns 0 if it is not in the alphabet */
static unsigned segments_gsm7_units(uint32_t character)
{
	if (segments_is_letter_or_digit(character) || character == NO_BREAK_SPACE ||
	    segments_alphabet_has(gsm7_alphabet, character))
		return 1;
	return segments_alphabet_has(gsm7_extension, character) ? 2 : 0;
}

/* The same that l_utf8_get_codepoint() and l_utf8_to_ucs2be() of ell refuse. */
bool segments_is_unsendable(uint32_t character)
{
	return character > 0xffff || (character >= 0xfdd0 && character <= 0xfdef) ||
	       (character & 0xfffe) == 0xfffe;
}

static void segments_count_gsm7(struct segments_count *count, unsigned units)
{
	count->units += units;
	if (!count->parts || count->used + units > GSM7_PART) {
		count->parts++;
		count->used = 0;
	}
	count->used += units;
}

/* oFono cuts at units, even inside a surrogate pair. */
static struct segments_count segments_count_ucs2(unsigned units)
{
	unsigned parts = (units + UCS2_PART - 1) / UCS2_PART;

	return (struct segments_count){
		.units = units,
		.parts = parts,
		.used = parts ? units - (parts - 1) * UCS2_PART : 0,
	};
}

static void segments_finish(struct segments *segments, const struct segments_count *count)
{
	bool gsm7 = segments->encoding == SEGMENTS_GSM7;
	unsigned single = gsm7 ? GSM7_SINGLE : UCS2_SINGLE;

	segments->units = count->units;
	if (count->units <= single) {
		segments->count = 1;
		segments->room = single - count->units;
	} else {
		segments->count = count->parts;
		segments->room = (gsm7 ? GSM7_PART : UCS2_PART) - count->used;
	}
}

void segments_measure(const char *text, struct segments *segments_out)
{
	struct segments segments = { .encoding = SEGMENTS_GSM7 };
	struct segments_count count = { 0 };
	unsigned ucs2_units = 0;

	while (*text) {
		uint32_t character = utf8_next(&text);
		unsigned units = segments_gsm7_units(character);

		ucs2_units += character > 0xffff ? 2 : 1;
		segments_count_gsm7(&count, units);
		if (!units && !segments.culprit)
			segments.culprit = character;
		if (!segments.unsendable && segments_is_unsendable(character))
			segments.unsendable = character;
	}
	if (segments.culprit) {
		segments.encoding = SEGMENTS_UCS2;
		count = segments_count_ucs2(ucs2_units);
	}
	segments_finish(&segments, &count);
	*segments_out = segments;
}

const char *segments_encoding_name(enum segments_encoding encoding)
{
	switch (encoding) {
	case SEGMENTS_GSM7:
		return "gsm7";
	case SEGMENTS_UCS2:
		return "ucs2";
	}
	return "";
}

const char *segments_name_character(struct arena *arena, const char *text, uint32_t code)
{
	const char *end = text;
	const char *at = end;

	while (*end) {
		at = end;
		if (utf8_next(&end) == code)
			break;
	}
	return arena_printf(arena, "U+%04X (%s)", code, escape_quote(arena, at, 1));
}
