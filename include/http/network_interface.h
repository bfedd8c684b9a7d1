/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Network interfaces: whether a connection came in where we serve.
 *
 * Mobile data is never served, even when we listen on all addresses: a phone's carrier hands
 * out addresses that strangers can reach. Two things are looked at: which interface our end
 * of the connection belongs to, and which one it came in on, for Linux takes a packet for
 * any address of its own on every interface. Loopback is always served.
 *
 * (tests/integration/test_network.py::test_mobile_data_is_never_served,
 * ::test_the_weak_host_model)
 *
 * What cannot be told is not served. The kernel has answered with SYN-ACK by then; who wants
 * that not to happen needs a firewall, see doc/security.md.
 */
#ifndef HTTP_NETWORK_INTERFACE_H
#define HTTP_NETWORK_INTERFACE_H

#include <ifaddrs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/address.h"
#include "config/config.h"
#include "base/log_pace.h"

enum { NETWORK_INTERFACES_MS = 1000 }; /* what was read counts that long */

struct network_interfaces {
	const struct config *config; /* `interfaces` narrows it to these */
	struct ifaddrs *all;	     /* NULL: not read yet */
	int64_t read_ms;
	struct log_pace pace;
};

void network_interfaces_init(struct network_interfaces *interfaces,
			     const struct config *config);
void network_interfaces_deinit(struct network_interfaces *interfaces);
/* `fd` was accepted. False, and said in the log: close it without a word. */
bool network_interfaces_admit(struct network_interfaces *interfaces, int fd);

/* What there is now goes into `all`. False: what was there stays, and errno tells why. */
bool network_interfaces_read(struct network_interfaces *interfaces);

/*
 * Of those that were read: tells of each address of an interface that is up on which a
 * server is reached that listens on `address` (all addresses, or this one).
 */
void network_interfaces_each(const struct network_interfaces *interfaces,
			     const struct address *address,
			     void (*tell)(void *data, const struct ifaddrs *at),
			     void *data);

/*
 * The rule: `type` is one of ARPHRD_*. `listed` is whether the owner names it; NULL: the
 * owner names none. What the outcome NULL means: served; else why not.
 */
const char *network_interface_flaw(const char *name, unsigned type, const bool *listed);

#endif
