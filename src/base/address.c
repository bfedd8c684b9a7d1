/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static bool address_parse_port(const char *text, in_port_t *port_out)
{
	unsigned int port = 0;
	size_t length = strlen(text);
	size_t at;

	if (length < 1 || length > 5)
		return false;
	for (at = 0; at < length; at++) {
		if (text[at] < '0' || text[at] > '9')
			return false;
		port = port * 10 + (unsigned int)(text[at] - '0');
	}
	if (port > 65535)
		return false;
	*port_out = htons((in_port_t)port);
	return true;
}

static bool address_parse_host(const char *host, bool bracketed, struct address *address)
{
	if (bracketed) {
		address->in6.sin6_family = AF_INET6;
		address->length = sizeof(address->in6);
		return inet_pton(AF_INET6, host, &address->in6.sin6_addr) == 1;
	}
	address->in.sin_family = AF_INET;
	address->length = sizeof(address->in);
	return inet_pton(AF_INET, host, &address->in.sin_addr) == 1;
}

bool address_parse(const char *text, struct address *address_out)
{
	struct address address = { .length = 0 };
	bool bracketed = text[0] == '[';
	char host[INET6_ADDRSTRLEN];
	size_t length;
	in_port_t port;

	if (bracketed)
		text++;
	length = strcspn(text, bracketed ? "]" : ":");
	if (length >= sizeof(host))
		return false;
	memcpy(host, text, length);
	host[length] = '\0';
	text += length;
	if (strncmp(text, bracketed ? "]:" : ":", bracketed ? 2 : 1) != 0)
		return false;
	if (!address_parse_port(text + (bracketed ? 2 : 1), &port))
		return false;
	if (!address_parse_host(host, bracketed, &address))
		return false;
	if (bracketed)
		address.in6.sin6_port = port;
	else
		address.in.sin_port = port;
	*address_out = address;
	return true;
}

void address_take(struct address *address, const struct sockaddr *any)
{
	memset(address, 0, sizeof(*address));
	if (any && any->sa_family == AF_INET)
		address->length = sizeof(address->in);
	else if (any && any->sa_family == AF_INET6)
		address->length = sizeof(address->in6);
	if (any && address->length)
		memcpy(&address->any, any, address->length);
}

struct address_source address_source(const struct address *address)
{
	const struct in6_addr *in6 = &address->in6.sin6_addr;
	const void *in = &address->in.sin_addr;
	struct address_source source = { .family = AF_INET };

	if (address->any.sa_family == AF_INET6) {
		if (!IN6_IS_ADDR_V4MAPPED(in6)) {
			source.family = AF_INET6;
			memcpy(source.prefix, in6, 8);
			return source;
		}
		in = &in6->s6_addr[12];
	}
	memcpy(source.prefix, in, 4);
	if (source.prefix[0] ==
	    IN_LOOPBACKNET) /* every program may use all of 127.0.0.0/8 */
		memset(source.prefix + 1, 0, sizeof(source.prefix) - 1);
	return source;
}

bool address_source_is(const struct address_source *source,
		       const struct address_source *other)
{
	return source->family == other->family &&
	       memcmp(source->prefix, other->prefix, sizeof(source->prefix)) == 0;
}

bool address_is_loopback(const struct address *address)
{
	const struct in6_addr *in6 = &address->in6.sin6_addr;

	if (address->any.sa_family == AF_INET)
		return ntohl(address->in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	if (address->any.sa_family != AF_INET6)
		return false;
	if (IN6_IS_ADDR_V4MAPPED(in6))
		return in6->s6_addr[12] == IN_LOOPBACKNET;
	return IN6_IS_ADDR_LOOPBACK(in6);
}

bool address_is_any(const struct address *address)
{
	if (address->any.sa_family == AF_INET)
		return address->in.sin_addr.s_addr == htonl(INADDR_ANY);
	return address->any.sa_family == AF_INET6 &&
	       IN6_IS_ADDR_UNSPECIFIED(&address->in6.sin6_addr);
}

void address_format_host(const struct address *address, char text[ADDRESS_TEXT_BYTES])
{
	const void *host = &address->in.sin_addr;
	int family = address->any.sa_family;

	if (family == AF_INET6)
		host = &address->in6.sin6_addr;
	else if (family != AF_INET)
		host = NULL;
	if (!host || !inet_ntop(family, host, text, ADDRESS_TEXT_BYTES))
		snprintf(text, ADDRESS_TEXT_BYTES, "?");
}

void address_format(const struct address *address, char text[ADDRESS_TEXT_BYTES])
{
	bool bracketed = address->any.sa_family == AF_INET6;
	char host[ADDRESS_TEXT_BYTES];

	address_format_host(address, host);
	if (address->any.sa_family != AF_INET && !bracketed)
		snprintf(text, ADDRESS_TEXT_BYTES, "?");
	else
		snprintf(
			text, ADDRESS_TEXT_BYTES, bracketed ? "[%.46s]:%u" : "%.46s:%u",
			host,
			ntohs(bracketed ? address->in6.sin6_port : address->in.sin_port));
}
