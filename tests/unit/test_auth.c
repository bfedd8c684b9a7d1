/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <stdlib.h>
#include <string.h>

#include "base/crypto.h"
#include "http/http_server.h"

static uint8_t known[AUTH_HASH_BYTES];

static bool find(void *data, const uint8_t hash[AUTH_HASH_BYTES],
		 struct client *client_out)
{
	++*(int *)data;
	if (memcmp(hash, known, AUTH_HASH_BYTES) != 0)
		return false;
	client_out->id = 7;
	strcpy(client_out->name, "laptop");
	return true;
}

TEST(test_hash_is_sha256)
{
	static const uint8_t abc[AUTH_HASH_BYTES] = {
		0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40,
		0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17,
		0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad
	};
	uint8_t hash[AUTH_HASH_BYTES];

	crypto_hash_token("abc", strlen("abc"), hash);
	assert_memory_equal(hash, abc, sizeof(abc));
}

TEST(test_only_bearer_headers_hold_a_token)
{
	static const struct {
		const char *authorization;
		bool passes;
		int asked;
	} rows[] = {
		{ "Bearer secret-token", true, 1 },
		{ "bearer secret-token", true, 1 },
		{ "BEARER  \tsecret-token \t", true, 1 },
		{ "Bearer secret-tokem", false, 1 },
		{ "Bearer secret-token x", false, 1 },
		{ "Bearer Secret-token", false, 1 },
		{ "Bearersecret-token", false, 0 },
		{ "Bearer", false, 0 },
		{ "Bearer ", false, 0 },
		{ "Basic secret-token", false, 0 },
		{ "secret-token", false, 0 },
		{ "", false, 0 },
		{ NULL, false, 0 },
	};
	size_t at;

	crypto_hash_token("secret-token", strlen("secret-token"), known);
	for (at = 0; at < sizeof(rows) / sizeof(rows[0]); at++) {
		struct client client = { .id = -1 };
		int asked = 0;
		const struct auth auth = { .find = find, .data = &asked };
		bool passes = auth_check(&auth, rows[at].authorization, &client);

		if (passes != rows[at].passes || asked != rows[at].asked ||
		    auth_has_token(rows[at].authorization) != (asked == 1))
			fail_msg("row %zu", at);
		assert_int_equal(client.id, passes ? 7 : -1);
		if (passes)
			assert_string_equal(client.name, "laptop");
	}
}

TEST(test_a_long_token_is_not_hashed)
{
	char text[7 + 300 + 1] = "Bearer ";
	struct client client;
	int asked = 0;
	const struct auth auth = { .find = find, .data = &asked };

	memset(text + 7, 'a', 256);
	assert_false(auth_check(&auth, text, &client));
	assert_int_equal(asked, 1);
	text[7 + 256] = 'a';
	assert_false(auth_check(&auth, text, &client));
	assert_int_equal(asked, 1);
	assert_true(auth_has_token(text)); /* a wrong token counts */
}

TEST(test_open_mode_accepts_every_request)
{
	const struct auth auth = { .open = true };
	struct client client = { .id = -1 };

	assert_true(auth_check(&auth, NULL, &client));
	assert_int_equal(client.id, 0);
	assert_string_equal(client.name, "open");
	client.id = -1;
	assert_true(auth_check(&auth, "Bearer whatever", &client));
	assert_int_equal(client.id, 0);
}
