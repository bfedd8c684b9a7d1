/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "unit_test.h"
#include "config/config_list.h"
#include "config/webhook_url.h"

TEST(test_plain_urls_are_read)
{
	static const struct {
		const char *text, *origin, *rest;
	} cases[] = {
		{ "https://hooks.example/mcp/a1", "https://hooks.example", "/mcp/a1" },
		{ "HTTPS://Hooks.Example/A", "https://hooks.example", "/A" },
		{ "https://hooks.example", "https://hooks.example", "" },
		{ "https://hooks.example:443/", "https://hooks.example", "/" },
		{ "https://hooks.example:8443?a=@b", "https://hooks.example:8443",
		  "?a=@b" },
		{ "http://127.0.0.1:9601/h", "http://127.0.0.1:9601", "/h" },
		{ "http://nas:80/", "http://nas", "/" },
		{ "https://[2001:DB8::1]:8443/x", "https://[2001:db8::1]:8443", "/x" },
		{ "https://a.example/..a/.b/c..", "https://a.example", "/..a/.b/c.." },
		{ "https://a.example/x?y=/../z", "https://a.example", "/x?y=/../z" },
	};
	char origin[WEBHOOK_ORIGIN_BYTES];
	struct webhook_url url;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *flaw = webhook_url_parse(cases[i].text, &url);

		if (flaw)
			fail_msg("%s %s", cases[i].text, flaw);
		webhook_url_write_origin(&url, origin);
		assert_string_equal(origin, cases[i].origin);
		assert_string_equal(url.rest, cases[i].rest);
	}
}

TEST(test_a_url_that_could_mean_another_place_is_refused)
{
	static const char *const texts[] = {
		"",
		"hooks.example/a",
		"https:/hooks.example/",
		"https:hooks.example",
		"ftp://hooks.example/",
		"file:///etc/passwd",
		"https://",
		"https:///a",
		"https://user@hooks.example/",
		"https://a:b@hooks.example/",
		"https://good.example@evil.example/",
		"https://hooks.example:0/",
		"https://hooks.example:65536/",
		"https://hooks.example:/",
		"https://hooks.example:+1/",
		"https://hooks.example:8x/",
		"https://hooks.example:99999999999999999999/",
		"https://hooks.example/a#b",
		"https://hooks.example/a b",
		"https://hooks.example\\@evil.example/",
		"https://hooks.example/a\tb",
		"https://hooks.example/\xc3\xa9",
		"https://h\xc3\xb6oks.example/",
		"https://hooks.example/a/../b",
		"https://hooks.example/..",
		"https://hooks.example/./a",
		"https://hooks.example/a/.",
		"https://hooks.example/%2e%2E/a",
		"https://hooks.example/.%2e/a",
		"https://hooks.example/a%2f..%2fb",
		"https://hooks.example/a%5Cb",
		"https://hooks..example/",
		"https://.example/",
		"https://%61.example/",
		"https://[::1",
		"https://[::1]a/",
		"https://[]/",
		"https://[1.2.3.4]/",
		"https://[fe80::1%25eth0]/",
		" https://hooks.example/",
	};
	struct webhook_url url;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (!webhook_url_parse(texts[i], &url))
			fail_msg("%s is taken for %s %u %s", texts[i], url.host, url.port,
				 url.rest);
	}
}

TEST(test_a_prefix_covers_whole_segments_of_the_same_server)
{
	static const struct {
		const char *prefix, *url;
		bool covers;
	} cases[] = {
		{ "https://a.example/hooks", "https://a.example/hooks", true },
		{ "https://a.example/hooks", "https://a.example/hooks/x", true },
		{ "https://a.example/hooks", "https://a.example/hooks?x", true },
		{ "https://a.example/hooks", "https://a.example/hooks2", false },
		{ "https://a.example/hooks", "https://a.example/Hooks", false },
		{ "https://a.example/hooks/", "https://a.example/hooks/x", true },
		{ "https://a.example/hooks/", "https://a.example/hooks", false },
		{ "https://a.example", "https://a.example/anything?x", true },
		{ "https://a.example", "https://a.example", true },
		{ "https://a.example", "https://a.example?x", true },
		{ "https://a.example/", "https://A.EXAMPLE:443/x", true },
		{ "https://a.example", "https://a.example.evil.example/", false },
		{ "https://a.example", "https://a.example:8443/", false },
		{ "https://a.example", "http://a.example/", false },
		{ "http://127.0.0.1:9601", "http://127.0.0.1:9601/h", true },
		{ "http://127.0.0.1:9601", "http://127.0.0.1:9602/h", false },
		{ "http://127.0.0.1", "http://127.0.0.10/", false },
	};
	struct webhook_url prefix, url;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_null(webhook_url_parse(cases[i].prefix, &prefix));
		assert_null(webhook_url_parse(cases[i].url, &url));
		if (webhook_url_is_below(&url, &prefix) != cases[i].covers)
			fail_msg("%s and %s", cases[i].prefix, cases[i].url);
	}
}

TEST(test_an_unreadable_prefix_covers_nothing)
{
	struct config_list receivers = { .count = 2,
					 .items = { "https://", "nonsense" } };
	struct webhook_url url;

	assert_null(webhook_url_parse("https://a.example/", &url));
	assert_false(webhook_url_is_listed(&url, &receivers));
	strcpy(receivers.items[1], "https://a.example/");
	assert_true(webhook_url_is_listed(&url, &receivers));
}
