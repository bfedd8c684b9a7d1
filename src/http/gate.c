/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table is ordered by trust: first which server the request is meant for (Host), then which
 * page sent it (Origin), then what it wants, and last which client sent it. The first check that
 * fails decides the answer.
 */
#include "config/config.h"
#include "http/gate.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { GATE_PORT_DIGITS_MAX = 5, GATE_PORT_MAX = 65535 };

/* Names and addresses */

/* "host[:port]" as in the Host header, and behind "http://" in the Origin header. */
struct gate_authority {
	const char *host; /* within the text: without port, brackets or final dot */
	size_t host_length;
	bool literal;  /* an IP address, so no DNS answer can point it elsewhere */
	bool loopback; /* 127.0.0.0/8, ::1 or "localhost" */
};

/* `text` begins with a colon, or is empty. */
static bool gate_port_is_valid(const char *text)
{
	size_t digits = *text ? strspn(text + 1, "0123456789") : 0;

	if (!*text)
		return true;
	return *text == ':' && !text[1 + digits] && digits <= GATE_PORT_DIGITS_MAX &&
	       strtoul(text + 1, NULL, 10) <= GATE_PORT_MAX;
}

static bool gate_name_is_valid(const char *text, size_t length)
{
	for (size_t at = 0; at < length; at++) {
		char c = text[at];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(c >= '0' && c <= '9') && c != '-' && c != '.' && c != '_')
			return false;
	}
	return length > 0;
}

/* Brackets hold an IPv6 address; its zone ("%25eth0") does not say which machine is meant. */
static bool gate_parse_bracketed(struct gate_authority *authority)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr address;
	const char *zone = memchr(authority->host, '%', authority->host_length);
	size_t length = authority->host_length;

	if (zone)
		length = (size_t)(zone - authority->host);
	if (length >= sizeof(text))
		return false;
	memcpy(text, authority->host, length);
	text[length] = '\0';
	if (inet_pton(AF_INET6, text, &address) != 1)
		return false;
	authority->literal = true;
	authority->loopback = IN6_IS_ADDR_LOOPBACK(&address);
	return true;
}

static bool gate_authority_is(const struct gate_authority *authority, const char *name)
{
	size_t length = strlen(name);

	if (length && name[length - 1] == '.')
		length--;
	return length == authority->host_length &&
	       strncasecmp(authority->host, name, length) == 0;
}

static bool gate_parse_plain(struct gate_authority *authority)
{
	char text[INET_ADDRSTRLEN];
	struct in_addr address = { 0 };

	if (!gate_name_is_valid(authority->host, authority->host_length))
		return false;
	if (authority->host[authority->host_length - 1] == '.')
		authority->host_length--;
	if (!authority->host_length)
		return false;
	if (authority->host_length < sizeof(text)) {
		memcpy(text, authority->host, authority->host_length);
		text[authority->host_length] = '\0';
		authority->literal = inet_pton(AF_INET, text, &address) == 1;
	}
	authority->loopback = authority->literal
				      ? ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET
				      : gate_authority_is(authority, "localhost");
	return true;
}

/* Returns false if the text is not name, name:port, 192.0.2.1:port or [2001:db8::1]:port. */
static bool gate_parse_authority(const char *text, struct gate_authority *authority_out)
{
	bool bracketed = *text == '[';
	struct gate_authority authority = { .host = text + bracketed };
	size_t length = strcspn(authority.host, bracketed ? "]" : ":");
	const char *end = authority.host + length;

	if (bracketed && !*end)
		return false;
	authority.host_length = length;
	if (!(bracketed ? gate_parse_bracketed(&authority)
			: gate_parse_plain(&authority)) ||
	    !gate_port_is_valid(end + bracketed))
		return false;
	*authority_out = authority;
	return true;
}

/* Returns what follows the scheme; NULL if it is no scheme of the web. */
static const char *gate_authority_of_origin(const char *origin)
{
	static const char *const schemes[] = { "http://", "https://" };

	for (size_t at = 0; at < sizeof(schemes) / sizeof(schemes[0]); at++) {
		size_t length = strlen(schemes[at]);

		if (strncasecmp(origin, schemes[at], length) == 0)
			return origin + length;
	}
	return NULL;
}

/* Is it an Origin of the web on this machine's loopback address? */
static bool gate_origin_is_local(const char *origin)
{
	const char *text = gate_authority_of_origin(origin);
	struct gate_authority authority;

	return text && gate_parse_authority(text, &authority) && authority.loopback;
}

/* Is it an Origin of the web whose authority is `host`? */
static bool gate_origin_is(const char *origin, const char *host)
{
	const char *text = gate_authority_of_origin(origin);

	return text && strcasecmp(text, host) == 0;
}

