/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One request of the hub: its headers are made from its text (MCP 2026-07-28, transports), the
 * gateway's JSON-RPC answer is passed back as it is, and where there is none the link answers with
 * a JSON-RPC error of its own (fleet/fleet_error.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_reader.h"
#include "fleet/fleet_error.h"
#include "link/link_http.h"
#include "link/link_private.h"

enum {
	LINK_CALL_ARENA_MAX = 4 * 1024 * 1024,
	LINK_CALL_HEADER_BYTES = 256,
	LINK_CALL_ID_BYTES = 128,
	LINK_CALL_UNAUTHORIZED = 401,
};

#define LINK_CALL_VERSION "io.modelcontextprotocol/protocolVersion"

struct link_call {
	struct link *link;
	struct link_call *next;
	struct link_http *http;
	struct fleet_frame frame;
	uint8_t correlation[MQTT_CORRELATION_MAX];
	size_t correlation_length;
	char id[LINK_CALL_ID_BYTES]; /* as JSON */
};

/* What its headers repeat. The texts live in the arena. */
struct link_call_facts {
	const char *method, *name, *version;
	char id[LINK_CALL_ID_BYTES];
};

/* Answers of the link itself */

static const struct link_call_error {
	const char *error, *message;
	bool may_have_run;
} link_call_errors[] = {
	[LINK_HTTP_ANSWERED] = { FLEET_ERROR_REFUSED,
				 "the phone's gateway refuses its link; join the phone again",
				 false },
	[LINK_HTTP_AWAY] = { FLEET_ERROR_AWAY,
			     "the phone's gateway is not running or cannot be reached; nothing was done",
			     false },
	[LINK_HTTP_SILENT] = { FLEET_ERROR_SILENT,
			       "the phone's gateway gave no complete answer; "
			       "the request may have been carried out",
			       true },
	[LINK_HTTP_TOO_LARGE] = { FLEET_ERROR_TOO_LARGE,
				  "the gateway's answer is too large to be passed "
				  "on; ask for less, for example with a lower limit",
				  true },
};

static const struct link_call_error link_call_busy = {
	FLEET_ERROR_BUSY,
	"the phone's link is busy with other requests; nothing was done, ask again later",
	false,
};

static const struct link_call_error link_call_invalid = {
	FLEET_ERROR_INVALID,
	"this is not an MCP request of the version 2026-07-28; nothing was done",
	false,
};

static void link_call_refuse(struct link *link, const struct fleet_frame *frame,
			     const void *correlation, size_t correlation_length,
			     const char *id, const struct link_call_error *error)
{
	char text[LINK_CALL_ID_BYTES + 512];
	int length = snprintf(
		text, sizeof(text),
		"{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,"
		"\"message\":\"%s\",\"data\":{\"error\":\"%s\",\"may_have_run\":%s}}}",
		id, FLEET_ERROR_CODE, error->message, error->error,
		error->may_have_run ? "true" : "false");

	link_answer(link, frame, correlation, correlation_length, text, (size_t)length);
}

/* The request */

static bool link_call_is_header(const char *text)
{
	size_t length = text ? strlen(text) : 0;

	for (size_t at = 0; at < length; at++) {
		if (text[at] <= ' ' || text[at] > '~')
			return false;
	}
	return length > 0 && length < LINK_CALL_HEADER_BYTES;
}

/* Returns which parameter the header Mcp-Name repeats; NULL if there is none. */
static const char *link_call_name(const char *method, const struct json *params)
{
	if (strcmp(method, "tools/call") == 0 || strcmp(method, "prompts/get") == 0)
		return json_string(json_member(params, "name"));
	if (strcmp(method, "resources/read") == 0)
		return json_string(json_member(params, "uri"));
	if (strncmp(method, "tasks/", 6) == 0)
		return json_string(json_member(params, "taskId"));
	return NULL;
}

/* Accepts a number, or a text that needs no escapes. */
static bool link_call_copy_id(const struct json *id, char copy[LINK_CALL_ID_BYTES])
{
	const char *quote = id && id->type == JSON_STRING ? "\"" : "";

	if (!id || (id->type != JSON_STRING && id->type != JSON_NUMBER) ||
	    id->length + 3 > LINK_CALL_ID_BYTES || strpbrk(id->text, "\"\\") ||
	    !link_call_is_header(id->text))
		return false;
	return snprintf(copy, LINK_CALL_ID_BYTES, "%s%.*s%s", quote,
			LINK_CALL_ID_BYTES - 3, id->text, quote) < LINK_CALL_ID_BYTES;
}

static bool link_call_read(struct arena *arena, const char *text, size_t length,
			   struct link_call_facts *facts)
{
	const struct json *root = NULL, *params;

	strcpy(facts->id, "null");
	if (json_reader_read(arena, text, length, &root) != 0)
		return false;
	params = json_member(root, "params");
	facts->method = json_string(json_member(root, "method"));
	facts->version =
		json_string(json_member(json_member(params, "_meta"), LINK_CALL_VERSION));
	if (!link_call_copy_id(json_member(root, "id"), facts->id) ||
	    !link_call_is_header(facts->method) || !link_call_is_header(facts->version))
		return false;
	facts->name = link_call_name(facts->method, params);
	return !facts->name || link_call_is_header(facts->name);
}

static void link_call_write_request(const struct link *link,
				    const struct link_call_facts *facts, const char *text,
				    size_t length, struct buffer *request)
{
	char head[LINK_CALL_HEADER_BYTES * 8];

	snprintf(
		head, sizeof(head),
		"POST /mcp HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n"
		"Authorization: Bearer %s\r\nUser-Agent: ofono-mcp-link/" OFONO_MCP_VERSION
		"\r\nContent-Type: application/json\r\n"
		"Accept: application/json, text/event-stream\r\n"
		"MCP-Protocol-Version: %s\r\nMcp-Method: %s\r\n%s%s%sContent-Length: %zu\r\n\r\n",
		link->config.gateway, link->config.token, facts->version, facts->method,
		facts->name ? "Mcp-Name: " : "", facts->name ? facts->name : "",
		facts->name ? "\r\n" : "", length);
	buffer_append_text(request, head);
	buffer_append(request, text, length);
	explicit_bzero(head, sizeof(head));
}

/* Its course */

static void link_call_free(struct link_call *call)
{
	struct link_call **at = &call->link->calls;

	while (*at != call)
		at = &(*at)->next;
	*at = call->next;
	call->link->call_count--;
	link_http_free(call->http);
	free(call);
}

void link_call_end_all(struct link *link)
{
	while (link->calls)
		link_call_free(link->calls);
}

/* Is it a body of JSON, with whatever status? Some errors of MCP have one of 400. */
static bool link_call_is_answer(const struct link_http_answer *answer)
{
	return answer->outcome == LINK_HTTP_ANSWERED &&
	       answer->status != LINK_CALL_UNAUTHORIZED && answer->length > 0 &&
	       answer->body[0] == '{';
}

static void link_call_on_done(void *data, const struct link_http_answer *answer)
{
	struct link_call *call = data;
	const struct link_call_error *error = &link_call_errors[answer->outcome];

	if (link_call_is_answer(answer) && answer->length <= FLEET_TEXT_MAX) {
		link_answer(call->link, &call->frame, call->correlation,
			    call->correlation_length, answer->body, answer->length);
	} else {
		if (link_call_is_answer(answer))
			error = &link_call_errors[LINK_HTTP_TOO_LARGE];
		link_call_refuse(call->link, &call->frame, call->correlation,
				 call->correlation_length, call->id, error);
	}
	link_call_free(call);
}

static struct link_call *link_call_new(struct link *link, const struct fleet_frame *frame,
				       const void *correlation, size_t correlation_length,
				       const struct buffer *request)
{
	struct link_call *call = calloc(1, sizeof(*call));

	if (!call || request->failed) {
		free(call);
		return NULL;
	}
	call->link = link;
	call->frame = *frame;
	if (correlation_length)
		memcpy(call->correlation, correlation, correlation_length);
	call->correlation_length = correlation_length;
	call->http =
		link_http_new(link->loop, &link->gateway, request->data, request->length,
			      LINK_CALL_TIMEOUT_MS, link_call_on_done, call);
	if (!call->http) {
		free(call);
		return NULL;
	}
	call->next = link->calls;
	link->calls = call;
	link->call_count++;
	return call;
}

void link_call_start(struct link *link, const struct fleet_frame *frame,
		     const void *correlation, size_t correlation_length, const char *text,
		     size_t length)
{
	struct arena *arena = arena_new(LINK_CALL_ARENA_MAX);
	const struct link_call_error *error = NULL;
	struct buffer request = { .secret = true };
	struct link_call_facts facts = { .id = "null" };
	struct link_call *call = NULL;

	if (!arena || !link_call_read(arena, text, length, &facts)) {
		error = &link_call_invalid;
	} else if (link->call_count >= LINK_CALLS_MAX) {
		error = &link_call_busy;
	} else {
		link_call_write_request(link, &facts, text, length, &request);
		call = link_call_new(link, frame, correlation, correlation_length,
				     &request);
		if (!call)
			error = &link_call_busy;
		else
			memcpy(call->id, facts.id, sizeof(call->id));
	}
	if (error)
		link_call_refuse(link, frame, correlation, correlation_length, facts.id,
				 error);
	buffer_wipe(&request);
	arena_free(arena);
}
