/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vCard reader: names and telephone numbers of the cards in a text that comes in pieces:
 * vCard 2.1 with quoted-printable, as phones of old wrote it, 3.0, as oFono does, and 4.0.
 *
 * It takes any bytes and fails on none: what is no card is passed over. It allocates nothing;
 * a name that is too long is cut, and a line, which is a photograph then, left out
 * (tests/unit/test_vcard.c, tests/fuzz/fuzz_vcard.c).
 *
 * Source: vCard 2.1 (versit), RFC 2426, RFC 6350.
 */
#ifndef PHONE_VCARD_H
#define PHONE_VCARD_H

#include <stdbool.h>
#include <stddef.h>

#include "numbers/number.h"

enum {
	VCARD_NAME_BYTES = 128,
	VCARD_NUMBERS_MAX = 8,	 /* of one card */
	VCARD_LINE_BYTES = 1024, /* unfolded */
};

struct vcard {
	char name[VCARD_NAME_BYTES]; /* valid UTF-8, not empty, a line */
	unsigned count;		     /* of numbers, at least 1 */
	char numbers[VCARD_NUMBERS_MAX][NUMBER_FORM_BYTES]; /* as number_form() */
};

struct vcard_reader {
	void (*found)(void *data, const struct vcard *card);
	void *data;
	/* Private to vcard.c */
	char line[VCARD_LINE_BYTES + 1]; /* unfolded */
	size_t length;
	char last;	/* byte of it */
	char printable; /* 'y' or 'n' when that has been looked at */
	bool overlong;
	bool ended;	/* it is whole, unless a blank follows */
	bool returned;	/* the byte before was CR */
	unsigned depth; /* of cards in cards; 0: outside */
	bool has_agent; /* a card may stand in this one */
	bool is_old;	/* vCard 2.1 */
	struct vcard card;
};

/* `found` is told of each card that has a name and a number, while it is fed. */
void vcard_reader_init(struct vcard_reader *reader,
		       void (*found)(void *data, const struct vcard *card), void *data);
void vcard_reader_feed(struct vcard_reader *reader, const char *bytes, size_t length);
/* There is no more. A card without its end counts. */
void vcard_reader_finish(struct vcard_reader *reader);

#endif
