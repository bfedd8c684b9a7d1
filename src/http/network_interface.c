/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For a TCP socket, Linux remembers the interface on which the connection was made. IP_PKTOPTIONS
 * (and IPV6_2292PKTOPTIONS) return it once IP_PKTINFO is enabled. No manual page documents this;
 * tests/integration/test_network.py::test_a_lan_address_is_not_served_over_mobile_data checks it.
 */
#include "http/network_interface.h"

#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/word_list.h"
#include "config/config.h"

enum {
	NETWORK_INTERFACE_RAWIP = 519, /* ARPHRD_RAWIP of linux/if_arp.h */
	NETWORK_INTERFACE_UNKNOWN = ARPHRD_VOID,
	NETWORK_INTERFACE_PKTOPTIONS_6 = 6, /* IPV6_2292PKTOPTIONS of linux/in6.h */
};

/* Prefixes: "ww" covers wwan0, and wwp0s20u4 as udev names it. */
static const char *const network_interface_mobile[] = { "ww",  "rmnet", "ccmni", "ppp",
							"qmi", "clat",	"v4-" };

/* Which interfaces are served */

static bool network_interface_is_mobile(const char *name)
{
	size_t at, count = sizeof(network_interface_mobile) /
			   sizeof(network_interface_mobile[0]);

	for (at = 0; at < count; at++)
		if (strncmp(name, network_interface_mobile[at],
			    strlen(network_interface_mobile[at])) == 0)
			return true;
	return false;
}

/* Tunnels (WireGuard, tun) have the type NONE, like some mobile data: they must be listed. */
const char *network_interface_refusal(const char *name, unsigned type, const bool *listed)
{
	if (type == ARPHRD_LOOPBACK)
		return NULL;
	if (network_interface_is_mobile(name) || type == ARPHRD_PPP ||
	    type == NETWORK_INTERFACE_RAWIP)
		return "mobile data is never served";
	if (type == NETWORK_INTERFACE_UNKNOWN)
		return "its type is unknown";
	if (listed && !*listed)
		return "it is not listed in server.interfaces";
	if (!listed && type == ARPHRD_NONE)
		return "it may be mobile data; if it is your own tunnel, list it in "
		       "server.interfaces";
	return NULL;
}

static bool network_interface_is_listed(const struct config_list *names, const char *name)
{
	for (size_t at = 0; at < names->count; at++)
		if (word_list_has(names->items[at], name))
			return true;
	return false;
}

/* The list */

bool network_interfaces_read(struct network_interfaces *interfaces)
{
	struct ifaddrs *all;

	if (getifaddrs(&all) < 0)
		return false;
	freeifaddrs(interfaces->all);
	interfaces->all = all;
	interfaces->read_ms = clock_monotonic_ms();
	return true;
}

static unsigned network_interfaces_type(const struct network_interfaces *interfaces,
					const char *name)
{
	const struct ifaddrs *at;

	for (at = interfaces->all; at; at = at->ifa_next)
		if (at->ifa_addr && at->ifa_addr->sa_family == AF_PACKET &&
		    strcmp(at->ifa_name, name) == 0)
			return ((const struct sockaddr_ll *)at->ifa_addr)->sll_hatype;
	return NETWORK_INTERFACE_UNKNOWN;
}

static bool network_interface_has_address(const struct ifaddrs *at,
					  const struct address *address)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)at->ifa_addr;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)at->ifa_addr;

	if (!at->ifa_addr || at->ifa_addr->sa_family != address->any.sa_family)
		return false;
	if (address->any.sa_family == AF_INET)
		return in->sin_addr.s_addr == address->in.sin_addr.s_addr;
	return address->any.sa_family == AF_INET6 &&
	       IN6_ARE_ADDR_EQUAL(&in6->sin6_addr, &address->in6.sin6_addr) &&
	       in6->sin6_scope_id == address->in6.sin6_scope_id;
}

/* network_interface_refusal() with the facts of the list and the configuration. */
static const char *network_interfaces_refusal(const struct network_interfaces *interfaces,
					      const char *name)
{
	const struct config_list *names = &interfaces->config->interfaces;
	bool listed = network_interface_is_listed(names, name);

	return network_interface_refusal(name, network_interfaces_type(interfaces, name),
					 names->count ? &listed : NULL);
}

void network_interfaces_each(const struct network_interfaces *interfaces,
			     const struct address *address,
			     void (*report)(void *data, const struct ifaddrs *at),
			     void *data)
{
	const struct ifaddrs *at;

	for (at = interfaces->all; at; at = at->ifa_next) {
		if (!at->ifa_addr || at->ifa_addr->sa_family != address->any.sa_family ||
		    !(at->ifa_flags & IFF_UP))
			continue;
		if ((address_is_any(address) ||
		     network_interface_has_address(at, address)) &&
		    !network_interfaces_refusal(interfaces, at->ifa_name))
			report(data, at);
	}
}

