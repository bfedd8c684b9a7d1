/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/origin.h"

#include <string.h>
#include <strings.h>

#include "http/authority.h"

/* What stands behind the scheme; NULL: not one of the web. */
static const char *authority_of(const char *origin)
{
	static const char *const schemes[] = { "http://", "https://" };
	size_t at;

	for (at = 0; at < sizeof(schemes) / sizeof(schemes[0]); at++) {
		size_t length = strlen(schemes[at]);

		if (strncasecmp(origin, schemes[at], length) == 0)
			return origin + length;
	}
	return NULL;
}

bool origin_is_local(const char *origin)
{
	const char *text = authority_of(origin);
	struct authority authority;

	return text && authority_parse(text, strlen(text), &authority) &&
	       authority.loopback;
}

bool origin_is_of_host(const char *origin, const char *host, size_t length)
{
	const char *text = authority_of(origin);

	return text && strlen(text) == length && strncasecmp(text, host, length) == 0;
}