/* What the gates look at */

/* Returns NULL if the header is absent. */
static const char *gate_header(const struct gate_request *request, const char *name)
{
	return request_head_find(request->head, name, NULL);
}

static bool gate_method_is(const struct gate_request *request, const char *method)
{
	return strcmp(request->head->method, method) == 0;
}

/* Host and Origin */

static bool gate_host_is_present(const struct gate_request *request)
{
	return gate_header(request, "Host") || request->head->is_http_1_0;
}

static bool gate_host_is_valid(const struct gate_request *request)
{
	const char *host = gate_header(request, "Host");
	struct gate_authority authority;

	return !host || gate_parse_authority(host, &authority);
}

static bool gate_is_own_name(const struct gate_authority *authority)
{
	char name[256 + sizeof(".local")];

	if (gethostname(name, 256) < 0)
		return false;
	name[255] = '\0';
	if (gate_authority_is(authority, name))
		return true;
	strcat(name, ".local"); /* multicast DNS */
	return gate_authority_is(authority, name);
}

/* DNS rebinding needs a name: an address in Host comes from no DNS answer. */
static bool gate_host_is_allowed(const struct gate_request *request)
{
	const char *host = gate_header(request, "Host");
	const struct config_list *allowed = &request->config->allowed_host;
	struct gate_authority authority;

	if (!host || !gate_parse_authority(host, &authority))
		return !host;
	if (authority.literal || authority.loopback)
		return true;
	for (size_t at = 0; at < allowed->count; at++)
		if (gate_authority_is(&authority, allowed->items[at]))
			return true;
	return gate_is_own_name(&authority);
}

