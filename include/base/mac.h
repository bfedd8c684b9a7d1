/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MAC: what proves that a text which a client hands back is one that we gave out.
 *
 * HMAC with SHA-256, of which the first 160 bits are written down. One key serves one
 * purpose; who needs a key that outlives the process finds it in store/store_secret.h.
 */
#ifndef BASE_MAC_H
#define BASE_MAC_H

#include <stdbool.h>
#include <stdint.h>

enum {
	MAC_KEY_BYTES = 32,
	MAC_TEXT_BYTES = 41, /* 40 hex digits and NUL */
};

/* False: GnuTLS fails. */
bool mac_write(const uint8_t key[MAC_KEY_BYTES], const char *text,
	       char mac[MAC_TEXT_BYTES]);

/* Takes as long whatever is wrong with `mac`. */
bool mac_is(const uint8_t key[MAC_KEY_BYTES], const char *text, const char *mac);

#endif
