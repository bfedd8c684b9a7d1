/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Webhook URL: where a client wants its events delivered, and whether the owner named that
 * place beforehand ([events] receivers).
 *
 * Only plain absolute URLs are read: no user name, no fragment, no backslash, no "." or ".."
 * segment (also not as %2e), no character that needs escaping. So the URL that is compared
 * is the URL that is requested.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct config_list;

enum {
	WEBHOOK_URL_MAX = 2048,	   /* characters */
	WEBHOOK_HOST_BYTES = 256,  /* "hooks.example", "[2001:db8::1]" */
	WEBHOOK_ORIGIN_BYTES = 280 /* "https://hooks.example:8443" */
};

struct webhook_url {
	bool is_https;
	char host[WEBHOOK_HOST_BYTES]; /* in lower case */
	uint16_t port;
	const char *rest; /* of the text: path and query; "" if there is none */
};

/* Returns NULL, or what is wrong with the text, as a clause. `url_out->rest` borrows from it. */
const char *webhook_url_parse(const char *text, struct webhook_url *url_out);

/* Writes "https://hooks.example", with the port where it is not the usual one. */
void webhook_url_write_origin(const struct webhook_url *url,
			      char origin_out[WEBHOOK_ORIGIN_BYTES]);

/*
 * Does the URL begin with this one, at a boundary of the path? Scheme, host and port must be
 * the same. "https://nas.local/hooks" covers /hooks, /hooks/a and /hooks?a, not /hooks2.
 */
bool webhook_url_is_below(const struct webhook_url *url,
			  const struct webhook_url *prefix);

/*
 * Is it below one of the owner's receivers? A value of the list may have several, with spaces or
 * commas between.
 */
bool webhook_url_is_listed(const struct webhook_url *url,
			   const struct config_list *receivers);

/*
 * Finds the first receiver that is not a URL, as "TEXT FLAW" in `text`. Returns false if all are.
 */
bool webhook_url_find_flaw(const struct config_list *receivers, char *text, size_t size);
