/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Webhook address: may an event be delivered to this IP address?
 *
 * A client names the URL, so a name could resolve to this phone or to a neighbour on its
 * network. The resolved address is checked at every connection, not once: a name may resolve
 * differently a moment later.
 *
 * Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC 8190);
 * RFC 6052 for NAT64.
 */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

/* Is it a global unicast address that no registry reserves for another purpose? */
bool webhook_address_is_public(const struct sockaddr *address);

/* Is it an address of one host: not unspecified, broadcast or multicast? */
bool webhook_address_is_host(const struct sockaddr *address);
