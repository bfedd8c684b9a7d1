/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vCard reader: the names and phone numbers of the cards in a text that arrives in pieces:
 * vCard 2.1 with quoted-printable, as old phones wrote it, 3.0, as oFono does, and 4.0, in
 * UTF-8, UTF-16, UTF-32, or with names in the character set that CHARSET declares. A card whose
 * CLASS is PRIVATE or CONFIDENTIAL is left out.
 *
 * It accepts any bytes and fails on none. What it leaves out of a card it counts, with line
 * numbers; it never guesses a character set. A name that is too long is cut. A line that is
 * too long, usually a photograph, is skipped. Memory is bounded
 * (tests/unit/test_vcard.c, tests/fuzz/fuzz_vcard.c).
 *
 * Source: vCard 2.1 (versit), RFC 2426, RFC 6350.
 */
#pragma once

#include <iconv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "numbers/number.h"

enum {
	VCARD_NAME_BYTES = 128,
	VCARD_NUMBERS_MAX = 32,	 /* of one card */
	VCARD_LINE_BYTES = 1024, /* unfolded */
	VCARD_CHARSETS_MAX = 8,	 /* of one text */
	VCARD_CHARSET_BYTES = 24,
	VCARD_SKIP_LINES = 5, /* line numbers that are kept of each kind */
	VCARD_SKIPS_BYTES = 768,
};

struct vcard {
	char name[VCARD_NAME_BYTES]; /* valid UTF-8, not empty, one line */
	unsigned count;		     /* of numbers, 1 or more */
	char numbers[VCARD_NUMBERS_MAX][NUMBER_FORM_BYTES]; /* as number_form() */
};

/* ---- what is left out */

enum vcard_skip_kind {
	VCARD_SKIP_NAMELESS, /* a card with a number and no name */
	VCARD_SKIP_CHARSET,  /* a name in no known character set */
	VCARD_SKIP_NUMBER,   /* a TEL that is no phone number */
	VCARD_SKIP_CUT,	     /* a number beyond VCARD_NUMBERS_MAX */
	VCARD_SKIP_DEFECTS,
	/* These are no defects: */
	VCARD_SKIP_NUMBERLESS = VCARD_SKIP_DEFECTS, /* a card without a TEL */
	VCARD_SKIP_PRIVATE, /* CLASS:PRIVATE or CONFIDENTIAL: its owner hides it */
	VCARD_SKIP_KINDS,
};

struct vcard_skips {
	struct vcard_skip {
		size_t count;
		/* of the first ones, from 1; all are 0 if they have no meaning */
		size_t lines[VCARD_SKIP_LINES];
	} kinds[VCARD_SKIP_KINDS];
};

void vcard_skips_add(struct vcard_skips *skips, enum vcard_skip_kind kind, size_t line);
/* Adds what another text left out, without line numbers: those of two texts are different. */
void vcard_skips_merge(struct vcard_skips *skips, const struct vcard_skips *other);
/*
 * "2 vCards without a name (lines 4, 19)" for the kinds from `first` to before `end`; an empty
 * string if there are none.
 */
void vcard_skips_describe(const struct vcard_skips *skips, enum vcard_skip_kind first,
			  enum vcard_skip_kind end, char text_out[VCARD_SKIPS_BYTES]);

/* ---- the reader */

/* Code units of the text; private to vcard_units.c. */
struct vcard_units {
	unsigned width; /* bytes of a unit; 0 until the first four bytes decided it */
	bool is_big_endian;
	unsigned char bytes[4];
	unsigned count;
	uint32_t high; /* a surrogate whose other half follows; 0 for none */
};

/* Converters of the character sets met so far; private to vcard_charsets.c. */
struct vcard_charsets {
	unsigned count;
	struct vcard_charset {
		char name[VCARD_CHARSET_BYTES];
		iconv_t converter; /* (iconv_t)-1 if there is none */
	} all[VCARD_CHARSETS_MAX];
};

struct vcard_reader {
	void (*found)(void *data, const struct vcard *card);
	void *data;
	struct vcard_skips skips;
	/* Private to vcard.c */
	size_t text_bytes;
	struct vcard_units units;
	struct vcard_charsets charsets;
	char line[VCARD_LINE_BYTES + 1]; /* unfolded */
	size_t length;
	size_t line_bytes;  /* as length, with what did not fit */
	size_t line_number; /* where it begins */
	size_t line_ends;   /* before the next byte */
	char last;	    /* last byte of the line */
	char printable;	    /* quoted-printable: 'y', 'n', or NUL: not decided yet */
	bool overlong;
	bool binary;	/* an overlong line whose value is binary data */
	bool ended;	/* the line is complete, unless it is folded */
	bool returned;	/* the previous byte was CR */
	unsigned depth; /* of nested cards; 0 outside of a card */
	bool has_agent; /* AGENT: a nested card may follow */
	bool is_old;	/* vCard 2.1 */
	struct vcard card;
	size_t card_line;
	unsigned name_rank;	  /* of the property that card.name comes from */
	unsigned unreadable_rank; /* of a name in no known character set */
	size_t unreadable_line;
	bool has_tel;
	bool is_private;
	struct vcard_skips skips_before; /* the card */
};

/*
 * `found` runs for each card that has a name and a number and is not private, from inside feed and
 * finish.
 */
void vcard_reader_init(struct vcard_reader *reader,
		       void (*found)(void *data, const struct vcard *card), void *data);
void vcard_reader_feed(struct vcard_reader *reader, const char *bytes, size_t length);
/* Returns the bytes of the text up to here without photographs and other long binary data. */
size_t vcard_reader_text_bytes(const struct vcard_reader *reader);
/* The end of the text: frees the converters. A card without END counts. */
void vcard_reader_finish(struct vcard_reader *reader);
/* Instead of the end, when the text is given up: frees the converters. Nothing is found any more. */
void vcard_reader_abandon(struct vcard_reader *reader);
