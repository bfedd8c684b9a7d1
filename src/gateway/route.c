/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /healthz: 200 while the gateway answers, and whether it can send, with the
 * reasons if not. GET /healthz/live: only the status. GET /healthz/ready: 503 while it
 * cannot send.
 *
 * GET /mcp/server-card: the server card, with the URL that the client used. The URL
 * comes from the Host header, which the gates have checked. A proxy that terminates
 * TLS may say so in X-Forwarded-Proto: a client that believes the card then never
 * sends its token in the clear, and nobody can turn https into http. Pages of other
 * origins do not get the card (http/gate.h), although the SEP wants them to: a page
 * must not learn that there is a gateway.
 */
#include <assert.h>
#include <gnutls/crypto.h>
#include <stdio.h>
#include <string.h>

#include "base/crypto.h"
#include "base/json.h"
#include "console/console.h"
#include "gateway/web.h"
#include "mcp/endpoint.h"
#include "tools/obstacle.h"

/* The last one stops frames and objects, which load a page rather than a resource. */
static const struct {
	const char *name, *value;
} headers[] = {
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'" },
};

void route_isolate(struct exchange *exchange)
{
	for (size_t at = 0; at < sizeof(headers) / sizeof(headers[0]); at++)
		exchange_add_fixed_header(exchange, headers[at].name, headers[at].value);
}

/* /healthz */

static void route_health_put_readiness(struct json_writer *writer,
				       const struct services *services)
{
	json_put_boolean(writer, "ready", obstacle_is_none(services));
	json_open_array_at(writer, "reasons");
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

/* If `services` is NULL, readiness is left out. */
static void route_health_answer(struct exchange *exchange, unsigned status,
				const struct services *services)
{
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&body);

	if (writer) {
		json_open_object(writer);
		json_put_string(writer, "status", "ok");
		if (services)
			route_health_put_readiness(writer, services);
		json_close_object(writer);
	}
	json_writer_free(writer);
	route_isolate(exchange);
	exchange_add_header(exchange, "Cache-Control", "no-store");
	exchange_answer(exchange, status, "application/json", &body);
}

static void route_on_health(void *data, struct exchange *exchange)
{
	const struct web *web = data;

	route_health_answer(exchange, 200, web->services);
}

static void route_on_live(void *data, struct exchange *exchange)
{
	route_health_answer(exchange, 200, NULL);
}

static void route_on_ready(void *data, struct exchange *exchange)
{
	const struct web *web = data;

	route_health_answer(exchange, obstacle_is_none(web->services) ? 200 : 503,
			    web->services);
}

const struct exchange_handler route_health_handler = { .complete = route_on_health };
const struct exchange_handler route_live_handler = { .complete = route_on_live };
const struct exchange_handler route_ready_handler = { .complete = route_on_ready };

/* /mcp/server-card */

enum { TAG_BYTES = 16, TAG_TEXT_BYTES = 2 * TAG_BYTES + 3 };

const char *route_own_url(struct exchange *exchange, const char *path)
{
	const char *host = exchange_header(exchange, "Host", NULL);
	const char *scheme = exchange_header(exchange, "X-Forwarded-Proto", NULL);
	bool encrypted = exchange_is_encrypted(exchange) ||
			 (scheme && strcmp(scheme, "https") == 0);

	if (!host)
		return NULL;
	return arena_printf(exchange_arena(exchange), "%s://%s%s",
			    encrypted ? "https" : "http", host, path);
}

/* The first bytes of the SHA-256, in quotes; "" if there is none. */
static void route_card_make_tag(const struct buffer *body, char tag[TAG_TEXT_BYTES])
{
	uint8_t hash[32];
	char *to = tag;

	*to = '\0';
	if (body->failed ||
	    gnutls_hash_fast(GNUTLS_DIG_SHA256, body->data, body->length, hash) < 0)
		return;
	*to++ = '"';
	for (int at = 0; at < TAG_BYTES; at++)
		to += sprintf(to, "%02x", hash[at]);
	strcpy(to, "\"");
}

