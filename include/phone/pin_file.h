/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PIN file: PINs of cards, which the owner wrote down for the gateway.
 *
 * A card a line, "ICCID PIN"; a line that begins with # is a comment. It is a file of root's
 * or of the gateway's own user that nobody else can read: another one is not looked into.
 */
#ifndef PHONE_PIN_FILE_H
#define PHONE_PIN_FILE_H

enum { PIN_BYTES = 9, PIN_FILE_MAX = 4096 };

/* outcomes */
enum {
	PIN_FILE_E_NO_CARD = 1, /* nothing stands there for it */
	PIN_FILE_E_EXPOSED,	/* others may read or write it, or have it */
	PIN_FILE_E_MALFORMED,	/* a line is none, or it is longer than PIN_FILE_MAX */
};

/*
 * The PIN of a card by its ICCID; the caller clears it. 0, PIN_FILE_E_... or -errno; then
 * `pin` has nothing.
 */
int pin_file_find(const char *path, const char *iccid, char pin[PIN_BYTES]);

#endif
