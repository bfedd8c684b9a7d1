/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/web_route.h"

/* By the last a frame and an object, which ask for a page and not for a resource. */
static const struct {
	const char *name, *value;
} headers[] = {
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'" },
};

void web_keep_to_own_pages(struct exchange *exchange)
{
	for (size_t at = 0; at < sizeof(headers) / sizeof(headers[0]); at++)
		exchange_add_fixed_header(exchange, headers[at].name, headers[at].value);
}
