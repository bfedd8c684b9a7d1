/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of the table is the order of trust: first whether the request is one request
 * at all, then who it takes us for (Host), who sent it (Origin), what it wants, and last
 * who asks. What fails first is what the peer hears.
 *
 * The framing checks are stricter than libmicrohttpd, which takes two Content-Lengths,
 * Content-Length beside Transfer-Encoding, blanks in header names and NUL in values: behind
 * a proxy that reads those differently, one request could hide another.
 */
#include "http/gate.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "http/authority.h"
#include "http/header_text.h"
#include "http/origin.h"

enum { LENGTH_DIGITS_MAX = 18 }; /* more cannot be counted, and is too long anyway */

enum known_header {
	HEADER_HOST,
	HEADER_ORIGIN,
	HEADER_AUTHORIZATION,
	HEADER_CONTENT_TYPE,
	HEADER_CONTENT_LENGTH,
	HEADER_CONTENT_ENCODING,
	HEADER_TRANSFER_ENCODING,
	HEADER_COUNT,
};

#define NAME(text)                     \
	{                              \
		text, sizeof(text) - 1 \
	}

static const struct {
	const char *text;
	size_t length;
} header_names[HEADER_COUNT] = {
	[HEADER_HOST] = NAME("Host"),
	[HEADER_ORIGIN] = NAME("Origin"),
	[HEADER_AUTHORIZATION] = NAME("Authorization"),
	[HEADER_CONTENT_TYPE] = NAME("Content-Type"),
	[HEADER_CONTENT_LENGTH] = NAME("Content-Length"),
	[HEADER_CONTENT_ENCODING] = NAME("Content-Encoding"),
	[HEADER_TRANSFER_ENCODING] = NAME("Transfer-Encoding"),
};

struct gate_walk {
	const struct gate_request *request;
	const struct config *config;
	const struct http_route *routes;
	const struct auth *auth;
	const struct gate_header *known[HEADER_COUNT]; /* the first of its name */
	bool repeated; /* one of the known ones stands twice */
	struct gate_verdict *verdict;
};

static bool text_is(const char *text, size_t length, const char *expected)
{
	return length == strlen(expected) && strncasecmp(text, expected, length) == 0;
}

static bool method_is(const struct gate_walk *walk, const char *method)
{
	return strcmp(walk->request->method, method) == 0;
}

/* Framing: is this one request, and where does it end? */

static bool header_count_bounded(struct gate_walk *walk)
{
	return walk->request->header_count <= GATE_HEADERS_MAX;
}

static bool lines_whole(struct gate_walk *walk)
{
	return !walk->request->torn;
}

static bool names_clean(struct gate_walk *walk)
{
	const struct gate_header *header = walk->request->headers;
	const struct gate_header *end = header + walk->request->header_count;

	for (; header < end; header++)
		if (!header_name_is_clean(header->name, header->name_length))
			return false;
	return true;
}

static bool values_clean(struct gate_walk *walk)
{
	const struct gate_header *header = walk->request->headers;
	const struct gate_header *end = header + walk->request->header_count;

	for (; header < end; header++)
		if (!header_value_is_clean(header->value, header->value_length))
			return false;
	return true;
}

static bool singletons_single(struct gate_walk *walk)
{
	return !walk->repeated;
}

static bool transfer_encoding_known(struct gate_walk *walk)
{
	const struct gate_header *header = walk->known[HEADER_TRANSFER_ENCODING];

	return !header || (text_is(header->value, header->value_length, "chunked") &&
			   strcmp(walk->request->version, "HTTP/1.0") != 0);
}

static bool length_readable(struct gate_walk *walk)
{
	const struct gate_header *header = walk->known[HEADER_CONTENT_LENGTH];
	size_t at;

	if (!header)
		return true;
	for (at = 0; at < header->value_length; at++)
		if (header->value[at] < '0' || header->value[at] > '9')
			return false;
	return header->value_length > 0;
}

static bool framing_single(struct gate_walk *walk)
{
	return !walk->known[HEADER_TRANSFER_ENCODING] ||
	       !walk->known[HEADER_CONTENT_LENGTH];
}

/* Host and Origin: are we meant, and by whom? */

static bool host_present(struct gate_walk *walk)
{
	return walk->known[HEADER_HOST] ||
	       strcmp(walk->request->version, "HTTP/1.0") == 0;
}

/* libmicrohttpd leaves blanks at the end; they are no part of it (RFC 9110 section 5.5). */
static size_t length_without_blanks(const struct gate_header *header)
{
	size_t length = header->value_length;

	while (length && strchr(" \t", header->value[length - 1]))
		length--;
	return length;
}

