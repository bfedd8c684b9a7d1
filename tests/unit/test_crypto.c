/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Base64 (vectors of RFC 4648, section 10, and texts that must be refused) and MACs.
 */
#include <string.h>

#include "unit_test.h"
#include "base/crypto.h"

static const struct {
	const char *text;
	const char *data; /* NULL: refused */
} cases[] = {
	{ "", "" },
	{ "Zg==", "f" },
	{ "Zm8=", "fo" },
	{ "Zm9v", "foo" },
	{ "Zm9vYg==", "foob" },
	{ "Zm9vYmE=", "fooba" },
	{ "Zm9vYmFy", "foobar" },
	{ "/+/+", "\xff\xef\xfe" },
	/* padding */
	{ "Zg", NULL },
	{ "Zg=", NULL },
	{ "Zm8", NULL },
	{ "Z===", NULL },
	{ "====", NULL },
	{ "Zg==Zg==", NULL },
	{ "Zm9v====", NULL },
	{ "Zm=v", NULL },
	/* bits behind the end */
	{ "Zh==", NULL },
	{ "Zm9=", NULL },
	/* foreign characters */
	{ "_-_-", NULL },
	{ "Zm9 ", NULL },
	{ "Zm9\n", NULL },
	{ "Zm9v ", NULL },
	{ "Zm\xc3\xa9", NULL },
};

TEST(test_base64_decodes_and_encodes_only_strict_text)
{
	char data[16], again[16];
	size_t length;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = cases[i].text;
		bool decoded = crypto_base64_decode(text, strlen(text), data, &length);

		if (decoded != (cases[i].data != NULL))
			fail_msg("%s was %s", text, decoded ? "decoded" : "refused");
		if (!decoded)
			continue;
		assert_int_equal(length, strlen(cases[i].data));
		assert_memory_equal(data, cases[i].data, length);
		assert_int_equal(crypto_base64_length(length), strlen(text));
		crypto_base64_encode(data, length, again);
		assert_memory_equal(again, text, strlen(text));
	}
}

TEST(test_base64_refuses_a_nul)
{
	char data[3];
	size_t length;

	assert_false(crypto_base64_decode("Zm\0v", 4, data, &length));
}

static const uint8_t key[MAC_KEY_BYTES] = "0123456789abcdef0123456789abcde";

/* RFC 4231, case 2: to HMAC a key that is padded with zeros is the same key. */
TEST(test_mac_matches_rfc_4231)
{
	static const uint8_t jefe[MAC_KEY_BYTES] = "Jefe";
	static const char text[] = "what do ya want for nothing?";
	char mac[MAC_TEXT_BYTES], digest[MAC_DIGEST_BYTES];

	assert_true(crypto_mac_write(jefe, text, mac));
	assert_string_equal(mac, "5bdcc146bf60754e6a042426089575c75a003f08");
	assert_true(crypto_hmac(jefe, text, strlen(text), digest));
	assert_string_equal(
		digest,
		"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(test_a_mac_fits_only_its_own_text_and_key)
{
	char mac[MAC_TEXT_BYTES], wrong[2 * MAC_TEXT_BYTES];
	uint8_t other[MAC_KEY_BYTES];

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
