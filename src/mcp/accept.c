/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/accept.h"

#include <string.h>

bool accept_streams(struct exchange *exchange)
{
	const char *accept = exchange_header(exchange, "Accept", NULL);

	return !accept || strcasestr(accept, "text/event-stream") ||
	       strcasestr(accept, "text/*") || strstr(accept, "*/*");
}
