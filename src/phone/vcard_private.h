/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the vCard reader share. */
#pragma once

#include "phone/vcard.h"

/* ---- vcard_units.c */

/* What one code unit may add to the text in UTF-8: an unpaired surrogate and a character. */
enum { VCARD_UNITS_OUT = 16 };

/* Takes a byte of the text; returns the number of bytes of UTF-8 that it completes. */
size_t vcard_units_put(struct vcard_units *units, char byte, char out[VCARD_UNITS_OUT]);
/* The same at the end of a text that was too short to decide. */
size_t vcard_units_finish(struct vcard_units *units, char out[VCARD_UNITS_OUT]);

/* ---- vcard_charsets.c */

/*
 * Returns the text in UTF-8: itself, or in `out`, where what does not fit is cut. NULL if it is not
 * in the declared character set ("" for none), or that is unknown.
 */
const char *vcard_charsets_decode(struct vcard_charsets *charsets, const char *charset,
				  char *text, size_t length, char *out, size_t out_bytes);
void vcard_charsets_close(struct vcard_charsets *charsets);

/* ---- vcard_number.c */

/*
 * Reads the first number of the value of TEL, without pauses and extension. Returns where the
 * next number begins, "" after the last one, or NULL if there is no number.
 */
const char *vcard_number_read(const char *value, char form_out[NUMBER_FORM_BYTES]);
/* Removes escapes, invisible characters and "tel:" from the value, in place. */
char *vcard_number_clean(char *value);
