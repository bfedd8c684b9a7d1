/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/authority.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

enum { PORT_DIGITS_MAX = 5, PORT_MAX = 65535 };

static bool port_valid(const char *text, size_t length)
{
	unsigned port = 0;
	size_t at;

	if (length > PORT_DIGITS_MAX)
		return false;
	for (at = 0; at < length; at++) {
		if (text[at] < '0' || text[at] > '9')
			return false;
		port = 10 * port + (unsigned)(text[at] - '0');
	}
	return port <= PORT_MAX;
}

static bool name_valid(const char *text, size_t length)
{
	size_t at;

	for (at = 0; at < length; at++) {
		char c = text[at];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(c >= '0' && c <= '9') && c != '-' && c != '.' && c != '_')
			return false;
	}
	return length > 0;
}

/* Brackets hold an IPv6 address; a zone ("%25eth0") says nothing about who is meant. */
static bool bracketed_parse(struct authority *authority)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr address;
	const char *zone = memchr(authority->host, '%', authority->host_length);
	size_t length = authority->host_length;

	if (zone)
		length = (size_t)(zone - authority->host);
	if (length >= sizeof(text))
		return false;
	memcpy(text, authority->host, length);
	text[length] = '\0';
	if (inet_pton(AF_INET6, text, &address) != 1)
		return false;
	authority->literal = true;
	authority->loopback = IN6_IS_ADDR_LOOPBACK(&address);
	return true;
}

static bool plain_parse(struct authority *authority)
{
	char text[INET_ADDRSTRLEN];
	struct in_addr address = { 0 };

	if (!name_valid(authority->host, authority->host_length))
		return false;
	if (authority->host[authority->host_length - 1] == '.')
		authority->host_length--;
	if (!authority->host_length)
		return false;
	if (authority->host_length < sizeof(text)) {
		memcpy(text, authority->host, authority->host_length);
		text[authority->host_length] = '\0';
		authority->literal = inet_pton(AF_INET, text, &address) == 1;
	}
	authority->loopback = authority->literal
				      ? ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET
				      : authority_is(authority, "localhost");
	return true;
}

bool authority_is(const struct authority *authority, const char *name)
{
	size_t length = strlen(name);

	if (length && name[length - 1] == '.')
		length--;
	return length == authority->host_length &&
	       strncasecmp(authority->host, name, length) == 0;
}

bool authority_parse(const char *text, size_t length, struct authority *authority_out)
{
	struct authority authority = { .host = text };
	const char *end = text + length;
	const char *stop;

	if (length && text[0] == '[') {
		authority.host++;
		stop = memchr(text, ']', length);
		if (!stop)
			return false;
		authority.host_length = (size_t)(stop - authority.host);
		stop++;
		if (!bracketed_parse(&authority))
			return false;
	} else {
		stop = memchr(text, ':', length);
		if (!stop)
			stop = end;
		authority.host_length = (size_t)(stop - text);
		if (!plain_parse(&authority))
			return false;
	}
	if (stop < end &&
	    (*stop != ':' || !port_valid(stop + 1, (size_t)(end - stop - 1))))
		return false;
	*authority_out = authority;
	return true;
}
