/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crypto: what the gateway needs of GnuTLS besides TLS: access tokens, message
 * authentication codes and base64.
 *
 * A token is random, shown to the owner once, and stored only as its hash. A MAC proves that
 * a text which a client hands back is one that the gateway issued; one key serves one
 * purpose, and keys that outlive the process are in store/store_setting.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/client.h"

enum {
	TOKEN_BYTES = 32, /* 256 bits */
	TOKEN_TEXT_BYTES = 2 * TOKEN_BYTES + 1,
	MAC_KEY_BYTES = 32,
	MAC_TEXT_BYTES = 41,   /* 40 hex digits and NUL */
	MAC_DIGEST_BYTES = 65, /* 64 hex digits and NUL */
};

/* A key that one layer uses and another one keeps, such as that of elicitations. */
struct crypto_key {
	uint8_t bytes[MAC_KEY_BYTES];
};

/*
 * Fills `text` with random hexadecimal digits and NUL, such as a new token, of at most
 * TOKEN_TEXT_BYTES. Returns false if no random numbers are available.
 */
bool crypto_make_random(char *text, size_t size);

/* Writes the SHA-256 of a token. */
void crypto_hash_token(const char *token, size_t length,
		       uint8_t hash_out[CLIENT_HASH_BYTES]);

/* Writes the HMAC-SHA-256 as hexadecimal digits. Returns false if GnuTLS failed. */
bool crypto_hmac(const uint8_t key[MAC_KEY_BYTES], const char *data, size_t length,
		 char digest[MAC_DIGEST_BYTES]);

/* Writes the SHA-256 as hexadecimal digits. Returns false if GnuTLS failed. */
bool crypto_digest(const char *data, size_t length, char digest[MAC_DIGEST_BYTES]);

enum { MAC_BYTES = 32 };

/* Writes the HMAC-SHA-256 as bytes, with a key of any length. Returns false if GnuTLS failed. */
bool crypto_hmac_bytes(const uint8_t *key, size_t key_length, const char *data,
		       size_t length, uint8_t mac_out[MAC_BYTES]);

/* Are both texts equal? Takes a time that depends only on their lengths. */
bool crypto_texts_equal(const char *text, const char *other);

/* Writes the first 160 bits of the HMAC of a text, where the result has to be short. */
bool crypto_mac_write(const uint8_t key[MAC_KEY_BYTES], const char *text,
		      char mac[MAC_TEXT_BYTES]);

/* Is `mac` what crypto_mac_write() gives? Takes constant time. */
bool crypto_mac_is_valid(const uint8_t key[MAC_KEY_BYTES], const char *text,
			 const char *mac);

/*
 * Writes base64 (RFC 4648, section 4). `text_out` has room for crypto_base64_length(length)
 * characters; no NUL is added. Returns false if memory runs out.
 */
bool crypto_base64_encode(const char *data, size_t length, char *text_out);
size_t crypto_base64_length(size_t length);

/*
 * Accepts only whole padded groups and no other character, so that each value has one text.
 * `data_out` has room for length / 4 * 3 bytes. Returns false if it is not base64, or memory runs
 * out.
 */
bool crypto_base64_decode(const char *text, size_t length, char *data_out,
			  size_t *length_out);
