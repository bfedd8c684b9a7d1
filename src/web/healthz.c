/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /healthz: the gateway lives.
 */
#include "web/web_route.h"

static void on_complete(void *data, struct exchange *exchange)
{
	struct buffer body = BUFFER_INIT;

	(void)data;
	buffer_append_text(&body, "{\"status\":\"ok\"}");
	exchange_answer(exchange, 200, "application/json", &body);
}

const struct exchange_handler healthz_handler = { .complete = on_complete };
