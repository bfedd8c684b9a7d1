/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "tools/argument.h"

TEST(test_what_stands_for_no_value_is_a_placeholder)
{
	static const char *const texts[] = {
		"",
		" ",
		"\t\n",
		"\u00a0",
		"\u200b\ufeff",
		"\u2013",
		"-",
		"--",
		".",
		"0",
		"0-0",
		"00000000-0000-0000-0000-000000000000",
		"null",
		"NULL",
		" null ",
		"'None'",
		"None",
		"undefined",
		"not provided",
		"NaN",
		"N/A",
		"N.A.",
		"string",
		"<string>",
		"string | null",
		"key",
		"idempotency_key",
		"idempotencyKey",
		"Idempotency Key",
		"example",
		"test-key",
		"UUID",
		"uuid()",
		"crypto.randomUUID()",
		"unique",
		"your-unique-key-here",
		"<your key>",
		"[INSERT KEY HERE]",
		"for testing",
		"{{key}}",
		"{{$json.id}}-1",
		"${KEY}",
		"$KEY",
		"$(uuidgen)",
		"%MESSAGE_NUMBER%",
		"<%= order %>",
		"[object Object]",
		"false",
		"default",
		"TODO",
		"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
		"xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx",
		"123e4567-e89b-12d3-a456-426614174000",
		"550E8400-E29B-41D4-A716-446655440000",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (!argument_is_placeholder(texts[i]))
			fail_msg("a value: \"%s\"", texts[i]);
	}
}

TEST(test_what_names_one_thing_is_a_value)
{
	static const char *const texts[] = {
		"k",
		"a",
		"for",
		"1",
		"invitation-2026-11-23-anna",
		"key of Ann",
		"message-17",
		"test-17",
		"order 5",
		"nullable",
		"uuid-6ba7b811",
		"6ba7b810-9dad-11d1-80b4-00c04fd430c8",
		"{6BA7B810-9DAD-11D1-80B4-00C04FD430C8}",
		"<CAF7f2@mail.example.com>",
		"urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8",
		"tony-null-2026",
		"\u043f\u0440\u0438\u0432\u0435\u0442",
		"\u5bc6\u94a5 5",
		"01",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (argument_is_placeholder(texts[i]))
			fail_msg("a placeholder: \"%s\"", texts[i]);
	}
}
