/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Authority: "host[:port]" as it stands in Host and in Origin.
 */
#ifndef HTTP_AUTHORITY_H
#define HTTP_AUTHORITY_H

#include <stdbool.h>
#include <stddef.h>

struct authority {
	const char *host; /* within the text: no port, brackets or final dot */
	size_t host_length;
	bool literal;  /* an IP address; no DNS answer can turn it into another machine */
	bool loopback; /* 127.0.0.0/8, ::1 or "localhost" */
};

/* False: not of the form name, name:port, 192.0.2.1:port or [2001:db8::1]:port. */
bool authority_parse(const char *text, size_t length, struct authority *authority_out);
bool authority_is(const struct authority *authority, const char *name);

#endif
