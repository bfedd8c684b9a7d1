/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/placeholder.h"

static void test_what_stands_for_no_value_is_a_placeholder(void **state)
{
	static const char *const texts[] = {
		"",
		" ",
		"   ",
		"\t\n",
		"\u00a0",
		"\u200b\ufeff",
		"\u2013",
		"-",
		"--",
		"_",
		".",
		"?",
		"0",
		"000",
		"0-0",
		"00000000-0000-0000-0000-000000000000",
		"null",
		"NULL",
		"NuLL",
		" null ",
		"\"null\"",
		"'None'",
		"nil",
		"None",
		"undefined",
		"UNDEFINED",
		"NaN",
		"N/A",
		"n/a",
		"na",
		"N.A.",
		"string",
		"String",
		"<string>",
		"string | null",
		"key",
		"KEY",
		"the key",
		"idempotency_key",
		"idempotency-key",
		"idempotencyKey",
		"Idempotency Key",
		"example",
		"example_key",
		"example-idempotency-key",
		"test",
		"Test",
		"test-key",
		"uuid",
		"UUID",
		"uuid-v4",
		"uuid()",
		"crypto.randomUUID()",
		"uuid.uuid4()",
		"GUID",
		"unique",
		"unique_key",
		"your-unique-key-here",
		"YOUR_KEY",
		"<your key>",
		"[INSERT KEY HERE]",
		"a unique string",
		"any key",
		"for testing",
		"<uuid>",
		"<UUID-v4>",
		"{uuid}",
		"{{key}}",
		"{{ $json.messageId }}",
		"{{$json.id}}-1",
		"${KEY}",
		"$KEY",
		"$(uuidgen)",
		"%KEY%",
		"%MESSAGE_NUMBER%",
		"<%= order %>",
		"<order>",
		"[object Object]",
		"false",
		"true",
		"default",
		"placeholder",
		"TODO",
		"xxx",
		"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
		"xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx",
		"123e4567-e89b-12d3-a456-426614174000",
		"550E8400-E29B-41D4-A716-446655440000",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (!placeholder_matches(texts[i]))
			fail_msg("a value: \"%s\"", texts[i]);
	}
}

static void test_what_names_one_thing_is_a_value(void **state)
{
	static const char *const texts[] = {
		"k",
		"a",
		"for",
		"1",
		"17",
		"once",
		"invitation-2026-11-23-anna",
		"key of Ann",
		"test-17",
		"key-1",
		"message-17",
		"order 5",
		"nullable",
		"stringent",
		"contest",
		"keyboard",
		"uuid-6ba7b811",
		"6ba7b810-9dad-11d1-80b4-00c04fd430c8",
		"{6BA7B810-9DAD-11D1-80B4-00C04FD430C8}",
		"<CAF7f2@mail.example.com>",
		"urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8",
		"tony-null-2026",
		"\u043f\u0440\u0438\u0432\u0435\u0442",
		"\u5bc6\u94a5 5",
		"100",
		"01",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (placeholder_matches(texts[i]))
			fail_msg("a placeholder: \"%s\"", texts[i]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_stands_for_no_value_is_a_placeholder),
		cmocka_unit_test(test_what_names_one_thing_is_a_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
