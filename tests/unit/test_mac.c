/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/mac.h"

static const uint8_t key[MAC_KEY_BYTES] = "0123456789abcdef0123456789abcde";

/* RFC 4231, case 2: to HMAC a key that is padded with zeros is the same key. */
static void test_known(void **state)
{
	static const uint8_t jefe[MAC_KEY_BYTES] = "Jefe";
	static const char text[] = "what do ya want for nothing?";
	char mac[MAC_TEXT_BYTES], digest[MAC_DIGEST_BYTES];

	(void)state;
	assert_true(crypto_mac_write(jefe, text, mac));
	assert_string_equal(mac, "5bdcc146bf60754e6a042426089575c75a003f08");
	assert_true(crypto_hmac(jefe, text, strlen(text), digest));
	assert_string_equal(
		digest,
		"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

static void test_only_the_same_fits(void **state)
{
	char mac[MAC_TEXT_BYTES], wrong[2 * MAC_TEXT_BYTES];
	uint8_t other[MAC_KEY_BYTES];

	(void)state;
	assert_true(crypto_mac_write(key, "text", mac));
	assert_true(crypto_mac_is_valid(key, "text", mac));
	assert_false(crypto_mac_is_valid(key, "texts", mac));
	memcpy(other, key, sizeof(other));
	other[31] ^= 1;
	assert_false(crypto_mac_is_valid(other, "text", mac));
	for (int i = 0; i < MAC_TEXT_BYTES - 1; i++) {
		strcpy(wrong, mac);
		wrong[i] = wrong[i] == '0' ? '1' : '0';
		assert_false(crypto_mac_is_valid(key, "text", wrong));
		wrong[i] = '\0';
		assert_false(crypto_mac_is_valid(key, "text", wrong));
	}
	strcpy(wrong, mac);
	strcat(wrong, "0");
	assert_false(crypto_mac_is_valid(key, "text", wrong));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_only_the_same_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
