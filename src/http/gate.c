/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of the table is the order of trust: first who it takes us for (Host), then who sent
 * it (Origin), what it wants, and last who asks. The first check that fails answers.
 */
#include "http/gate.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "http/authority.h"
#include "http/origin.h"

struct gate_walk {
	const struct gate_request *request;
	const struct config *config;
	const struct http_route *routes;
	const struct auth *auth;
	struct gate_verdict *verdict;
};

/* The header's value; NULL: there is none. */
static const char *header_of(const struct gate_walk *walk, const char *name)
{
	return request_head_find(walk->request->head, name, NULL);
}

static bool method_is(const struct gate_walk *walk, const char *method)
{
	return strcmp(walk->request->head->method, method) == 0;
}

/* Host and Origin: are we meant, and by whom? */

static bool host_present(struct gate_walk *walk)
{
	return header_of(walk, "Host") || walk->request->head->is_http_1_0;
}

static bool host_readable(struct gate_walk *walk)
{
	const char *host = header_of(walk, "Host");
	struct authority authority;

	return !host || authority_parse(host, strlen(host), &authority);
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
	const char *host = header_of(walk, "Host");
	const struct config_list *allowed = &walk->config->allowed_host;
	struct authority authority;
	size_t at;

	if (!host || !authority_parse(host, strlen(host), &authority))
		return !host;
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
	const char *host = header_of(walk, "Host");

	return host && origin_is_of_host(origin, host, strlen(host));
}

/* "null" is what sandboxed frames and local files of anybody send. */
static bool origin_allowed(struct gate_walk *walk)
{
	const char *origin = header_of(walk, "Origin");
	const struct config_list *allowed = &walk->config->allowed_origin;
	bool found;
	size_t at;

	if (!origin)
		return true;
	if (strcmp(origin, "null") == 0)
		return false;
	found = origin_is_local(origin) || origin_is_own(walk, origin);
	for (at = 0; at < allowed->count && !found; at++)
		found = strcmp(origin, allowed->items[at]) == 0;
	if (found)
		walk->verdict->origin = origin;
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
		if (path_is(walk->request->head->path, route->path)) {
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
	const char *type = header_of(walk, "Content-Type");

	if (!walk->verdict->route->json_body || !method_is(walk, "POST"))
		return true;
	if (!type || strncasecmp(type, json, sizeof(json) - 1) != 0)
		return false;
	type += sizeof(json) - 1;
	type += strspn(type, " \t");
	return !*type || *type == ';';
}

static bool length_bounded(struct gate_walk *walk)
{
	uint64_t length = walk->request->head->body_length;

	return length == REQUEST_BODY_CHUNKED || length <= EXCHANGE_BODY_MAX;
}

static bool body_plain(struct gate_walk *walk)
{
	const char *coding = header_of(walk, "Content-Encoding");

	return !coding || strcasecmp(coding, "identity") == 0;
}

/* Who asks */

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
	       auth_has_token(header_of(walk, "Authorization"));
}

static bool token_known(struct gate_walk *walk)
{
	if (is_for_anybody(walk))
		return true;
	walk->verdict->right_token = auth_check(
		walk->auth, header_of(walk, "Authorization"), &walk->verdict->client);
	walk->verdict->wrong_token = !walk->verdict->right_token;
	return walk->verdict->right_token;
}

static bool scopes_held(struct gate_walk *walk)
{
	const struct http_route *route = walk->verdict->route;
	unsigned held = walk->verdict->client.scopes;

	return is_for_anybody(walk) ||
	       ((held & route->scopes) == route->scopes &&
		(!(held & route->useless) || (held & ~route->useless)));
}

static const struct gate {
	unsigned status;
	bool close;
	bool (*passes)(struct gate_walk *walk);
	const char *text;
} gates[] = {
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
	for (at = 0; at < sizeof(gates) / sizeof(gates[0]); at++) {
		if (gates[at].passes(&walk))
			continue;
		verdict->status = gates[at].status;
		verdict->text = gates[at].text;
		verdict->close = gates[at].close;
		return;
	}
}