static bool host_readable(struct gate_walk *walk)
{
	const struct gate_header *header = walk->known[HEADER_HOST];
	struct authority authority;

	return !header ||
	       authority_parse(header->value, length_without_blanks(header), &authority);
}

static bool host_is_ours(const struct authority *authority)
{
	char name[256 + sizeof(".local")];

	if (gethostname(name, 256) < 0)
		return false;
	name[255] = '\0';
	if (authority_is(authority, name))
		return true;
	strcat(name, ".local"); /* multicast DNS */
	return authority_is(authority, name);
}

/* DNS rebinding needs a name: an address in Host was not looked up by anybody. */
static bool host_allowed(struct gate_walk *walk)
{
	const struct gate_header *header = walk->known[HEADER_HOST];
	const struct config_list *allowed = &walk->config->allowed_host;
	struct authority authority;
	size_t at;

	if (!header ||
	    !authority_parse(header->value, length_without_blanks(header), &authority))
		return !header;
	if (authority.literal || authority.loopback)
		return true;
	for (at = 0; at < allowed->count; at++)
		if (authority_is(&authority, allowed->items[at]))
			return true;
	return host_is_ours(&authority);
}

/* A page that came from here: its browser names us in Host, which was looked at before. */
static bool origin_is_own(const struct gate_walk *walk, const char *origin)
{
	const struct gate_header *host = walk->known[HEADER_HOST];

	return host &&
	       origin_is_of_host(origin, host->value, length_without_blanks(host));
}

/* "null" is what sandboxed frames and local files of anybody send. */
static bool origin_allowed(struct gate_walk *walk)
{
	const struct gate_header *header = walk->known[HEADER_ORIGIN];
	const struct config_list *allowed = &walk->config->allowed_origin;
	bool found;
	size_t at;

	if (!header)
		return true;
	if (strcmp(header->value, "null") == 0)
		return false;
	found = origin_is_local(header->value) || origin_is_own(walk, header->value);
	for (at = 0; at < allowed->count && !found; at++)
		found = strcmp(header->value, allowed->items[at]) == 0;
	if (found)
		walk->verdict->origin = header->value;
	return found;
}

/* What it wants */

static bool path_is(const char *path, const char *route)
{
	size_t length = strlen(route);

	if (strncmp(path, route, length) != 0)
		return false;
	return !path[length] || strcmp(path + length, "/") == 0;
}

static bool path_known(struct gate_walk *walk)
{
	const struct http_route *route;

	for (route = walk->routes; route->path; route++) {
		if (path_is(walk->request->path, route->path)) {
			walk->verdict->route = route;
			return true;
		}
	}
	return false;
}

static bool no_preflight(struct gate_walk *walk)
{
	return !method_is(walk, "OPTIONS");
}

static bool method_allowed(struct gate_walk *walk)
{
	unsigned method = 0;

	if (method_is(walk, "GET") || method_is(walk, "HEAD"))
		method = HTTP_GET;
	else if (method_is(walk, "POST"))
		method = HTTP_POST;
	else if (method_is(walk, "DELETE"))
		method = HTTP_DELETE;
	return (walk->verdict->route->methods & method) != 0;
}

static bool type_is_json(struct gate_walk *walk)
{
	static const char json[] = "application/json";
	const struct gate_header *header = walk->known[HEADER_CONTENT_TYPE];
	const char *rest;

	if (!walk->verdict->route->json_body || !method_is(walk, "POST"))
		return true;
	if (!header || strncasecmp(header->value, json, sizeof(json) - 1) != 0)
		return false;
	rest = header->value + sizeof(json) - 1;
	rest += strspn(rest, " \t");
	return !*rest || *rest == ';';
}

static bool length_bounded(struct gate_walk *walk)
{
	return walk->verdict->body_length == GATE_LENGTH_UNKNOWN ||
	       walk->verdict->body_length <= EXCHANGE_BODY_MAX;
}

static bool body_plain(struct gate_walk *walk)
{
	const struct gate_header *header = walk->known[HEADER_CONTENT_ENCODING];

	return !header || text_is(header->value, header->value_length, "identity");
}

/* Who asks */

static const char *authorization_of(const struct gate_walk *walk)
{
	const struct gate_header *header = walk->known[HEADER_AUTHORIZATION];

	return header ? header->value : NULL;
}

/* Whoever it is may have it. */
static bool is_for_anybody(const struct gate_walk *walk)
{
	const struct http_route *route = walk->verdict->route;

	return route->public || (walk->request->local && route->trusts_loopback &&
				 route->trusts_loopback(walk->config));
}

static bool token_sent(struct gate_walk *walk)
{
	return is_for_anybody(walk) || walk->auth->open ||
	       auth_has_token(authorization_of(walk));
}

