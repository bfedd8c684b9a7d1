/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address: an IP address and a port, and their text.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	};
	socklen_t length;
};

/*
 * Identifies whoever uses an address: a whole IPv4 address, or the half of an IPv6 address
 * that names the network.
 */
struct address_source {
	uint8_t family; /* 0 if there is none */
	uint8_t prefix[8];
};

enum { ADDRESS_TEXT_BYTES = 64 };

/* Parses "127.0.0.1:9531" or "[::1]:9531", with a port from 0 to 65535. Does not resolve names. */
bool address_parse(const char *text, struct address *address_out);
/* Copies a socket's address; families other than IP leave an empty one. */
void address_take(struct address *address, const struct sockaddr *any);
struct address_source address_source(const struct address *address);
bool address_source_is(const struct address_source *source,
		       const struct address_source *other);
bool address_is_loopback(const struct address *address);
/* Is it 0.0.0.0 or [::], which listens on every address of its family? */
bool address_is_any(const struct address *address);
void address_format(const struct address *address, char text[ADDRESS_TEXT_BYTES]);
/* Writes it without the port: "192.0.2.1", "2001:db8::1". */
void address_format_host(const struct address *address, char text[ADDRESS_TEXT_BYTES]);
