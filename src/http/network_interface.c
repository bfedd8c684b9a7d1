/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of TCP, Linux keeps the interface on which the connection was made; IP_PKTOPTIONS (and
 * IPV6_2292PKTOPTIONS) tell it once IP_PKTINFO is asked for. Neither is in a manual page:
 * tests/integration/test_network.py::test_the_weak_host_model holds it.
 */
#include "http/network_interface.h"

#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <string.h>
#include <sys/socket.h>

#include "base/address.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/word_list.h"

enum {
	TYPE_RAWIP = 519, /* ARPHRD_RAWIP of linux/if_arp.h */
	TYPE_UNKNOWN = ARPHRD_VOID,
	OLD_PKTOPTIONS = 6, /* IPV6_2292PKTOPTIONS of linux/in6.h */
};

/* Their beginnings: "ww" is wwan0, and wwp0s20u4 where udev gives the names. */
static const char *const mobile_names[] = { "ww",  "rmnet", "ccmni", "ppp",
					    "qmi", "clat",  "v4-" };

/* Why an interface is not served */

static bool name_is_mobile(const char *name)
{
	for (size_t at = 0; at < sizeof(mobile_names) / sizeof(mobile_names[0]); at++)
		if (strncmp(name, mobile_names[at], strlen(mobile_names[at])) == 0)
			return true;
	return false;
}

/* A tunnel (WireGuard, tun) has the type NONE, too: it is served when it is named. */
const char *network_interface_flaw(const char *name, unsigned type, const bool *listed)
{
	if (type == ARPHRD_LOOPBACK)
		return NULL;
	if (name_is_mobile(name) || type == ARPHRD_PPP || type == TYPE_RAWIP)
		return "mobile data is never served";
	if (type == TYPE_UNKNOWN)
		return "its type cannot be told";
	if (listed && !*listed)
		return "it is not among server.interfaces";
	if (!listed && type == ARPHRD_NONE)
		return "it may be mobile data; if it is a tunnel of yours, name it in "
		       "server.interfaces";
	return NULL;
}

static bool is_listed(const struct config_list *names, const char *name)
{
	for (size_t at = 0; at < names->count; at++)
		if (word_list_has(names->items[at], name))
			return true;
	return false;
}

/* What there is */

bool network_interfaces_read(struct network_interfaces *interfaces)
{
	struct ifaddrs *all;

	if (getifaddrs(&all) < 0)
		return false;
	if (interfaces->all)
		freeifaddrs(interfaces->all);
	interfaces->all = all;
	interfaces->read_ms = clock_monotonic_ms();
	return true;
}

static bool is_fresh(const struct network_interfaces *interfaces)
{
	return interfaces->all &&
	       clock_monotonic_ms() - interfaces->read_ms < NETWORK_INTERFACES_MS;
}

static unsigned type_of(const struct network_interfaces *interfaces, const char *name)
{
	const struct ifaddrs *at;

	for (at = interfaces->all; at; at = at->ifa_next)
		if (at->ifa_addr && at->ifa_addr->sa_family == AF_PACKET &&
		    strcmp(at->ifa_name, name) == 0)
			return ((const struct sockaddr_ll *)at->ifa_addr)->sll_hatype;
	return TYPE_UNKNOWN;
}

static bool has_address(const struct ifaddrs *at, const struct address *address)
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

/* Of one that was read, what network_interface_flaw() says with the owner's list. */
static const char *flaw_of(const struct network_interfaces *interfaces, const char *name)
{
	const struct config_list *names = &interfaces->config->interfaces;
	bool listed = is_listed(names, name);

	return network_interface_flaw(name, type_of(interfaces, name),
				      names->count ? &listed : NULL);
}

void network_interfaces_each(const struct network_interfaces *interfaces,
			     const struct address *address,
			     void (*tell)(void *data, const struct ifaddrs *at),
			     void *data)
{
	const struct ifaddrs *at;

	for (at = interfaces->all; at; at = at->ifa_next) {
		if (!at->ifa_addr || at->ifa_addr->sa_family != address->any.sa_family ||
		    !(at->ifa_flags & IFF_UP))
			continue;
		if ((address_is_any(address) || has_address(at, address)) &&
		    !flaw_of(interfaces, at->ifa_name))
			tell(data, at);
	}
}

/* The connection */

static unsigned index_of(struct msghdr *message)
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

/* Where it came in; 0: it cannot be told. */
static unsigned arrival(int fd, int family)
{
	_Alignas(struct cmsghdr) char control[256];
	struct msghdr message = { .msg_control = control };
	socklen_t length = sizeof(control);
	const int on = 1;
	bool six = family == AF_INET6;
	int level = six ? IPPROTO_IPV6 : IPPROTO_IP;

	if (setsockopt(fd, level, six ? IPV6_RECVPKTINFO : IP_PKTINFO, &on, sizeof(on)) <
		    0 ||
	    getsockopt(fd, level, six ? OLD_PKTOPTIONS : IP_PKTOPTIONS, control,
		       &length) < 0)
		return 0;
	message.msg_controllen = length;
	return index_of(&message);
}

static bool refuse(struct network_interfaces *interfaces, const struct address *address,
		   const char *name, const char *flaw)
{
	char text[ADDRESS_TEXT_BYTES], more[LOG_PACE_TEXT_BYTES];

	if (log_pace_passes(&interfaces->pace, more)) {
		address_format_host(address, text);
		log_info("http: refused a connection to %s on %s: %s%s", text, name, flaw,
			 more);
	}
	return false;
}

/* The address may be on several; each must do. */
static bool address_served(struct network_interfaces *interfaces,
			   const struct address *address)
{
	const struct ifaddrs *at;
	bool found = false;

	for (at = interfaces->all; at; at = at->ifa_next) {
		const char *flaw;

		if (!has_address(at, address))
			continue;
		found = true;
		flaw = flaw_of(interfaces, at->ifa_name);
		if (flaw)
			return refuse(interfaces, address, at->ifa_name, flaw);
	}
	return found ||
	       refuse(interfaces, address, "no interface", "the address belongs to none");
}

static bool has_any(const struct network_interfaces *interfaces,
		    const struct address *address)
{
	const struct ifaddrs *at;

	for (at = interfaces->all; at; at = at->ifa_next)
		if (has_address(at, address))
			return true;
	return false;
}

bool network_interfaces_admit(struct network_interfaces *interfaces, int fd)
{
	struct address address = { .length = sizeof(address.in6) };
	char name[IF_NAMESIZE];
	const char *flaw;
	unsigned index;

	if (getsockname(fd, &address.any, &address.length) < 0)
		return false;
	if (address_is_loopback(&address))
		return true;
	if ((!is_fresh(interfaces) || !has_any(interfaces, &address)) &&
	    !network_interfaces_read(interfaces))
		return refuse(interfaces, &address, "an unknown interface",
			      strerror(errno));
	if (!address_served(interfaces, &address))
		return false;
	index = arrival(fd, address.any.sa_family);
	if (!index || !if_indextoname(index, name))
		return true; /* the address alone must do */
	if (type_of(interfaces, name) == TYPE_UNKNOWN)
		network_interfaces_read(interfaces); /* it is new */
	flaw = flaw_of(interfaces, name);
	return !flaw || refuse(interfaces, &address, name, flaw);
}

void network_interfaces_init(struct network_interfaces *interfaces,
			     const struct config *config)
{
	*interfaces = (struct network_interfaces){ .config = config };
}

void network_interfaces_deinit(struct network_interfaces *interfaces)
{
	if (interfaces->all)
		freeifaddrs(interfaces->all);
	interfaces->all = NULL;
}
