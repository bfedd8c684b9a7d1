/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table is ordered by trust: first which server the request is meant for (Host), then which
 * page sent it (Origin), then what it wants, and last which client sent it. The first check that
 * fails decides the answer.
 */
#include "config/config.h"
#include "http/gate.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

struct gate_walk {
	const struct gate_request *request;
	const struct config *config;
	const struct http_server_route *routes;
	const struct auth *auth;
	struct gate_verdict *verdict;
};

/* Returns NULL if the header is absent. */
static const char *gate_header(const struct gate_walk *walk, const char *name)
{
	return request_head_find(walk->request->head, name, NULL);
}

static bool gate_method_is(const struct gate_walk *walk, const char *method)
{
	return strcmp(walk->request->head->method, method) == 0;
}

/* Host and Origin */

static bool gate_host_is_present(struct gate_walk *walk)
{
	return gate_header(walk, "Host") || walk->request->head->is_http_1_0;
}

static bool gate_host_is_valid(struct gate_walk *walk)
{
	const char *host = gate_header(walk, "Host");
	struct authority authority;

	return !host || authority_parse(host, strlen(host), &authority);
}

static bool gate_is_own_name(const struct authority *authority)
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

/* DNS rebinding needs a name: an address in Host comes from no DNS answer. */
static bool gate_host_is_allowed(struct gate_walk *walk)
{
	const char *host = gate_header(walk, "Host");
	const struct config_list *allowed = &walk->config->allowed_host;
	struct authority authority;

	if (!host || !authority_parse(host, strlen(host), &authority))
		return !host;
	if (authority.literal || authority.loopback)
		return true;
	for (size_t at = 0; at < allowed->count; at++)
		if (authority_is(&authority, allowed->items[at]))
			return true;
	return gate_is_own_name(&authority);
}

static bool gate_origin_is_allowed(struct gate_walk *walk)
{
	const char *origin = gate_header(walk, "Origin");
	const char *host = gate_header(walk, "Host");
	const struct config_list *allowed = &walk->config->allowed_origin;
	bool found;

	if (!origin)
		return true;
	/* sandboxed frames and local files of any origin send "null" */
	if (strcmp(origin, "null") == 0)
		return false;
	/* a page that we served: its browser sends our name, checked before, as Host */
	found = authority_origin_is_local(origin) ||
		(host && authority_origin_is(origin, host));
	for (size_t at = 0; at < allowed->count && !found; at++)
		found = strcmp(origin, allowed->items[at]) == 0;
	if (found)
		walk->verdict->origin = origin;
	return found;
}

/* What the request wants */

static bool gate_path_is(const char *path, const char *route)
{
	size_t length = strlen(route);

	if (strncmp(path, route, length) != 0)
		return false;
	return !path[length] || strcmp(path + length, "/") == 0;
}

/*
 * Is it a path where clients that expect OAuth look for it? They show an answer in the form of RFC
 * 6749, section 5.2; another form makes some of them report a broken OAuth server.
 */
static bool gate_path_is_of_oauth(const char *path)
{
	static const char metadata[] = "/.well-known/oauth-",
			  openid[] = "/.well-known/openid-configuration";

	return gate_path_is(path, "/register") || gate_path_is(path, "/authorize") ||
	       gate_path_is(path, "/token") ||
	       strncmp(path, metadata, strlen(metadata)) == 0 ||
	       strncmp(path, openid, strlen(openid)) == 0;
}

static void gate_write_oauth_refusal(struct buffer *body, unsigned status,
				     const char *text)
{
	buffer_append_text(body,
			   "{\"error\":\"invalid_request\",\"error_description\":\"");
	buffer_append_text(body, text);
	buffer_append_text(body, "\"}");
}

static bool gate_path_is_no_oauth(struct gate_walk *walk)
{
	static const struct http_server_route oauth = {
		.refusal = gate_write_oauth_refusal,
	};

	if (!gate_path_is_of_oauth(walk->request->head->path))
		return true;
	walk->verdict->route = &oauth;
	return false;
}

static bool gate_path_is_known(struct gate_walk *walk)
{
	const struct http_server_route *route;

	for (route = walk->routes; route->path; route++) {
		if (gate_path_is(walk->request->head->path, route->path)) {
			walk->verdict->route = route;
			return true;
		}
	}
	return false;
}

static bool gate_is_no_preflight(struct gate_walk *walk)
{
	return !gate_method_is(walk, "OPTIONS");
}

static bool gate_method_is_allowed(struct gate_walk *walk)
{
	unsigned method = 0;

	if (gate_method_is(walk, "GET") || gate_method_is(walk, "HEAD"))
		method = HTTP_GET;
	else if (gate_method_is(walk, "POST"))
		method = HTTP_POST;
	else if (gate_method_is(walk, "DELETE"))
		method = HTTP_DELETE;
	return (walk->verdict->route->methods & method) != 0;
}

static bool gate_type_is_json(struct gate_walk *walk)
{
	static const char json[] = "application/json";
	const char *type = gate_header(walk, "Content-Type");

	if (!walk->verdict->route->json_body || !gate_method_is(walk, "POST"))
		return true;
	if (!type || strncasecmp(type, json, sizeof(json) - 1) != 0)
		return false;
	type += sizeof(json) - 1;
	type += strspn(type, " \t");
	return !*type || *type == ';';
}

