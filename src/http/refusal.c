/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/refusal.h"

#include <stdio.h>

#define CORS_HEADERS                                                              \
	"content-type, accept, authorization, mcp-protocol-version, mcp-method, " \
	"mcp-name, mcp-session-id, last-event-id, traceparent"
#define CORS_SECONDS "600"

/*
 * No resource_metadata: a client that finds one starts OAuth, which is not here. No error
 * where no token was sent (RFC 6750 section 3.1).
 */
#define CHALLENGE  "Bearer realm=\"ofono-mcp\""
#define RETRY_SOON "Retry-After: 1\r\n"
#define WRONG_TOKEN \
	", error=\"invalid_token\", error_description=\"this token is no client's\""

void refusal_body(struct buffer *body, const struct http_route *route, unsigned status,
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

static struct response preflight_response(const struct gate_verdict *verdict)
{
	struct response response = response_make(NULL, NULL);
	unsigned methods = verdict->route->methods;

	response_methods(&response, "Allow", methods);
	if (!verdict->origin)
		return response;
	response_methods(&response, "Access-Control-Allow-Methods", methods);
	response_header(&response, "Access-Control-Allow-Headers", CORS_HEADERS);
	response_header(&response, "Access-Control-Max-Age", CORS_SECONDS);
	return response;
}

/* Any of what is of use there, where nothing in particular is needed. */
static unsigned wanted_scopes(const struct http_route *route)
{
	return route->scopes ? route->scopes : CLIENT_SCOPES_ALL & ~route->useless;
}

static void challenge_scopes(struct response *response, unsigned scopes)
{
	char names[CLIENT_SCOPES_BYTES], text[sizeof(CHALLENGE) + sizeof(names) + 48];

	client_write_scopes(scopes, ' ', names);
	snprintf(text, sizeof(text),
		 CHALLENGE ", error=\"insufficient_scope\", scope=\"%s\"", names);
	response_header(response, "WWW-Authenticate", text);
}

static struct response plain_response(const struct gate_verdict *verdict)
{
	struct buffer body = BUFFER_INIT;
	struct response response;
	char seconds[16];

	refusal_body(&body, verdict->route, verdict->status, verdict->text);
	response = response_make("application/json", &body);
	if (verdict->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		response_methods(&response, "Allow", verdict->route->methods);
	if (verdict->status == MHD_HTTP_UNAUTHORIZED)
		response_header(&response, "WWW-Authenticate",
				verdict->wrong_token ? CHALLENGE WRONG_TOKEN : CHALLENGE);
	if (verdict->status == MHD_HTTP_FORBIDDEN && verdict->route)
		challenge_scopes(&response, wanted_scopes(verdict->route));
	if (verdict->retry_after_seconds) {
		snprintf(seconds, sizeof(seconds), "%u", verdict->retry_after_seconds);
		response_header(&response, "Retry-After", seconds);
	}
	return response;
}

struct response refusal_response(const struct gate_verdict *verdict)
{
	struct response response = verdict->status == MHD_HTTP_NO_CONTENT
					   ? preflight_response(verdict)
					   : plain_response(verdict);

	if (verdict->origin)
		response_allow_origin(&response, verdict->origin);
	else /* no page may know that there is somebody who refuses */
		response_header(&response, "Cross-Origin-Resource-Policy", "same-origin");
	if (verdict->close)
		response_header(&response, "Connection", "close");
	return response;
}

size_t refusal_write(char message[REFUSAL_BYTES_MAX], const struct http_route *route,
		     unsigned status, const char *text)
{
	struct buffer body = BUFFER_INIT;
	int length = 0;

	refusal_body(&body, route, status, text);
	if (!body.failed)
		length =
			snprintf(message, REFUSAL_BYTES_MAX,
				 "HTTP/1.1 %u %s\r\nContent-Type: application/json\r\n"
				 "Cross-Origin-Resource-Policy: same-origin\r\n"
				 "Content-Length: %zu\r\nConnection: close\r\n%s\r\n%.*s",
				 status, MHD_get_reason_phrase_for(status), body.length,
				 status == MHD_HTTP_SERVICE_UNAVAILABLE ? RETRY_SOON : "",
				 (int)body.length, body.data);
	buffer_deinit(&body);
	return length > 0 && length < REFUSAL_BYTES_MAX ? (size_t)length : 0;
}
