/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/totp.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>

enum { TOTP_HASH_BYTES = 20, TOTP_COUNTER_BYTES = 8, TOTP_BASE32_BITS = 5 };

bool totp_make_secret(uint8_t secret_out[TOTP_SECRET_BYTES])
{
	return gnutls_rnd(GNUTLS_RND_KEY, secret_out, TOTP_SECRET_BYTES) == 0;
}

void totp_write_secret(const uint8_t secret[TOTP_SECRET_BYTES],
		       char text[TOTP_SECRET_TEXT_BYTES])
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	unsigned bits = 0, count = 0;

	for (size_t at = 0; at < TOTP_SECRET_BYTES; at++) {
		bits = bits << 8 | secret[at];
		for (count += 8; count >= TOTP_BASE32_BITS; count -= TOTP_BASE32_BITS)
			*text++ = letters[bits >> (count - TOTP_BASE32_BITS) & 31];
		bits &= (1U << count) - 1;
	}
	*text = '\0';
}

/* RFC 4226, section 5.3: 31 bits of the hash, from where its last four bits say. */
static uint32_t totp_truncate(const uint8_t hash[TOTP_HASH_BYTES])
{
	const uint8_t *at = hash + (hash[TOTP_HASH_BYTES - 1] & 0x0f);

	return (uint32_t)(at[0] & 0x7f) << 24 | (uint32_t)at[1] << 16 |
	       (uint32_t)at[2] << 8 | at[3];
}

bool totp_write_code(const uint8_t *secret, size_t length, int64_t step, unsigned digits,
		     char code[TOTP_CODE_BYTES])
{
	uint8_t counter[TOTP_COUNTER_BYTES], hash[TOTP_HASH_BYTES];
	uint64_t rest = (uint64_t)step;
	uint32_t modulus = 1;

	for (size_t at = sizeof(counter); at-- > 0; rest >>= 8)
		counter[at] = (uint8_t)rest;
	if (gnutls_hmac_fast(GNUTLS_MAC_SHA1, secret, length, counter, sizeof(counter),
			     hash) < 0)
		return false;
	for (unsigned i = 0; i < digits; i++)
		modulus *= 10;
	snprintf(code, TOTP_CODE_BYTES, "%0*u", (int)digits,
		 totp_truncate(hash) % modulus);
	return true;
}

enum totp_verdict totp_check(const uint8_t secret[TOTP_SECRET_BYTES], int64_t wall_ms,
			     int64_t last_step, const char *code, int64_t *step_out)
{
	int64_t now = wall_ms / TOTP_STEP_MS;
	enum totp_verdict verdict = TOTP_WRONG;
	char right[TOTP_CODE_BYTES];

	if (strlen(code) != TOTP_DIGITS)
		return TOTP_WRONG;
	for (int64_t step = now - TOTP_STEPS_AROUND; step <= now + TOTP_STEPS_AROUND;
	     step++) {
		if (!totp_write_code(secret, TOTP_SECRET_BYTES, step, TOTP_DIGITS,
				     right) ||
		    gnutls_memcmp(right, code, TOTP_DIGITS) != 0)
			continue;
		if (step > last_step) {
			*step_out = step;
			return TOTP_RIGHT;
		}
		verdict = TOTP_USED;
	}
	return verdict;
}
