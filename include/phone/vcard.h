/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vCard reader: the names and phone numbers of the cards in a text that arrives in pieces:
 * vCard 2.1 with quoted-printable, as old phones wrote it, 3.0, as oFono does, and 4.0.
 *
 * It accepts any bytes and fails on none: what is not a card is skipped. It allocates nothing.
 * A name that is too long is cut, and a line that is too long, usually a photograph, is skipped
 * (tests/unit/test_vcard.c, tests/fuzz/fuzz_vcard.c).
 *
 * Source: vCard 2.1 (versit), RFC 2426, RFC 6350.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "numbers/number.h"

enum {
	VCARD_NAME_BYTES = 128,
	VCARD_NUMBERS_MAX = 8,	 /* of one card */
	VCARD_LINE_BYTES = 1024, /* unfolded */
};

struct vcard {
	char name[VCARD_NAME_BYTES]; /* valid UTF-8, not empty, one line */
	unsigned count;		     /* of numbers, 1 or more */
	char numbers[VCARD_NUMBERS_MAX][NUMBER_FORM_BYTES]; /* as number_form() */
};

struct vcard_reader {
	void (*found)(void *data, const struct vcard *card);
	void *data;
	/* Private to vcard.c */
	char line[VCARD_LINE_BYTES + 1]; /* unfolded */
	size_t length;
	char last;	/* last byte of the line */
	char printable; /* quoted-printable: 'y', 'n', or NUL: not decided yet */
	bool overlong;
	bool ended;	/* the line is complete, unless it is folded */
	bool returned;	/* the previous byte was CR */
	unsigned depth; /* of nested cards; 0: outside of a card */
	bool has_agent; /* AGENT: a nested card may follow */
	bool is_old;	/* vCard 2.1 */
	struct vcard card;
};

/* `found` runs for each card that has a name and a number, from inside feed and finish. */
void vcard_reader_init(struct vcard_reader *reader,
		       void (*found)(void *data, const struct vcard *card), void *data);
void vcard_reader_feed(struct vcard_reader *reader, const char *bytes, size_t length);
/* The end of the text. A card without END counts. */
void vcard_reader_finish(struct vcard_reader *reader);
