/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IPv4: everything but the registry's special blocks. IPv6: nothing but global unicast
 * (2000::/3) without its special blocks, so that a block that is registered tomorrow outside
 * of it is refused today.
 *
 * An address with an IPv4 address inside counts as that one: mapped (::ffff:0:0/96), and
 * NAT64 (64:ff9b::/96), through which phones on IPv6-only mobile networks reach IPv4 servers.
 * 6to4, Teredo and the network-specific NAT64 block are refused as a whole.
 */
#include "webhook/webhook_address.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct webhook_address_block {
	uint8_t prefix[16];
	uint8_t bits;
};

static const struct webhook_address_block webhook_address_special_4[] = {
	{ { 0 }, 8 },		  /* this network */
	{ { 10 }, 8 },		  /* private */
	{ { 100, 64 }, 10 },	  /* shared, carrier-grade NAT */
	{ { 127 }, 8 },		  /* loopback */
	{ { 169, 254 }, 16 },	  /* link-local, and clouds' metadata */
	{ { 172, 16 }, 12 },	  /* private */
	{ { 192, 0, 0 }, 24 },	  /* protocol assignments */
	{ { 192, 0, 2 }, 24 },	  /* documentation */
	{ { 192, 31, 196 }, 24 }, /* AS112 */
	{ { 192, 52, 193 }, 24 }, /* AMT */
	{ { 192, 88, 99 }, 24 },  /* 6to4 relays */
	{ { 192, 168 }, 16 },	  /* private */
	{ { 192, 175, 48 }, 24 }, /* AS112 */
	{ { 198, 18 }, 15 },	  /* benchmarks */
	{ { 198, 51, 100 }, 24 }, /* documentation */
	{ { 203, 0, 113 }, 24 },  /* documentation */
	{ { 224 }, 4 },		  /* multicast */
	{ { 240 }, 4 },		  /* reserved, broadcast */
};

static const struct webhook_address_block webhook_address_special_6[] = {
	{ { 0x20, 0x01, 0x00 }, 23 },		  /* protocols, Teredo, ORCHID */
	{ { 0x20, 0x01, 0x0d, 0xb8 }, 32 },	  /* documentation */
	{ { 0x20, 0x02 }, 16 },			  /* 6to4 */
	{ { 0x26, 0x20, 0x00, 0x4f, 0x80 }, 48 }, /* AS112 */
	{ { 0x3f, 0xff }, 20 },			  /* documentation */
};

static const struct webhook_address_block webhook_address_global_6 = { { 0x20 }, 3 };

static const struct webhook_address_block webhook_address_embedding[] = {
	{ { [10] = 0xff, [11] = 0xff }, 96 }, /* mapped */
	{ { 0x00, 0x64, 0xff, 0x9b }, 96 },   /* NAT64 */
};

enum { BITS_PER_BYTE = 8, EMBEDDED_AT = 12 };

static bool webhook_address_is_in(const uint8_t *address,
				  const struct webhook_address_block *block)
{
	size_t whole = block->bits / BITS_PER_BYTE;
	unsigned rest = block->bits % BITS_PER_BYTE;
	unsigned mask = 0xff00U >> rest & 0xffU;

	if (memcmp(address, block->prefix, whole) != 0)
		return false;
	return !rest || (address[whole] & mask) == block->prefix[whole];
}

static bool webhook_address_is_in_any(const uint8_t *address,
				      const struct webhook_address_block *blocks,
				      size_t count)
{
	for (size_t at = 0; at < count; at++) {
		if (webhook_address_is_in(address, &blocks[at]))
			return true;
	}
	return false;
}

#define WEBHOOK_ADDRESS_IN(address, blocks) \
	webhook_address_is_in_any(address, blocks, sizeof(blocks) / sizeof(*(blocks)))

/* Returns the IPv4 address that it is or contains; NULL if it is neither. */
static const uint8_t *webhook_address_find_4(const struct sockaddr *address)
{
	const struct sockaddr_in6 *in6 = (const void *)address;

	if (address->sa_family == AF_INET)
		return (const void *)&((const struct sockaddr_in *)(const void *)address)
			->sin_addr;
	if (address->sa_family == AF_INET6 &&
	    WEBHOOK_ADDRESS_IN(in6->sin6_addr.s6_addr, webhook_address_embedding))
		return in6->sin6_addr.s6_addr + EMBEDDED_AT;
	return NULL;
}

bool webhook_address_is_public(const struct sockaddr *address)
{
	const struct sockaddr_in6 *in6 = (const void *)address;
	const uint8_t *ipv4 = webhook_address_find_4(address);

	if (ipv4)
		return !WEBHOOK_ADDRESS_IN(ipv4, webhook_address_special_4);
	return address->sa_family == AF_INET6 &&
	       webhook_address_is_in(in6->sin6_addr.s6_addr, &webhook_address_global_6) &&
	       !WEBHOOK_ADDRESS_IN(in6->sin6_addr.s6_addr, webhook_address_special_6);
}

bool webhook_address_is_host(const struct sockaddr *address)
{
	const struct sockaddr_in6 *in6 = (const void *)address;
	const uint8_t *ipv4 = webhook_address_find_4(address);

	if (ipv4)
		return ipv4[0] != 0 && ipv4[0] < 224;
	return address->sa_family == AF_INET6 &&
	       !IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr) &&
	       !IN6_IS_ADDR_MULTICAST(&in6->sin6_addr);
}
