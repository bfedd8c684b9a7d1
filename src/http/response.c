/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers come from handlers (response_make(), response_make_stream()), from the gates
 * (response_make_refusal()), or from us when there is no room for a connection
 * (response_write_no_room()).
 *
 * The 401 challenge of RFC 6750 names no resource_metadata: a client that finds one starts OAuth,
 * which we do not offer. It has an "error" only if a token was sent (section 3.1).
 */
#include "http/connection.h"

#include <stdio.h>
#include <stdlib.h>

#define RESPONSE_CORS_HEADERS                                                     \
	"content-type, accept, authorization, mcp-protocol-version, mcp-method, " \
	"mcp-name, mcp-session-id, last-event-id, traceparent"
#define RESPONSE_CORS_SECONDS "600"

#define RESPONSE_CHALLENGE "Bearer realm=\"" PROGRAM_NAME "\""
#define RESPONSE_WRONG_TOKEN \
	", error=\"invalid_token\", error_description=\"no client has this token\""

/* libmicrohttpd makes chunks in the pool of the connection; only without them it needs a block. */
enum { RESPONSE_BLOCK_BYTES = 256, RESPONSE_NO_BLOCK_BYTES = 1 };

static void response_fail(struct response *response)
{
	if (response->message)
		MHD_destroy_response(response->message);
	response->message = NULL;
}

void response_header(struct response *response, const char *name, const char *value)
{
	if (response->message &&
	    MHD_add_response_header(response->message, name, value) != MHD_YES)
		response_fail(response);
}

struct response response_make(const char *content_type, struct buffer *body)
{
	struct response response = { NULL };
	size_t length = 0;
	char *data = NULL;

	if (body) {
		data = buffer_take(body, &length);
		if (!data)
			return response;
	}
	response.message = MHD_create_response_from_buffer(
		length, data, data ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
	if (!response.message) {
		free(data);
		return response;
	}
	/* HTTP/1.1 does not need this header, but some clients close without it */
	if (MHD_set_response_options(response.message, MHD_RF_SEND_KEEP_ALIVE_HEADER,
				     MHD_RO_END) != MHD_YES)
		response_fail(&response);
	if (content_type)
		response_header(&response, MHD_HTTP_HEADER_CONTENT_TYPE, content_type);
	return response;
}

struct response response_make_stream(MHD_ContentReaderCallback reader, void *data,
				     bool in_chunks)
{
	struct response response = { MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN,
		in_chunks ? RESPONSE_NO_BLOCK_BYTES : RESPONSE_BLOCK_BYTES, reader, data,
		NULL) };

	response_header(&response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/event-stream");
	response_header(&response, MHD_HTTP_HEADER_CACHE_CONTROL,
			"no-cache, no-transform");
	response_header(&response, "X-Accel-Buffering", "no"); /* nginx: do not buffer */
	return response;
}

void response_allow_origin(struct response *response, const char *origin)
{
	response_header(response, "Access-Control-Allow-Origin", origin);
	response_header(
		response, "Access-Control-Expose-Headers",
		"Mcp-Session-Id, WWW-Authenticate, MCP-Protocol-Version, Retry-After");
	response_header(response, "Vary", "Origin");
}

/* Adds Allow, or Access-Control-Allow-Methods. */
static void response_add_methods(struct response *response, const char *name,
				 unsigned methods)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%s%sOPTIONS",
		 methods & HTTP_GET ? "GET, HEAD, " : "",
		 methods & HTTP_POST ? "POST, " : "",
		 methods & HTTP_DELETE ? "DELETE, " : "");
	response_header(response, name, text);
}

/* Refusals */

void response_write_refusal_body(struct buffer *body,
				 const struct http_server_route *route, unsigned status,
				 const char *text)
{
	if (route && route->refusal) {
		route->refusal(body, status, text);
		return;
	}
	buffer_append_text(body, "{\"error\":\"");
	buffer_append_text(body, text);
	buffer_append_text(body, "\"}");
}

static struct response response_make_preflight(const struct gate_verdict *verdict)
{
	struct response response = response_make(NULL, NULL);
	unsigned methods = verdict->route->methods;

	response_add_methods(&response, "Allow", methods);
	if (!verdict->origin)
		return response;
	response_add_methods(&response, "Access-Control-Allow-Methods", methods);
	response_header(&response, "Access-Control-Allow-Headers", RESPONSE_CORS_HEADERS);
	response_header(&response, "Access-Control-Max-Age", RESPONSE_CORS_SECONDS);
	return response;
}

static void response_challenge_scopes(struct response *response,
				      const struct http_server_route *route)
{
	char names[CLIENT_SCOPES_BYTES],
		text[sizeof(RESPONSE_CHALLENGE) + sizeof(names) + 48];
	/* where no particular scope is needed, any useful one will do */
	unsigned scopes = route->scopes ? route->scopes
					: CLIENT_SCOPES_ALL & ~route->useless_scopes;

	client_write_scopes(scopes, ' ', names);
	snprintf(text, sizeof(text),
		 RESPONSE_CHALLENGE ", error=\"insufficient_scope\", scope=\"%s\"",
		 names);
	response_header(response, "WWW-Authenticate", text);
}

static struct response response_make_error(const struct gate_verdict *verdict)
{
	struct buffer body = BUFFER_INIT;
	struct response response;
	char seconds[16];

	response_write_refusal_body(&body, verdict->route, verdict->status,
				    verdict->text);
	response = response_make("application/json", &body);
	if (verdict->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		response_add_methods(&response, "Allow", verdict->route->methods);
	if (verdict->status == MHD_HTTP_UNAUTHORIZED)
		response_header(&response, "WWW-Authenticate",
				verdict->wrong_token
					? RESPONSE_CHALLENGE RESPONSE_WRONG_TOKEN
					: RESPONSE_CHALLENGE);
	if (verdict->status == MHD_HTTP_FORBIDDEN && verdict->route)
		response_challenge_scopes(&response, verdict->route);
	if (verdict->retry_after_seconds) {
		snprintf(seconds, sizeof(seconds), "%u", verdict->retry_after_seconds);
		response_header(&response, "Retry-After", seconds);
	}
	return response;
}

struct response response_make_refusal(const struct gate_verdict *verdict)
{
	struct response response = verdict->status == MHD_HTTP_NO_CONTENT
					   ? response_make_preflight(verdict)
					   : response_make_error(verdict);

	if (verdict->origin)
		response_allow_origin(&response, verdict->origin);
	else /* other pages must not learn that a server answered */
		response_header(&response, "Cross-Origin-Resource-Policy", "same-origin");
	if (verdict->close)
		response_header(&response, "Connection", "close");
	return response;
}

size_t response_write_no_room(char message[RESPONSE_REFUSAL_BYTES_MAX], const char *text)
{
	struct buffer body = BUFFER_INIT;
	int length = 0;

	response_write_refusal_body(&body, NULL, MHD_HTTP_SERVICE_UNAVAILABLE, text);
	if (!body.failed)
		length = snprintf(message, RESPONSE_REFUSAL_BYTES_MAX,
				  "HTTP/1.1 503 Service Unavailable\r\n"
				  "Content-Type: application/json\r\n"
				  "Cross-Origin-Resource-Policy: same-origin\r\n"
				  "Content-Length: %zu\r\nConnection: close\r\n"
				  "Retry-After: 1\r\n\r\n%.*s",
				  body.length, (int)body.length, body.data);
	buffer_deinit(&body);
	return length > 0 && length < RESPONSE_REFUSAL_BYTES_MAX ? (size_t)length : 0;
}
