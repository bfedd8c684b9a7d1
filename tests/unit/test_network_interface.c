/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tests/integration/test_network.py checks which interface a connection belongs to. */
#include "unit_test.h"
#include <net/if_arp.h>

#include "http/network_interface.h"

enum { RAWIP = 519 };
enum listed { NO_LIST, LISTED, NOT_LISTED };

static const struct {
	const char *name;
	unsigned type;
	enum listed listed;
	bool served;
} rows[] = {
	{ "lo", ARPHRD_LOOPBACK, NO_LIST, true },
	{ "lo", ARPHRD_LOOPBACK, NOT_LISTED, true },
	{ "wlan0", ARPHRD_ETHER, NO_LIST, true },
	{ "wlan0", ARPHRD_ETHER, LISTED, true },
	{ "wlan0", ARPHRD_ETHER, NOT_LISTED, false },
	{ "wlp2s0", ARPHRD_ETHER, NO_LIST, true },
	{ "usb0", ARPHRD_ETHER, NO_LIST, true },
	{ "eth0", ARPHRD_ETHER, NO_LIST, true },
	{ "wwan0", ARPHRD_ETHER, NO_LIST, false },
	{ "wwan0", ARPHRD_ETHER, LISTED, false },
	{ "wwp0s20u4i2", ARPHRD_ETHER, LISTED, false },
	{ "rmnet0", ARPHRD_ETHER, LISTED, false },
	{ "rmnet_data3", RAWIP, LISTED, false },
	{ "ccmni1", ARPHRD_ETHER, NO_LIST, false },
	{ "ppp0", ARPHRD_PPP, NO_LIST, false },
	{ "qmimux0", ARPHRD_ETHER, LISTED, false },
	{ "clat", ARPHRD_NONE, LISTED, false },
	{ "v4-rmnet_data0", ARPHRD_NONE, LISTED, false },
	{ "modem", ARPHRD_PPP, LISTED, false },
	{ "modem", RAWIP, LISTED, false },
	{ "wg0", ARPHRD_NONE, NO_LIST, false },
	{ "wg0", ARPHRD_NONE, LISTED, true },
	{ "new0", ARPHRD_VOID, LISTED, false },
};

TEST(test_the_rule_refuses_mobile_and_unlisted_interfaces)
{
	for (size_t at = 0; at < sizeof(rows) / sizeof(rows[0]); at++) {
		bool listed = rows[at].listed == LISTED;
		const char *flaw = network_interface_refusal(
			rows[at].name, rows[at].type,
			rows[at].listed == NO_LIST ? NULL : &listed);

		if (!flaw != rows[at].served)
			fail_msg("row %zu, %s: %s", at, rows[at].name,
				 flaw ? flaw : "served");
	}
}