static bool token_known(struct gate_walk *walk)
{
	walk->verdict->wrong_token =
		!is_for_anybody(walk) &&
		!auth_check(walk->auth, authorization_of(walk), &walk->verdict->client);
	return !walk->verdict->wrong_token;
}

static bool scopes_held(struct gate_walk *walk)
{
	unsigned needed = walk->verdict->route->scopes;

	return is_for_anybody(walk) || (walk->verdict->client.scopes & needed) == needed;
}

static const struct gate {
	unsigned status;
	bool close;
	bool (*passes)(struct gate_walk *walk);
	const char *text;
} gates[] = {
	{ 431, true, header_count_bounded, "more than 64 header lines: send fewer" },
	{ 400, true, lines_whole,
	  "the header is not made of lines that end in CRLF: send no folded line, bare "
	  "LF or NUL" },
	{ 400, true, names_clean,
	  "a header name is empty or has a blank or another forbidden character" },
	{ 400, true, values_clean, "a header value has a control character" },
	{ 400, true, singletons_single,
	  "a header that may stand once stands twice: send Host, Origin, Authorization, "
	  "Content-* and Transfer-Encoding once" },
	{ 400, true, transfer_encoding_known,
	  "the only Transfer-Encoding understood is chunked, in HTTP/1.1" },
	{ 400, true, length_readable, "Content-Length is not a number" },
	{ 400, true, framing_single,
	  "Content-Length and Transfer-Encoding exclude each other: send one" },
	{ 400, true, host_present, "the Host header is missing" },
	{ 400, true, host_readable, "the Host header is not HOST or HOST:PORT" },
	{ 421, false, host_allowed,
	  "this server does not know itself by that Host: use its address, or add the "
	  "name with server.allowed_host" },
	{ 403, false, origin_allowed,
	  "pages of this Origin may not use this server: allow it with "
	  "server.allowed_origin" },
	{ 404, false, path_known, "there is nothing at this path: MCP is at /mcp" },
	{ 204, false, no_preflight, "" },
	{ 405, false, method_allowed,
	  "this path does not take this method: see the Allow header" },
	{ 415, false, type_is_json, "send the body as Content-Type: application/json" },
	{ 413, false, length_bounded, "the body is longer than 65536 bytes: send less" },
	{ 415, false, body_plain, "send the body without Content-Encoding" },
	{ 401, false, token_sent,
	  "a token is needed: send Authorization: Bearer TOKEN; `ofono-mcp pair` makes "
	  "one" },
	{ 401, false, token_known,
	  "this token is no client's: use the one that `ofono-mcp pair` printed, or make "
	  "another" },
	{ 403, false, scopes_held,
	  "this client lacks a scope that this path needs: the owner grants it with "
	  "`ofono-mcp change NAME --scope LIST`" },
};

static void header_sort(struct gate_walk *walk, const struct gate_header *header)
{
	int known;

	for (known = 0; known < HEADER_COUNT; known++) {
		if (header->name_length != header_names[known].length ||
		    strncasecmp(header->name, header_names[known].text,
				header->name_length) != 0)
			continue;
		if (walk->known[known])
			walk->repeated = true;
		else
			walk->known[known] = header;
		return;
	}
}

static uint64_t body_length(const struct gate_walk *walk)
{
	const struct gate_header *header = walk->known[HEADER_CONTENT_LENGTH];
	uint64_t length = 0;
	size_t at;

	if (walk->known[HEADER_TRANSFER_ENCODING])
		return GATE_LENGTH_UNKNOWN;
	if (!header)
		return 0;
	if (header->value_length > LENGTH_DIGITS_MAX)
		return GATE_LENGTH_UNKNOWN - 1;
	for (at = 0; at < header->value_length; at++)
		length = length * 10 + (uint64_t)(header->value[at] - '0');
	return length;
}

void gate_check(const struct gate_request *request, const struct config *config,
		const struct http_route *routes, const struct auth *auth,
		struct gate_verdict *verdict)
{
	struct gate_walk walk = {
		.request = request,
		.config = config,
		.routes = routes,
		.auth = auth,
		.verdict = verdict,
	};
	size_t at;

	*verdict = (struct gate_verdict){ .status = 0 };
	for (at = 0; at < request->header_count && at < GATE_HEADERS_MAX; at++)
		header_sort(&walk, &request->headers[at]);
	verdict->body_length =
		length_readable(&walk) ? body_length(&walk) : GATE_LENGTH_UNKNOWN;
	for (at = 0; at < sizeof(gates) / sizeof(gates[0]); at++) {
		if (gates[at].passes(&walk))
			continue;
		verdict->status = gates[at].status;
		verdict->text = gates[at].text;
		verdict->close = gates[at].close;
		return;
	}
}
