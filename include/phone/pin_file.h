/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PIN file: the PINs of SIM cards, written down by the owner for the gateway.
 *
 * Each line is "ICCID PIN"; a line that begins with # is a comment. The file belongs to root
 * or to the gateway's own user, and nobody else can read it: any other file is not used.
 */
#ifndef PHONE_PIN_FILE_H
#define PHONE_PIN_FILE_H

enum { PIN_BYTES = 9, PIN_FILE_MAX = 4096 };

/* outcomes */
enum {
	PIN_FILE_E_NO_CARD = 1, /* no line for this card */
	PIN_FILE_E_EXPOSED, /* others can read or write it, or own it; or it is a link */
	PIN_FILE_E_MALFORMED, /* a bad line, or longer than PIN_FILE_MAX */
};

/*
 * The PIN of the card with this ICCID; the caller clears it. 0, PIN_FILE_E_... or -errno;
 * `pin` is written only with 0.
 */
int pin_file_find(const char *path, const char *iccid, char pin[PIN_BYTES]);

#endif