static bool gate_origin_is_allowed(const struct gate_request *request)
{
	const char *origin = gate_header(request, "Origin");
	const char *host = gate_header(request, "Host");
	const struct config_list *allowed = &request->config->allowed_origin;
	bool found;

	if (!origin)
		return true;
	/* sandboxed frames and local files of any origin send "null" */
	if (strcmp(origin, "null") == 0)
		return false;
	/* a page that we served: its browser sends our name, checked before, as Host */
	found = gate_origin_is_local(origin) || (host && gate_origin_is(origin, host));
	for (size_t at = 0; at < allowed->count && !found; at++)
		found = strcmp(origin, allowed->items[at]) == 0;
	if (found)
		request->verdict->origin = origin;
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

static void gate_write_oauth_refusal(struct buffer *body, unsigned status,
				     const char *text)
{
	buffer_append_text(body,
			   "{\"error\":\"invalid_request\",\"error_description\":\"");
	buffer_append_text(body, text);
	buffer_append_text(body, "\"}");
}

/*
 * Clients that expect OAuth look for it at these paths. They show an answer in the form of RFC 6749,
 * section 5.2; another form makes some of them report a broken OAuth server.
 */
static bool gate_path_is_no_oauth(const struct gate_request *request)
{
	static const char metadata[] = "/.well-known/oauth-",
			  openid[] = "/.well-known/openid-configuration";
	static const struct http_server_route oauth = {
		.refusal = gate_write_oauth_refusal,
	};
	const char *path = request->head->path;

	if (!gate_path_is(path, "/register") && !gate_path_is(path, "/authorize") &&
	    !gate_path_is(path, "/token") &&
	    strncmp(path, metadata, strlen(metadata)) != 0 &&
	    strncmp(path, openid, strlen(openid)) != 0)
		return true;
	request->verdict->route = &oauth;
	return false;
}

static bool gate_path_is_known(const struct gate_request *request)
{
	const struct http_server_route *route;

	for (route = request->routes; route->path; route++) {
		if (gate_path_is(request->head->path, route->path)) {
			request->verdict->route = route;
			return true;
		}
	}
	return false;
}

static bool gate_is_no_preflight(const struct gate_request *request)
{
	return !gate_method_is(request, "OPTIONS");
}

static bool gate_method_is_allowed(const struct gate_request *request)
{
	unsigned method = 0;

	if (gate_method_is(request, "GET") || gate_method_is(request, "HEAD"))
		method = HTTP_GET;
	else if (gate_method_is(request, "POST"))
		method = HTTP_POST;
	else if (gate_method_is(request, "DELETE"))
		method = HTTP_DELETE;
	return (request->verdict->route->methods & method) != 0;
}

static bool gate_type_is_json(const struct gate_request *request)
{
	static const char json[] = "application/json";
	const char *type = gate_header(request, "Content-Type");

	if (!request->verdict->route->json_body || !gate_method_is(request, "POST"))
		return true;
	if (!type || strncasecmp(type, json, sizeof(json) - 1) != 0)
		return false;
	type += sizeof(json) - 1;
	type += strspn(type, " \t");
	return !*type || *type == ';';
}

/* A chunked body is counted while it arrives. */
static bool gate_length_is_allowed(const struct gate_request *request)
{
	uint64_t length = request->head->body_length;

	return length == REQUEST_HEAD_BODY_CHUNKED || length <= EXCHANGE_BODY_MAX;
}

static bool gate_body_is_plain(const struct gate_request *request)
{
	const char *coding = gate_header(request, "Content-Encoding");

	return !coding || strcasecmp(coding, "identity") == 0;
}

/* Which client sent it */

static bool gate_needs_no_token(const struct gate_request *request)
{
	const struct http_server_route *route = request->verdict->route;

	return route->public || (request->local && route->trusts_loopback &&
				 route->trusts_loopback(request->config));
}

/* A local user may send a token all the same, and is then the client that has it. */
static bool gate_local_user_is_allowed(const struct gate_request *request)
{
	const struct auth *auth = request->auth;

	if (!request->local_name || auth->open || gate_needs_no_token(request) ||
	    auth_has_token(gate_header(request, "Authorization")))
		return true;
	request->verdict->right_token =
		auth->find_local && auth->find_local(auth->data, request->local_name,
						     &request->verdict->client);
	return request->verdict->right_token;
}

static bool gate_token_is_sent(const struct gate_request *request)
{
	return gate_needs_no_token(request) || request->auth->open ||
	       request->verdict->right_token ||
	       auth_has_token(gate_header(request, "Authorization"));
}

static bool gate_token_is_known(const struct gate_request *request)
{
	if (gate_needs_no_token(request) || request->verdict->right_token)
		return true;
	request->verdict->right_token =
		auth_check(request->auth, gate_header(request, "Authorization"),
			   &request->verdict->client);
	request->verdict->wrong_token = !request->verdict->right_token;
	return request->verdict->right_token;
}

static bool gate_scopes_suffice(const struct gate_request *request)
{
	const struct http_server_route *route = request->verdict->route;
	unsigned held = request->verdict->client.scopes;

	return gate_needs_no_token(request) ||
	       ((held & route->scopes) == route->scopes &&
		(!(held & route->useless_scopes) || (held & ~route->useless_scopes)));
}

#define GATE_OR_PAGE(text) text, text ", or open /pair on this server in a browser"

static const struct gate {
	unsigned status;
	bool close;
	bool (*passes)(const struct gate_request *request);
	const char *text;
	const char *with_page; /* where there is a page for pairing; NULL: the same */
} gates[] = {
	{ 400, true, gate_host_is_present, "the Host header is missing" },
	{ 400, true, gate_host_is_valid, "the Host header is not HOST or HOST:PORT" },
	{ 421, false, gate_host_is_allowed,
	  "this server does not know that Host name: use its address, or add the name "
	  "with server.allowed_host" },
	{ 403, false, gate_origin_is_allowed,
	  "pages of this Origin may not use this server: allow it with server.allowed_origin" },
	{ 404, false, gate_path_is_no_oauth,
	  GATE_OR_PAGE("this gateway uses tokens, not OAuth: on the phone, run "
		       "`" PROGRAM_NAME " pair NAME`") },
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
	  "`" PROGRAM_NAME " client set local:USER --scope LIST` gives it back" },
	{ 401, false, gate_token_is_sent,
	  GATE_OR_PAGE("a token is needed: send Authorization: Bearer TOKEN; "
		       "`" PROGRAM_NAME " pair` makes one") },
	{ 401, false, gate_token_is_known,
	  "no client has this token: use the one that `" PROGRAM_NAME
	  " pair` printed, or make another" },
	{ 403, false, gate_scopes_suffice,
	  "this client lacks a scope that this path needs: the owner grants it with "
	  "`" PROGRAM_NAME " client set NAME --scope LIST`" },
};

void gate_check(const struct gate_request *request)
{
	struct gate_verdict *verdict = request->verdict;

	*verdict = (struct gate_verdict){ .status = 0 };
	for (size_t at = 0; at < sizeof(gates) / sizeof(gates[0]); at++) {
		if (gates[at].passes(request))
			continue;
		verdict->status = gates[at].status;
		verdict->text = gates[at].text;
		if (gates[at].with_page &&
		    config_pair_page(request->config) != CONFIG_PAIR_PAGE_NO)
			verdict->text = gates[at].with_page;
		verdict->close = gates[at].close;
		return;
	}
}
