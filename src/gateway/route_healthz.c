/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /healthz: 200 while the gateway answers, and whether it is ready, with why not.
 * /healthz/live: the same status and nothing else. /healthz/ready: 503 while it is not ready.
 */
#include "base/json.h"
#include "gateway/web_route.h"
#include "tools/obstacle.h"

static void put_reasons(struct json_writer *writer, const struct services *services)
{
	json_key(writer, "reasons");
	json_open_array(writer);
	for (const struct obstacle *at = obstacle_table; at->name; at++) {
		if (!at->holds(services))
			continue;
		json_open_object(writer);
		json_put_string(writer, "reason", at->name);
		json_put_string(writer, "text", at->text);
		json_close_object(writer);
	}
	json_close_array(writer);
}

/* `services` NULL: nobody asked whether it is ready. */
static void write_health(struct buffer *body, const struct services *services)
{
	struct json_writer *writer = json_writer_new(body);

	if (!writer) {
		body->failed = true;
		return;
	}
	json_open_object(writer);
	json_put_string(writer, "status", "ok");
	if (services) {
		json_put_boolean(writer, "ready", obstacle_is_none(services));
		put_reasons(writer, services);
	}
	json_close_object(writer);
	json_writer_free(writer);
}

static void answer(struct exchange *exchange, unsigned status,
		   const struct services *services)
{
	struct buffer body = BUFFER_INIT;

	write_health(&body, services);
	web_keep_to_own_pages(exchange);
	exchange_add_header(exchange, "Cache-Control", "no-store");
	exchange_answer(exchange, status, "application/json", &body);
}

static void on_health(void *data, struct exchange *exchange)
{
	const struct web *web = data;

	answer(exchange, 200, web->services);
}

static void on_live(void *data, struct exchange *exchange)
{
	(void)data;
	answer(exchange, 200, NULL);
}

static void on_ready(void *data, struct exchange *exchange)
{
	const struct web *web = data;

	answer(exchange, obstacle_is_none(web->services) ? 200 : 503, web->services);
}

const struct exchange_handler healthz_handler = { .complete = on_health };
const struct exchange_handler healthz_live_handler = { .complete = on_live };
const struct exchange_handler healthz_ready_handler = { .complete = on_ready };
