/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MAC: what proves that a text which a client hands back is one that we gave out.
 *
 * HMAC with SHA-256 in hex digits: all of it, or the first 160 bits where a text is to be
 * short. One key serves one purpose; who needs a key that outlives the process finds it in
 * store/store_setting.h.
 */
#ifndef BASE_MAC_H
#define BASE_MAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MAC_KEY_BYTES = 32,
	MAC_TEXT_BYTES = 41,   /* 40 hex digits and NUL */
	MAC_DIGEST_BYTES = 65, /* all 64 */
};

/* False: GnuTLS fails. */
bool crypto_hmac(const uint8_t key[MAC_KEY_BYTES], const char *data, size_t length,
		 char digest[MAC_DIGEST_BYTES]);

/* The short one, of a text. */
bool crypto_mac_write(const uint8_t key[MAC_KEY_BYTES], const char *text,
		      char mac[MAC_TEXT_BYTES]);

/* Takes as long whatever is wrong with `mac`. */
bool crypto_mac_is_valid(const uint8_t key[MAC_KEY_BYTES], const char *text,
			 const char *mac);

#endif
