/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first and last address of each special block, and their public neighbours. */
#include <arpa/inet.h>
#include <string.h>

#include "unit_test.h"
#include "webhook/webhook_private.h"

static bool judge(const char *text, bool (*is)(const struct sockaddr *address))
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, text, &in.sin_addr) == 1)
		return is((const struct sockaddr *)&in);
	assert_int_equal(inet_pton(AF_INET6, text, &in6.sin6_addr), 1);
	return is((const struct sockaddr *)&in6);
}

TEST(test_special_addresses_are_not_public)
{
	static const char *const special[] = {
		"0.0.0.0",
		"0.255.255.255",
		"10.0.0.0",
		"10.255.255.255",
		"100.64.0.0",
		"100.127.255.255",
		"127.0.0.1",
		"127.255.255.255",
		"169.254.0.0",
		"169.254.169.254",
		"169.254.255.255",
		"172.16.0.0",
		"172.31.255.255",
		"192.0.0.0",
		"192.0.0.255",
		"192.0.2.1",
		"192.31.196.1",
		"192.52.193.1",
		"192.88.99.1",
		"192.168.0.0",
		"192.168.255.255",
		"192.175.48.1",
		"198.18.0.0",
		"198.19.255.255",
		"198.51.100.255",
		"203.0.113.0",
		"224.0.0.0",
		"239.255.255.255",
		"240.0.0.0",
		"255.255.255.255",
		"::",
		"::1",
		"::7f00:1",
		"::ffff:127.0.0.1",
		"::ffff:10.1.2.3",
		"::ffff:169.254.169.254",
		"64:ff9b::7f00:1",
		"64:ff9b::a00:1",
		"64:ff9b:1::808:808",
		"100::1",
		"100:0:0:1::1",
		"2001::1",
		"2001:0:808:808::1",
		"2001:2::1",
		"2001:10::1",
		"2001:20::1",
		"2001:1ff:ffff::1",
		"2001:db8::1",
		"2002:7f00:1::1",
		"2002:808:808::1",
		"2620:4f:8000::1",
		"3fff::1",
		"3fff:fff:ffff::1",
		"4000::1",
		"5f00::1",
		"fc00::1",
		"fd12:3456::1",
		"fe80::1",
		"febf::1",
		"fec0::1",
		"ff02::1",
		"1fff::1",
	};

	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++) {
		if (judge(special[i], webhook_post_address_is_public))
			fail_msg("%s is taken for public", special[i]);
	}
}

TEST(test_their_neighbours_are_public)
{
	static const char *const public[] = {
		"1.0.0.0",	   "9.255.255.255",    "11.0.0.0",
		"100.63.255.255",  "100.128.0.0",      "126.255.255.255",
		"128.0.0.0",	   "169.253.255.255",  "169.255.0.0",
		"172.15.255.255",  "172.32.0.0",       "191.255.255.255",
		"192.0.1.0",	   "192.0.3.0",	       "192.88.98.255",
		"192.167.255.255", "192.169.0.0",      "198.17.255.255",
		"198.20.0.0",	   "203.0.114.0",      "223.255.255.255",
		"::ffff:8.8.8.8",  "64:ff9b::808:808", "2000::1",
		"2001:200::1",	   "2001:db7::1",      "2001:db9::1",
		"2003::1",	   "2606:4700::1111",  "2620:4f:8001::1",
		"3ffe::1",	   "3fff:1000::1",
	};

	for (size_t i = 0; i < sizeof(public) / sizeof(*public); i++) {
		if (!judge(public[i], webhook_post_address_is_public))
			fail_msg("%s is refused", public[i]);
	}
}

TEST(test_no_group_of_hosts_counts_as_a_host)
{
	static const char *const groups[] = { "0.0.0.0",	 "224.0.0.1",
					      "255.255.255.255", "::",
					      "ff02::1",	 "::ffff:0.0.0.0",
					      "::ffff:224.0.0.1" };
	static const char *const hosts[] = { "127.0.0.1", "10.0.0.1", "192.168.1.1",
					     "::1",	  "fd00::1",  "fe80::1",
					     "8.8.8.8" };
	struct sockaddr unix_socket = { .sa_family = AF_UNIX };

	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		assert_false(judge(groups[i], webhook_post_address_is_host));
	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++)
		assert_true(judge(hosts[i], webhook_post_address_is_host));
	assert_false(webhook_post_address_is_host(&unix_socket));
	assert_false(webhook_post_address_is_public(&unix_socket));
}
