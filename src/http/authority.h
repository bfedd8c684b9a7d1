/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Authority: "host[:port]" as in the Host header, and behind "http://" in the Origin header.
 */
#ifndef HTTP_AUTHORITY_H
#define HTTP_AUTHORITY_H

#include <stdbool.h>
#include <stddef.h>

struct authority {
	const char *host; /* within the text: without port, brackets or final dot */
	size_t host_length;
	bool literal;  /* an IP address, so no DNS answer can point it elsewhere */
	bool loopback; /* 127.0.0.0/8, ::1 or "localhost" */
};

/* False: the text is not name, name:port, 192.0.2.1:port or [2001:db8::1]:port. */
bool authority_parse(const char *text, size_t length, struct authority *authority_out);
bool authority_is(const struct authority *authority, const char *name);

/* An Origin of the web on this machine's loopback address. */
bool authority_origin_is_local(const char *origin);
/* An Origin of the web whose authority is `host`. */
bool authority_origin_is(const char *origin, const char *host);

#endif