/* RFC 9110 section 13.1.2. The tag has its quotes, so no other tag can contain it. */
static bool route_card_is_cached(struct exchange *exchange, const char *tag)
{
	const char *known = exchange_header(exchange, "If-None-Match", NULL);

	return known && *tag &&
	       (strcmp(known, "*") == 0 ||
		exchange_header_has(exchange, "If-None-Match", tag));
}

static void route_on_card(void *data, struct exchange *exchange)
{
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&body);
	char tag[TAG_TEXT_BYTES];

	if (writer)
		server_info_write_card(writer, route_own_url(exchange, "/mcp"));
	json_writer_free(writer);
	route_card_make_tag(&body, tag);
	route_isolate(exchange);
	exchange_add_header(exchange, "Cache-Control", "public, max-age=3600");
	if (*tag)
		exchange_add_header(exchange, "ETag", tag);
	if (!route_card_is_cached(exchange, tag)) {
		exchange_answer(exchange, 200, SERVER_INFO_CARD_TYPE, &body);
		return;
	}
	buffer_deinit(&body);
	exchange_answer(exchange, 304, NULL, NULL);
}

const struct exchange_handler route_card_handler = { .complete = route_on_card };

/*
 * GET /: the console, a page for browsers. It contains no data of the phone: it reads
 * that from /mcp, with the token that the user enters.
 * The Content-Security-Policy allows only the scripts and styles that the page was
 * built with, by their hashes, so that no text from outside can run code. The page may
 * connect only to its own origin, and nobody may frame it
 * (tests/console/test_page.py).
 */

enum {
	HASH_BYTES = 32,
	POLICY_BYTES = 512,
};

bool route_write_hash(const char *part, size_t part_length, char text[ROUTE_HASH_BYTES])
{
	char hash[HASH_BYTES];
	int length = snprintf(text, ROUTE_HASH_BYTES, "sha256-");
	int error = gnutls_hash_fast(GNUTLS_DIG_SHA256, part, part_length, hash);

	assert(!error);
	text[(size_t)length + crypto_base64_length(sizeof(hash))] = '\0';
	return crypto_base64_encode(hash, sizeof(hash), text + length);
}

static const char *route_console_policy(void)
{
	static char text[POLICY_BYTES];
	const struct console_part script = console_script(), style = console_style();
	char script_hash[ROUTE_HASH_BYTES], style_hash[ROUTE_HASH_BYTES];

	if (*text)
		return text;
	if (!route_write_hash(script.text, script.length, script_hash) ||
	    !route_write_hash(style.text, style.length, style_hash))
		return "default-src 'none'"; /* the page stays blank until a reload */
	snprintf(
		text, sizeof(text),
		"default-src 'none'; script-src '%s'; style-src '%s'; connect-src "
		"'self'; img-src data:; base-uri 'none'; form-action 'none'; "
		"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
		script_hash, style_hash);
	return text;
}

void route_protect_page(struct exchange *exchange, const char *policy,
			const char *referrer_policy)
{
	exchange_add_fixed_header(exchange, "Content-Security-Policy", policy);
	exchange_add_fixed_header(exchange, "Referrer-Policy", referrer_policy);
	exchange_add_fixed_header(exchange, "X-Content-Type-Options", "nosniff");
	exchange_add_fixed_header(exchange, "Cross-Origin-Opener-Policy", "same-origin");
	exchange_add_fixed_header(exchange, "Cross-Origin-Resource-Policy",
				  "same-origin");
	exchange_add_fixed_header(exchange, "Cache-Control", "no-store");
}

static void route_console_on_complete(void *data, struct exchange *exchange)
{
	struct console_part page = console_document();
	struct buffer body = BUFFER_INIT;

	route_protect_page(exchange, route_console_policy(), "no-referrer");
	buffer_append(&body, page.text, page.length);
	exchange_answer(exchange, 200, "text/html; charset=utf-8", &body);
}

const struct exchange_handler route_console_handler = {
	.complete = route_console_on_complete
};
