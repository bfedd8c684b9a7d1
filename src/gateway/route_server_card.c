/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /mcp/server-card: the card, with the URL under which it was asked for.
 *
 * The URL is made of the Host that the gates let pass. A proxy that speaks TLS for us may say
 * so: a client that believes the card then never sends its token in the clear, and nobody
 * can turn https into http. Pages of other Origins do not get it (http/gate.h), although the
 * SEP would have it so: a page must not find out that there is a gateway.
 */
#include <gnutls/crypto.h>
#include <stdio.h>
#include <string.h>

#include "mcp/server_info.h"
#include "gateway/web_route.h"

enum { TAG_BYTES = 16, TAG_TEXT_BYTES = 2 * TAG_BYTES + 3 };

/* NULL: it is not known, or there is no memory. */
static const char *find_url(struct exchange *exchange)
{
	const char *host = exchange_header(exchange, "Host", NULL);
	const char *scheme = exchange_header(exchange, "X-Forwarded-Proto", NULL);
	bool encrypted = exchange_is_encrypted(exchange) ||
			 (scheme && strcmp(scheme, "https") == 0);

	if (!host)
		return NULL;
	return arena_printf(exchange_arena(exchange), "%s://%s/mcp",
			    encrypted ? "https" : "http", host);
}

static void write_card(struct buffer *body, const char *url)
{
	struct json_writer *writer = json_writer_new(body);

	if (!writer) {
		body->failed = true;
		return;
	}
	server_info_write_card(writer, url);
	json_writer_free(writer);
}

/* The beginning of its SHA-256, in quotes. "": none. */
static void make_tag(const struct buffer *body, char tag[TAG_TEXT_BYTES])
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

/* RFC 9110 section 13.1.2. The quotes are part of the tag: no other can have it inside. */
static bool has_it(struct exchange *exchange, const char *tag)
{
	const char *known = exchange_header(exchange, "If-None-Match", NULL);

	return known && *tag && (strcmp(known, "*") == 0 || strstr(known, tag));
}

static void on_complete(void *data, struct exchange *exchange)
{
	struct buffer body = BUFFER_INIT;
	char tag[TAG_TEXT_BYTES];

	(void)data;
	write_card(&body, find_url(exchange));
	make_tag(&body, tag);
	web_keep_to_own_pages(exchange);
	exchange_add_header(exchange, "Cache-Control", "public, max-age=3600");
	if (*tag)
		exchange_add_header(exchange, "ETag", tag);
	if (!has_it(exchange, tag)) {
		exchange_answer(exchange, 200, SERVER_INFO_CARD_TYPE, &body);
		return;
	}
	buffer_deinit(&body);
	exchange_answer(exchange, 304, NULL, NULL);
}

const struct exchange_handler server_card_handler = { .complete = on_complete };
