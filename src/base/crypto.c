/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/crypto.h"

#include <assert.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	HASH_BYTES = (MAC_DIGEST_BYTES - 1) / 2,
	STACK_OF_GNUTLS_BYTES = 8192,
	BASE64_GROUP_CHARACTERS = 4,
	BASE64_GROUP_BYTES = 3,
};

static void crypto_write_hex(const uint8_t *bytes, size_t count, char *text)
{
	for (size_t at = 0; at < count; at++)
		snprintf(text + 2 * at, 3, "%02x", bytes[at]);
}

bool crypto_make_random(char *text, size_t size)
{
	uint8_t random[TOKEN_BYTES];
	size_t count = (size - 1) / 2;

	assert(count <= sizeof(random));
	if (gnutls_rnd(GNUTLS_RND_KEY, random, count) != 0)
		return false;
	crypto_write_hex(random, count, text);
	explicit_bzero(random, sizeof(random));
	return true;
}

/* GnuTLS leaves a copy of what it hashes on the stack below its caller. */
static __attribute__((noinline)) void crypto_wipe_stack(void)
{
	char below[STACK_OF_GNUTLS_BYTES];

	explicit_bzero(below, sizeof(below));
}

void crypto_hash_token(const char *token, size_t length,
		       uint8_t hash_out[CLIENT_HASH_BYTES])
{
	if (gnutls_hash_fast(GNUTLS_DIG_SHA256, token, length, hash_out) < 0)
		abort(); /* without SHA-256 no client can be recognised */
	crypto_wipe_stack();
}

bool crypto_hmac(const uint8_t key[MAC_KEY_BYTES], const char *data, size_t length,
		 char digest[MAC_DIGEST_BYTES])
{
	uint8_t hash[HASH_BYTES];

	if (gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, MAC_KEY_BYTES, data, length, hash) <
	    0)
		return false;
	crypto_write_hex(hash, sizeof(hash), digest);
	return true;
}

bool crypto_digest(const char *data, size_t length, char digest[MAC_DIGEST_BYTES])
{
	uint8_t hash[HASH_BYTES];

	if (gnutls_hash_fast(GNUTLS_DIG_SHA256, data, length, hash) < 0)
		return false;
	crypto_write_hex(hash, sizeof(hash), digest);
	return true;
}

bool crypto_hmac_bytes(const uint8_t *key, size_t key_length, const char *data,
		       size_t length, uint8_t mac_out[MAC_BYTES])
{
	return gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key_length, data, length,
				mac_out) == 0;
}

bool crypto_texts_equal(const char *text, const char *other)
{
	size_t length = strlen(text);

	return length == strlen(other) && gnutls_memcmp(text, other, length) == 0;
}

bool crypto_mac_write(const uint8_t key[MAC_KEY_BYTES], const char *text,
		      char mac[MAC_TEXT_BYTES])
{
	char digest[MAC_DIGEST_BYTES];

	if (!crypto_hmac(key, text, strlen(text), digest))
		return false;
	memcpy(mac, digest, MAC_TEXT_BYTES - 1);
	mac[MAC_TEXT_BYTES - 1] = '\0';
	return true;
}

bool crypto_mac_is_valid(const uint8_t key[MAC_KEY_BYTES], const char *text,
			 const char *mac)
{
	char right[MAC_TEXT_BYTES];

	return crypto_mac_write(key, text, right) && crypto_texts_equal(right, mac);
}

size_t crypto_base64_length(size_t length)
{
	return (length + BASE64_GROUP_BYTES - 1) / BASE64_GROUP_BYTES *
	       BASE64_GROUP_CHARACTERS;
}

/* GnuTLS takes the bytes as not const, and does not write to them. */
static gnutls_datum_t crypto_datum(const char *data, size_t length)
{
	return (gnutls_datum_t){ (unsigned char *)(uintptr_t)data, (unsigned)length };
}

bool crypto_base64_encode(const char *data, size_t length, char *text_out)
{
	gnutls_datum_t bytes = crypto_datum(data, length), text;

	if (length == 0)
		return true;
	if (gnutls_base64_encode2(&bytes, &text) < 0)
		return false;
	memcpy(text_out, text.data, crypto_base64_length(length));
	gnutls_free(text.data);
	return true;
}

/* GnuTLS skips white space; a token or a state has none. */
static bool crypto_is_base64(const char *text, size_t length)
{
	for (size_t at = 0; at < length; at++) {
		if (text[at] <= ' ' || text[at] >= 0x7f)
			return false;
	}
	return length % BASE64_GROUP_CHARACTERS == 0;
}

bool crypto_base64_decode(const char *text, size_t length, char *data_out,
			  size_t *length_out)
{
	gnutls_datum_t encoded = crypto_datum(text, length), bytes;

	if (!crypto_is_base64(text, length))
		return false;
	if (length == 0) {
		*length_out = 0;
		return true;
	}
	if (gnutls_base64_decode2(&encoded, &bytes) < 0)
		return false;
	memcpy(data_out, bytes.data, bytes.size);
	*length_out = bytes.size;
	gnutls_free(bytes.data);
	return true;
}
