/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <string.h>

#include "base/address.h"

TEST(test_an_address_is_read_and_written_back)
{
	static const struct {
		const char *text;
		const char *formatted;
		bool loopback;
	} cases[] = {
		{ "127.0.0.1:9531", "127.0.0.1:9531", true },
		{ "127.255.255.254:1", "127.255.255.254:1", true },
		{ "126.255.255.255:1", "126.255.255.255:1", false },
		{ "128.0.0.1:1", "128.0.0.1:1", false },
		{ "0.0.0.0:0", "0.0.0.0:0", false },
		{ "255.255.255.255:65535", "255.255.255.255:65535", false },
		{ "[::1]:9531", "[::1]:9531", true },
		{ "[::]:9531", "[::]:9531", false },
		{ "[0:0:0:0:0:0:0:1]:80", "[::1]:80", true },
		{ "[::ffff:127.0.0.1]:80", "[::ffff:127.0.0.1]:80", true },
		{ "[::ffff:10.0.0.1]:80", "[::ffff:10.0.0.1]:80", false },
		{ "[2001:DB8::7]:80", "[2001:db8::7]:80", false },
		{ "[ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255]:65535",
		  "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535", false },
	};
	size_t at;

	for (at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
		char text[ADDRESS_TEXT_BYTES];
		struct address address;

		if (!address_parse(cases[at].text, &address))
			fail_msg("%s", cases[at].text);
		address_format(&address, text);
		assert_string_equal(text, cases[at].formatted);
		if (address_is_loopback(&address) != cases[at].loopback)
			fail_msg("loopback %s", cases[at].text);
	}
}

TEST(test_a_socket_address_is_copied)
{
	struct address address;

	assert_true(address_parse("10.1.2.3:258", &address));
	assert_int_equal(address.any.sa_family, AF_INET);
	assert_int_equal(address.length, sizeof(struct sockaddr_in));
	assert_int_equal(ntohl(address.in.sin_addr.s_addr), 0x0a010203);
	assert_int_equal(ntohs(address.in.sin_port), 258);
	assert_true(address_parse("[::1]:258", &address));
	assert_int_equal(address.any.sa_family, AF_INET6);
	assert_int_equal(address.length, sizeof(struct sockaddr_in6));
	assert_int_equal(ntohs(address.in6.sin6_port), 258);
	assert_int_equal(address.in6.sin6_scope_id, 0);
}

TEST(test_other_texts_are_refused)
{
	static const char *const texts[] = {
		"",
		":",
		":80",
		"80",
		"127.0.0.1",
		"127.0.0.1:",
		"127.0.0.1:65536",
		"127.0.0.1:99999",
		"127.0.0.1:000080",
		"127.0.0.1:+80",
		"127.0.0.1:-1",
		"127.0.0.1: 80",
		"127.0.0.1:80 ",
		" 127.0.0.1:80",
		"127.0.0.1:8o",
		"127.0.0.1:80:80",
		"127.1:80",
		"256.0.0.1:80",
		"localhost:80",
		"::1:80",
		"[::1]",
		"[::1]80",
		"[::1]:",
		"[::1:80",
		"[127.0.0.1]:80",
		"[]:80",
		"[::1%lo]:80",
		"[fffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255:ffff:ffff]:1",
	};
	size_t at;

	for (at = 0; at < sizeof(texts) / sizeof(texts[0]); at++) {
		struct address address = { .length = 77 };

		if (address_parse(texts[at], &address))
			fail_msg("accepted: %s", texts[at]);
		assert_int_equal(address.length, 77); /* written only on success */
	}
}

TEST(test_other_families_have_no_text)
{
	struct address address = { .length = 0 };
	char text[ADDRESS_TEXT_BYTES];

	address.any.sa_family = AF_UNIX;
	assert_false(address_is_loopback(&address));
	address_format(&address, text);
	assert_string_equal(text, "?");
}
