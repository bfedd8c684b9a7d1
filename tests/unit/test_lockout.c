/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <stdio.h>
#include <string.h>

#include "base/address.h"
#include "http/connection.h"
#include "fake_clock.h"

static struct lockout lockout;

static int setup(void **state)
{
	fake_clock_begin(1000 * 1000);
	memset(&lockout, 0, sizeof(lockout));
	return 0;
}

static struct address address_of(const char *host)
{
	struct address address;
	char text[ADDRESS_TEXT_BYTES];

	snprintf(text, sizeof(text), strchr(host, ':') ? "[%s]:4000" : "%s:4000", host);
	assert_true(address_parse(text, &address));
	return address;
}

static struct lockout_verdict wrong(const char *host)
{
	struct address address = address_of(host);

	return lockout_add_failure(&lockout, &address);
}

static void right(const char *host)
{
	struct address address = address_of(host);

	lockout_clear(&lockout, &address);
}

static unsigned retry_after(const char *host)
{
	return wrong(host).retry_after_seconds;
}

static void lock_out(const char *host)
{
	for (int at = 0; at < LOCKOUT_TOKENS; at++)
		assert_int_equal(retry_after(host), 0);
}

FIXTURE(setup, fake_clock_end)

TEST(test_each_wrong_token_waits_longer)
{
	static const unsigned delays_ms[LOCKOUT_TOKENS] = { 100, 200, 400, 800, 1600 };

	for (int at = 0; at < LOCKOUT_TOKENS; at++)
		assert_int_equal(wrong("192.0.2.1").delay_ms, delays_ms[at]);
	assert_int_equal(wrong("192.0.2.1").delay_ms, 0); /* 429 without delay */
}

TEST(test_429_after_the_fifth)
{
	lock_out("192.0.2.1");
	assert_int_equal(retry_after("192.0.2.1"), 60);
	now_ms += 100;
	assert_int_equal(retry_after("192.0.2.1"), 60); /* rounded up, not prolonged */
	now_ms += 59 * 1000;
	assert_int_equal(retry_after("192.0.2.1"), 1);
	assert_int_equal(retry_after("192.0.2.2"), 0); /* another source */
}

TEST(test_a_lockout_doubles_up_to_fifteen_minutes)
{
	static const unsigned seconds[] = { 120, 240, 480, 900, 900 };

	lock_out("192.0.2.1");
	now_ms += LOCKOUT_FIRST_MS;
	for (size_t at = 0; at < sizeof(seconds) / sizeof(seconds[0]); at++) {
		assert_int_equal(retry_after("192.0.2.1"), seconds[at]);
		now_ms += (int64_t)seconds[at] * 1000;
	}
	now_ms += LOCKOUT_MAX_MS; /* forgotten */
	lock_out("192.0.2.1");
	assert_int_equal(retry_after("192.0.2.1"), 60);
}

TEST(test_rare_wrong_tokens_are_not_locked_out)
{
	for (int at = 0; at < 50; at++) {
		assert_int_equal(retry_after("192.0.2.1"), 0);
		now_ms += LOCKOUT_WINDOW_MS / (LOCKOUT_TOKENS - 1);
	}
}

TEST(test_five_wrong_tokens_in_any_minute_lock_out)
{
	retry_after("192.0.2.1");
	now_ms += 50 * 1000;
	for (int at = 0; at < 3; at++)
		assert_int_equal(retry_after("192.0.2.1"), 0);
	now_ms += 20 * 1000; /* now the first is older than a minute */
	assert_int_equal(retry_after("192.0.2.1"), 0);
	assert_int_equal(retry_after("192.0.2.1"), 0);
	assert_int_equal(retry_after("192.0.2.1"), 60);
}

TEST(test_a_right_token_clears_the_count)
{
	for (int at = 0; at < LOCKOUT_TOKENS - 1; at++)
		wrong("192.0.2.1");
	right("192.0.2.1");
	assert_int_equal(wrong("192.0.2.1").delay_ms, 100);
	right("192.0.2.1");
	lock_out("192.0.2.1");
	assert_int_equal(retry_after("192.0.2.1"), 60);
	right("192.0.2.1");
	assert_int_equal(retry_after("192.0.2.1"), 0);
}

TEST(test_ipv6_addresses_count_by_64)
{
	for (int at = 0; at < LOCKOUT_TOKENS; at++) {
		char host[64];

		snprintf(host, sizeof(host), "2001:db8:0:1::%x", at + 1);
		assert_int_equal(retry_after(host), 0);
	}
	assert_int_equal(retry_after("2001:db8:0:1:ffff::1"), 60);
	assert_int_equal(retry_after("2001:db8:0:2::1"), 0);
}

TEST(test_a_mapped_address_counts_as_ipv4)
{
	lock_out("::ffff:192.0.2.1");
	assert_int_equal(retry_after("192.0.2.1"), 60);
}

TEST(test_loopback_is_exempt)
{
	for (int at = 0; at < 100; at++) {
		struct lockout_verdict verdict = wrong(at % 2 ? "127.0.0.1" : "::1");

		assert_int_equal(verdict.retry_after_seconds, 0);
		assert_int_equal(verdict.delay_ms, 0);
	}
}

TEST(test_the_source_that_failed_longest_ago_is_replaced)
{
	char host[32];

	lock_out("192.0.2.1");
	now_ms++;
	lock_out("192.0.2.2");
	for (int at = 0; at < LOCKOUT_SOURCES_MAX - 1; at++) {
		now_ms++;
		snprintf(host, sizeof(host), "198.51.100.%d", at);
		wrong(host);
	}
	assert_true(retry_after("192.0.2.2") > 0);
	assert_int_equal(retry_after("192.0.2.1"), 0);
}

TEST(test_failures_are_logged_at_a_limited_pace)
{
	char more[LOG_PACE_TEXT_BYTES];
	struct log_pace pace = { 0 };

	assert_true(log_pace_passes(&pace, more));
	assert_string_equal(more, "");
	for (int at = 0; at < 3; at++)
		assert_false(log_pace_passes(&pace, more));
	now_ms += LOG_PACE_MS;
	assert_true(log_pace_passes(&pace, more));
	assert_string_equal(more, " (3 more since the last such line)");
	now_ms += LOG_PACE_MS;
	assert_true(log_pace_passes(&pace, more));
	assert_string_equal(more, "");
}
