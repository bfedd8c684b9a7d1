/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Network interfaces: decides on which ones connections are served.
 *
 * Mobile data is never served, even when we listen on all addresses, because the operator may give
 * the phone an address that strangers can reach. Two interfaces must be allowed: the one that has
 * our address of the connection, and the one on which it arrived, because Linux accepts packets for
 * any of its addresses on every interface. Loopback is always served.
 * (tests/integration/test_network.py::test_mobile_data_is_never_served,
 * ::test_the_weak_host_model)
 *
 * If the interface cannot be determined, the connection is not served. By then the kernel has
 * answered with SYN-ACK; to prevent that too, use a firewall, see doc/security.md.
 */
#pragma once

#include <ifaddrs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/address.h"
#include "base/log.h"

struct config;

enum { NETWORK_INTERFACES_MAX_AGE_MS = 1000 }; /* of the list that was read */

struct network_interfaces {
	const struct config *config; /* server.interfaces restricts them */
	struct ifaddrs *all;	     /* NULL if not read yet */
	int64_t read_ms;
	struct log_pace pace;
};

void network_interfaces_init(struct network_interfaces *interfaces,
			     const struct config *config);
void network_interfaces_deinit(struct network_interfaces *interfaces);
/*
 * Call it after `fd` was accepted. If it returns false, which is logged, close it without an
 * answer.
 */
bool network_interfaces_admit(struct network_interfaces *interfaces, int fd);

/* Reads the list again. Returns false if it failed with errno, the old list stays. */
bool network_interfaces_read(struct network_interfaces *interfaces);

/*
 * Reports each address of the list, on interfaces that are up and served, that reaches a server
 * which listens on `address` (a single address or all).
 */
void network_interfaces_each(const struct network_interfaces *interfaces,
			     const struct address *address,
			     void (*report)(void *data, const struct ifaddrs *at),
			     void *data);

/*
 * Returns why the rule does not serve an interface; NULL if it is served. `type` is one of
 * ARPHRD_*. `listed` says whether server.interfaces names it; NULL if that is not set.
 */
const char *network_interface_refusal(const char *name, unsigned type,
				      const bool *listed);