/* Connections */

static unsigned network_interface_find_index(struct msghdr *message)
{
	struct cmsghdr *at;

	for (at = CMSG_FIRSTHDR(message); at; at = CMSG_NXTHDR(message, at)) {
		if (at->cmsg_level == IPPROTO_IP && at->cmsg_type == IP_PKTINFO)
			return (unsigned)((struct in_pktinfo *)(void *)CMSG_DATA(at))
				->ipi_ifindex;
		if (at->cmsg_level == IPPROTO_IPV6 && at->cmsg_type == IPV6_PKTINFO)
			return ((struct in6_pktinfo *)(void *)CMSG_DATA(at))
				->ipi6_ifindex;
	}
	return 0;
}

/* Returns the index of the interface on which the connection arrived; 0 if unknown. */
static unsigned network_interface_arrival(int fd, int family)
{
	_Alignas(struct cmsghdr) char control[256];
	struct msghdr message = { .msg_control = control };
	socklen_t length = sizeof(control);
	const int on = 1;
	bool six = family == AF_INET6;
	int level = six ? IPPROTO_IPV6 : IPPROTO_IP;

	if (setsockopt(fd, level, six ? IPV6_RECVPKTINFO : IP_PKTINFO, &on, sizeof(on)) <
		    0 ||
	    getsockopt(fd, level, six ? NETWORK_INTERFACE_PKTOPTIONS_6 : IP_PKTOPTIONS,
		       control, &length) < 0)
		return 0;
	message.msg_controllen = length;
	return network_interface_find_index(&message);
}

static bool network_interfaces_refuse(struct network_interfaces *interfaces,
				      const struct address *address, const char *name,
				      const char *reason)
{
	char text[ADDRESS_TEXT_BYTES], more[LOG_PACE_TEXT_BYTES];

	if (log_pace_passes(&interfaces->pace, more)) {
		address_format_host(address, text);
		log_info("http: refused a connection to %s on %s: %s%s", text, name,
			 reason, more);
	}
	return false;
}

/* Several interfaces may have the address; all of them must be served. */
static bool network_interfaces_serve_address(struct network_interfaces *interfaces,
					     const struct address *address)
{
	const struct ifaddrs *at;
	bool found = false;

	for (at = interfaces->all; at; at = at->ifa_next) {
		const char *reason;

		if (!network_interface_has_address(at, address))
			continue;
		found = true;
		reason = network_interfaces_refusal(interfaces, at->ifa_name);
		if (reason)
			return network_interfaces_refuse(interfaces, address,
							 at->ifa_name, reason);
	}
	return found || network_interfaces_refuse(interfaces, address, "no interface",
						  "no interface has this address");
}

/* Is the list as new as it must be to say that this address is served? */
static bool network_interfaces_are_fresh(const struct network_interfaces *interfaces,
					 const struct address *address)
{
	const struct ifaddrs *at = interfaces->all;

	while (at && !network_interface_has_address(at, address))
		at = at->ifa_next;
	return at &&
	       clock_monotonic_ms() - interfaces->read_ms < NETWORK_INTERFACES_MAX_AGE_MS;
}

bool network_interfaces_admit(struct network_interfaces *interfaces, int fd)
{
	struct address address = { .length = sizeof(address.in6) };
	char name[IF_NAMESIZE];
	const char *reason;
	unsigned index;

	if (getsockname(fd, &address.any, &address.length) < 0)
		return false;
	if (address_is_loopback(&address))
		return true;
	if (!network_interfaces_are_fresh(interfaces, &address) &&
	    !network_interfaces_read(interfaces))
		return network_interfaces_refuse(interfaces, &address,
						 "an unknown interface", strerror(errno));
	if (!network_interfaces_serve_address(interfaces, &address))
		return false;
	index = network_interface_arrival(fd, address.any.sa_family);
	if (!index || !if_indextoname(index, name))
		return true; /* the address alone must do */
	if (network_interfaces_type(interfaces, name) == NETWORK_INTERFACE_UNKNOWN)
		network_interfaces_read(interfaces); /* it is new */
	reason = network_interfaces_refusal(interfaces, name);
	return !reason || network_interfaces_refuse(interfaces, &address, name, reason);
}

void network_interfaces_init(struct network_interfaces *interfaces,
			     const struct config *config)
{
	*interfaces = (struct network_interfaces){ .config = config };
}

void network_interfaces_deinit(struct network_interfaces *interfaces)
{
	freeifaddrs(interfaces->all);
	interfaces->all = NULL;
}
