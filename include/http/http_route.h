/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTTP route: one path of the server, who may use it, and its handler.
 */
#ifndef HTTP_HTTP_ROUTE_H
#define HTTP_HTTP_ROUTE_H

#include <stdbool.h>

#include "http/exchange.h"

struct config;

/* bits */
enum http_route_method {
	HTTP_GET = 1 << 0, /* and HEAD */
	HTTP_POST = 1 << 1,
	HTTP_DELETE = 1 << 2,
};

struct http_route {
	const char *path; /* "/mcp"; "/mcp/" is the same */
	unsigned methods; /* others get 405; the server answers OPTIONS itself */
	bool json_body;	  /* POST without application/json gets 415 */
	bool public;	  /* needs no token */
	unsigned scopes;  /* enum client_scope; a client without one of these gets 403 */
	unsigned useless_scopes; /* a client with no others gets 403 */
	/* Whether programs on this machine need no token; NULL: they need one. */
	bool (*trusts_loopback)(const struct config *config);
	const struct exchange_handler *handler;
	void *data;
	/* Writes the body of a refusal in the route's own format; NULL: {"error": text}. */
	void (*refusal)(struct buffer *body, unsigned status, const char *text);
};

#endif
