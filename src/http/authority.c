/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/gate.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

enum { AUTHORITY_PORT_DIGITS_MAX = 5, AUTHORITY_PORT_MAX = 65535 };

static bool authority_port_is_valid(const char *text, size_t length)
{
	unsigned port = 0;

	if (length > AUTHORITY_PORT_DIGITS_MAX)
		return false;
	for (size_t at = 0; at < length; at++) {
		if (text[at] < '0' || text[at] > '9')
			return false;
		port = 10 * port + (unsigned)(text[at] - '0');
	}
	return port <= AUTHORITY_PORT_MAX;
}

static bool authority_name_is_valid(const char *text, size_t length)
{
	for (size_t at = 0; at < length; at++) {
		char c = text[at];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(c >= '0' && c <= '9') && c != '-' && c != '.' && c != '_')
			return false;
	}
	return length > 0;
}

/* Brackets hold an IPv6 address; its zone ("%25eth0") does not say which machine is meant. */
static bool authority_parse_bracketed(struct authority *authority)
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

bool authority_is(const struct authority *authority, const char *name)
{
	size_t length = strlen(name);

	if (length && name[length - 1] == '.')
		length--;
	return length == authority->host_length &&
	       strncasecmp(authority->host, name, length) == 0;
}

static bool authority_parse_plain(struct authority *authority)
{
	char text[INET_ADDRSTRLEN];
	struct in_addr address = { 0 };

	if (!authority_name_is_valid(authority->host, authority->host_length))
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
		if (!authority_parse_bracketed(&authority))
			return false;
	} else {
		stop = memchr(text, ':', length);
		if (!stop)
			stop = end;
		authority.host_length = (size_t)(stop - text);
		if (!authority_parse_plain(&authority))
			return false;
	}
	if (stop < end && (*stop != ':' ||
			   !authority_port_is_valid(stop + 1, (size_t)(end - stop - 1))))
		return false;
	*authority_out = authority;
	return true;
}

/* Returns what follows the scheme; NULL if it is no scheme of the web. */
static const char *authority_of_origin(const char *origin)
{
	static const char *const schemes[] = { "http://", "https://" };

	for (size_t at = 0; at < sizeof(schemes) / sizeof(schemes[0]); at++) {
		size_t length = strlen(schemes[at]);

		if (strncasecmp(origin, schemes[at], length) == 0)
			return origin + length;
	}
	return NULL;
}

bool authority_origin_is_local(const char *origin)
{
	const char *text = authority_of_origin(origin);
	struct authority authority;

	return text && authority_parse(text, strlen(text), &authority) &&
	       authority.loopback;
}

bool authority_origin_is(const char *origin, const char *host)
{
	const char *text = authority_of_origin(origin);

	return text && strcasecmp(text, host) == 0;
}
