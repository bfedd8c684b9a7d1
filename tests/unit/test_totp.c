/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rolling codes: the vectors of RFC 4226 and RFC 6238, and which codes count when. */
#include <string.h>

#include "unit_test.h"
#include "base/totp.h"

/* both RFCs use it */
static const uint8_t secret[TOTP_SECRET_BYTES] = "12345678901234567890";

TEST(test_codes_are_those_of_rfc_4226)
{
	static const char *const codes[] = { "755224", "287082", "359152", "969429",
					     "338314", "254676", "287922", "162583",
					     "399871", "520489" };
	char code[TOTP_CODE_BYTES];

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		assert_true(totp_write_code(secret, sizeof(secret), (int64_t)i, 6, code));
		assert_string_equal(code, codes[i]);
	}
}

TEST(test_codes_are_those_of_rfc_6238)
{
	static const struct {
		int64_t seconds;
		const char *code;
	} rows[] = {
		{ 59, "94287082" },	    { 1111111109, "07081804" },
		{ 1111111111, "14050471" }, { 1234567890, "89005924" },
		{ 2000000000, "69279037" }, { INT64_C(20000000000), "65353130" },
	};
	char code[TOTP_CODE_BYTES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(totp_write_code(secret, sizeof(secret), rows[i].seconds / 30,
					    8, code));
		assert_string_equal(code, rows[i].code);
	}
}

TEST(test_a_secret_is_written_as_authenticator_apps_read_it)
{
	char text[TOTP_SECRET_TEXT_BYTES];

	totp_write_secret(secret, text);
	assert_string_equal(text, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
}

TEST(test_the_codes_right_before_and_after_count)
{
	const int64_t now_ms = INT64_C(1790000015000), now = now_ms / TOTP_STEP_MS;

	for (int64_t step = now - 3; step <= now + 3; step++) {
		char code[TOTP_CODE_BYTES];
		bool counts = step >= now - 1 && step <= now + 1;
		int64_t found = 0;

		assert_true(totp_write_code(secret, sizeof(secret), step, 6, code));
		assert_int_equal(totp_check(secret, now_ms, 0, code, &found),
				 counts ? TOTP_RIGHT : TOTP_WRONG);
		assert_int_equal(found, counts ? step : 0);
	}
}

TEST(test_no_code_counts_twice_nor_after_a_later_one)
{
	const int64_t now_ms = INT64_C(1790000015000), now = now_ms / TOTP_STEP_MS;
	char code[TOTP_CODE_BYTES];
	int64_t step = 0;

	assert_true(totp_write_code(secret, sizeof(secret), now, 6, code));
	assert_int_equal(totp_check(secret, now_ms, now - 1, code, &step), TOTP_RIGHT);
	assert_int_equal(totp_check(secret, now_ms, now, code, &step), TOTP_USED);
	assert_int_equal(totp_check(secret, now_ms, now + 1, code, &step), TOTP_USED);
	/* and not when the clock is set back to where the code was right */
	assert_int_equal(totp_check(secret, now_ms - TOTP_STEP_MS, now, code, &step),
			 TOTP_USED);
}

TEST(test_texts_that_are_no_codes_are_wrong)
{
	static const char *const texts[] = { "", "12345", "1234567", "abcdef" };
	int64_t step;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(
			totp_check(secret, INT64_C(1790000015000), 0, texts[i], &step),
			TOTP_WRONG);
}
