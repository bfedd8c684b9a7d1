/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Vectors computed with Python and openssl. */
#include <string.h>

#include "unit_test.h"
#include "webhook/webhook_private.h"

#define SECRET	     "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define OTHER_SECRET "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="

static const char body[] =
	"{\"eventId\":\"sms-4711\",\"name\":\"sms.received\",\"timestamp\":"
	"\"2026-11-20T08:15:30Z\",\"data\":{\"message_id\":4711,\"from\":\"+15550100\"},"
	"\"cursor\":\"k7.9012\"}";

static const struct webhook_signature_subject subject = {
	.message_id = "sms-4711",
	.timestamp = 1795162530,
	.body = body,
	.length = sizeof(body) - 1,
};

TEST(test_a_body_is_signed_as_receivers_expect)
{
	struct webhook_secret secrets[2] = { { .length = 0 } };
	char text[WEBHOOK_SIGNATURES_BYTES];

	assert_true(webhook_signature_read_secret(SECRET, &secrets[0]));
	assert_true(webhook_signature_write(&subject, secrets, 2, text));
	assert_string_equal(text, "v1,It5EijD3oPZUnIf15WWTrydL3oq3QdXHP9ZFyYW+PoM=");
	assert_true(webhook_signature_read_secret(OTHER_SECRET, &secrets[1]));
	assert_true(webhook_signature_write(&subject, secrets, 2, text));
	assert_string_equal(text, "v1,It5EijD3oPZUnIf15WWTrydL3oq3QdXHP9ZFyYW+PoM="
				  " v1,yu4DRwEL70tlk/kMzAZgP6LRsbBgGXC676iM9RO34do=");
}

TEST(test_the_id_depends_on_nothing_but_the_key)
{
	static const char arguments[] = "{\"from\":\"+15550100\"}";
	static const char url[] = "https://hooks.example/mcp/a1";
	char id[WEBHOOK_ID_BYTES], other[WEBHOOK_ID_BYTES];

	assert_true(webhook_signature_write_id(7, url, "sms.received", arguments, id));
	assert_string_equal(id, "sub_395d54005edf0dda7567a2c3451cbb08");
	assert_true(webhook_signature_write_id(8, url, "sms.received", arguments, other));
	assert_string_not_equal(id, other);
}

TEST(test_only_secrets_of_the_standard_are_read)
{
	static const struct {
		const char *text;
		size_t length; /* 0: refused */
	} cases[] = {
		{ SECRET, 32 },
		{ "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", 24 },
		{ "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRY=", 0 },
		{ "whsec_", 0 },
		{ "", 0 },
		{ "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", 0 },
		{ "WHSEC_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", 0 },
		{ "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", 0 },
		{ "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n", 0 },
		{ "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
		  "AAAAAAAAAAAAAAAAAAAAAA==",
		  64 },
		{ "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
		  "AAAAAAAAAAAAAAAAAAAAAAA=",
		  0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct webhook_secret secret = { .length = 0 };
		bool is_read = webhook_signature_read_secret(cases[i].text, &secret);

		if (is_read != (cases[i].length > 0) || secret.length != cases[i].length)
			fail_msg("%s: %zu bytes", cases[i].text, secret.length);
	}
}
