/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TOTP: rolling codes of authenticator apps (RFC 6238, with the HOTP of RFC 4226): HMAC-SHA-1,
 * six digits, a new code every 30 seconds. These are what every such app takes from an
 * otpauth:// URL. tests/unit/test_totp.c has the vectors of both RFCs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TOTP_SECRET_BYTES = 20, /* RFC 4226 recommends 160 bits */
	TOTP_SECRET_TEXT_BYTES = 33,
	TOTP_DIGITS = 6,
	TOTP_CODE_BYTES = 9, /* room for 8 digits */
	TOTP_STEP_MS = 30 * 1000,
	TOTP_STEPS_AROUND =
		1, /* how many codes before and after the present one also count */
};

/* Returns false if no random numbers are available. */
bool totp_make_secret(uint8_t secret_out[TOTP_SECRET_BYTES]);

/* Writes it in base32 without padding (RFC 4648, section 6). */
void totp_write_secret(const uint8_t secret[TOTP_SECRET_BYTES],
		       char text[TOTP_SECRET_TEXT_BYTES]);

/* Writes the code of a step, with 6 to 8 digits. Returns false if GnuTLS failed. */
bool totp_write_code(const uint8_t *secret, size_t length, int64_t step, unsigned digits,
		     char code[TOTP_CODE_BYTES]);

enum totp_verdict {
	TOTP_RIGHT,
	TOTP_WRONG,
	TOTP_USED, /* right, but not later than the last one that was accepted */
};

/*
 * Judges a code of six ASCII digits at a time of the wall clock. Only a code later than
 * `last_step` is right; then *step_out is its step, which the caller stores before it acts, so
 * that no code counts twice.
 */
enum totp_verdict totp_check(const uint8_t secret[TOTP_SECRET_BYTES], int64_t wall_ms,
			     int64_t last_step, const char *code, int64_t *step_out);
