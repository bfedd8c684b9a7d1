/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/mac.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>

enum { HASH_BYTES = (MAC_DIGEST_BYTES - 1) / 2 };

bool crypto_hmac(const uint8_t key[MAC_KEY_BYTES], const char *data, size_t length,
		 char digest[MAC_DIGEST_BYTES])
{
	uint8_t hash[HASH_BYTES];

	if (gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, MAC_KEY_BYTES, data, length, hash) <
	    0)
		return false;
	for (int i = 0; i < HASH_BYTES; i++)
		snprintf(digest + 2 * i, 3, "%02x", hash[i]);
	return true;
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

	return crypto_mac_write(key, text, right) && strlen(mac) == strlen(right) &&
	       gnutls_memcmp(mac, right, strlen(right)) == 0;
}