/* A chunked body is counted while it arrives. */
static bool gate_length_is_allowed(struct gate_walk *walk)
{
	uint64_t length = walk->request->head->body_length;

	return length == REQUEST_HEAD_BODY_CHUNKED || length <= EXCHANGE_BODY_MAX;
}

static bool gate_body_is_plain(struct gate_walk *walk)
{
	const char *coding = gate_header(walk, "Content-Encoding");

	return !coding || strcasecmp(coding, "identity") == 0;
}

/* Which client sent it */

static bool gate_needs_no_token(const struct gate_walk *walk)
{
	const struct http_server_route *route = walk->verdict->route;

	return route->public || (walk->request->local && route->trusts_loopback &&
				 route->trusts_loopback(walk->config));
}

/* A local user may send a token all the same, and is then the client that has it. */
static bool gate_local_user_is_allowed(struct gate_walk *walk)
{
	const struct auth *auth = walk->auth;

	if (!walk->request->local_name || auth->open || gate_needs_no_token(walk) ||
	    auth_has_token(gate_header(walk, "Authorization")))
		return true;
	walk->verdict->right_token =
		auth->find_local &&
		auth->find_local(auth->data, walk->request->local_name,
				 &walk->verdict->client);
	return walk->verdict->right_token;
}

static bool gate_token_is_sent(struct gate_walk *walk)
{
	return gate_needs_no_token(walk) || walk->auth->open ||
	       walk->verdict->right_token ||
	       auth_has_token(gate_header(walk, "Authorization"));
}

static bool gate_token_is_known(struct gate_walk *walk)
{
	if (gate_needs_no_token(walk) || walk->verdict->right_token)
		return true;
	walk->verdict->right_token = auth_check(
		walk->auth, gate_header(walk, "Authorization"), &walk->verdict->client);
	walk->verdict->wrong_token = !walk->verdict->right_token;
	return walk->verdict->right_token;
}

static bool gate_scopes_suffice(struct gate_walk *walk)
{
	const struct http_server_route *route = walk->verdict->route;
	unsigned held = walk->verdict->client.scopes;

	return gate_needs_no_token(walk) ||
	       ((held & route->scopes) == route->scopes &&
		(!(held & route->useless_scopes) || (held & ~route->useless_scopes)));
}

static const struct gate {
	unsigned status;
	bool close;
	bool (*passes)(struct gate_walk *walk);
	const char *text;
} gates[] = {
	{ 400, true, gate_host_is_present, "the Host header is missing" },
	{ 400, true, gate_host_is_valid, "the Host header is not HOST or HOST:PORT" },
	{ 421, false, gate_host_is_allowed,
	  "this server does not know that Host name: use its address, or add the name "
	  "with server.allowed_host" },
	{ 403, false, gate_origin_is_allowed,
	  "pages of this Origin may not use this server: allow it with server.allowed_origin" },
	{ 404, false, gate_path_is_no_oauth,
	  "this gateway uses tokens, not OAuth: on the phone, run `" PROGRAM_NAME
	  " pair NAME`, or open /pair on this server in a browser" },
	{ 404, false, gate_path_is_known,
	  "there is nothing at this path: MCP is at /mcp" },
	{ 204, false, gate_is_no_preflight, "" },
	{ 405, false, gate_method_is_allowed,
	  "this path does not accept this method: see the Allow header" },
	{ 415, false, gate_type_is_json,
	  "send the body as Content-Type: application/json" },
	{ 413, false, gate_length_is_allowed, GATE_BODY_TOO_LONG },
	{ 415, false, gate_body_is_plain, "send the body without Content-Encoding" },
	{ 403, false, gate_local_user_is_allowed,
	  "the owner has revoked the access of this user of the phone: only "
	  "`" PROGRAM_NAME " change local:USER --scope LIST` gives it back" },
	{ 401, false, gate_token_is_sent,
	  "a token is needed: send Authorization: Bearer TOKEN; `" PROGRAM_NAME
	  " pair` makes one" },
	{ 401, false, gate_token_is_known,
	  "no client has this token: use the one that `" PROGRAM_NAME
	  " pair` printed, or make another" },
	{ 403, false, gate_scopes_suffice,
	  "this client lacks a scope that this path needs: the owner grants it with "
	  "`" PROGRAM_NAME " client set NAME --scope LIST`" },
};

void gate_check(const struct gate_request *request, const struct config *config,
		const struct http_server_route *routes, const struct auth *auth,
		struct gate_verdict *verdict)
{
	struct gate_walk walk = {
		.request = request,
		.config = config,
		.routes = routes,
		.auth = auth,
		.verdict = verdict,
	};

	*verdict = (struct gate_verdict){ .status = 0 };
	for (size_t at = 0; at < sizeof(gates) / sizeof(gates[0]); at++) {
		if (gates[at].passes(&walk))
			continue;
		verdict->status = gates[at].status;
		verdict->text = gates[at].text;
		verdict->close = gates[at].close;
		return;
	}
}
