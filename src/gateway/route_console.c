/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /: the console, a page for browsers. It contains no data of the phone: it reads
 * that from /mcp, with the token that the user enters.
 * The Content-Security-Policy allows only the scripts and styles that the page was
 * built with, by their hashes, so that no text from outside can run code. The page may
 * connect only to its own origin, and nobody may frame it
 * (tests/console/test_page.py).
 */
#include <assert.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>

#include "base/crypto.h"
#include "console/console.h"
#include "gateway/route.h"

enum {
	HASH_BYTES = 32,
	HASH_TEXT_BYTES = sizeof("sha256-") + (HASH_BYTES + 2) / 3 * 4,
	POLICY_BYTES = 512,
};

/* False: out of memory. */
static bool route_console_write_hash(struct console_part part, char text[HASH_TEXT_BYTES])
{
	char hash[HASH_BYTES];
	int length = snprintf(text, HASH_TEXT_BYTES, "sha256-");
	int error = gnutls_hash_fast(GNUTLS_DIG_SHA256, part.text, part.length, hash);

	assert(!error);
	text[(size_t)length + crypto_base64_length(sizeof(hash))] = '\0';
	return crypto_base64_encode(hash, sizeof(hash), text + length);
}

static const char *route_console_policy(void)
{
	static char text[POLICY_BYTES];
	char script[HASH_TEXT_BYTES], style[HASH_TEXT_BYTES];

	if (*text)
		return text;
	if (!route_console_write_hash(console_script(), script) ||
	    !route_console_write_hash(console_style(), style))
		return "default-src 'none'"; /* the page stays blank until a reload */
	snprintf(text, sizeof(text),
		 "default-src 'none'; script-src '%s'; style-src '%s'; "
		 "connect-src 'self'; img-src data:; base-uri 'none'; "
		 "form-action 'none'; frame-ancestors 'none'; "
		 "require-trusted-types-for 'script'; trusted-types 'none'",
		 script, style);
	return text;
}

static void route_console_on_complete(void *data, struct exchange *exchange)
{
	struct console_part page = console_document();
	struct buffer body = BUFFER_INIT;

	(void)data;
	exchange_add_fixed_header(exchange, "Content-Security-Policy",
				  route_console_policy());
	exchange_add_fixed_header(exchange, "Referrer-Policy", "no-referrer");
	exchange_add_fixed_header(exchange, "X-Content-Type-Options", "nosniff");
	exchange_add_fixed_header(exchange, "Cross-Origin-Opener-Policy", "same-origin");
	exchange_add_fixed_header(exchange, "Cross-Origin-Resource-Policy",
				  "same-origin");
	exchange_add_fixed_header(exchange, "Cache-Control", "no-store");
	buffer_append(&body, page.text, page.length);
	exchange_answer(exchange, 200, "text/html; charset=utf-8", &body);
}

const struct exchange_handler route_console_handler = {
	.complete = route_console_on_complete
};
