/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/mac.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>

enum { DIGEST_BYTES = 32 };

bool mac_write(const uint8_t key[MAC_KEY_BYTES], const char *text,
	       char mac[MAC_TEXT_BYTES])
{
	uint8_t digest[DIGEST_BYTES];

	if (gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, MAC_KEY_BYTES, text, strlen(text),
			     digest) < 0)
		return false;
	for (int i = 0; i < (MAC_TEXT_BYTES - 1) / 2; i++)
		snprintf(mac + 2 * i, 3, "%02x", digest[i]);
	return true;
}

bool mac_is(const uint8_t key[MAC_KEY_BYTES], const char *text, const char *mac)
{
	char right[MAC_TEXT_BYTES];

	return mac_write(key, text, right) && strlen(mac) == strlen(right) &&
	       gnutls_memcmp(mac, right, strlen(right)) == 0;
}
