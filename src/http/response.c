/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/response.h"

#include <stdio.h>
#include <stdlib.h>

#include "http/server.h"

/* A response has room for pieces of a stream; chunks are made in the connection's memory. */
enum { STREAM_BLOCK_BYTES = 256, NO_BLOCK_BYTES = 1 };

static const struct {
	const char *name, *value;
} stream_headers[] = {
	{ MHD_HTTP_HEADER_CONTENT_TYPE, "text/event-stream" },
	{ MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache, no-transform" },
	{ "X-Accel-Buffering", "no" }, /* nginx: pass it on */
};

enum { STREAM_HEADERS = sizeof(stream_headers) / sizeof(stream_headers[0]) };

static void response_fail(struct response *response)
{
	if (response->message)
		MHD_destroy_response(response->message);
	response->message = NULL;
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
	/* Not needed in HTTP/1.1, but some clients close without it. */
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
		MHD_SIZE_UNKNOWN, in_chunks ? NO_BLOCK_BYTES : STREAM_BLOCK_BYTES, reader,
		data, NULL) };

	for (size_t at = 0; at < STREAM_HEADERS; at++)
		response_header(&response, stream_headers[at].name,
				stream_headers[at].value);
	return response;
}

void response_forget_headers(struct MHD_Response *message)
{
	for (size_t at = 0; at < STREAM_HEADERS; at++)
		MHD_del_response_header(message, stream_headers[at].name,
					stream_headers[at].value);
}

void response_header(struct response *response, const char *name, const char *value)
{
	if (response->message &&
	    MHD_add_response_header(response->message, name, value) != MHD_YES)
		response_fail(response);
}

void response_allow_origin(struct response *response, const char *origin)
{
	response_header(response, "Access-Control-Allow-Origin", origin);
	response_header(response, "Access-Control-Expose-Headers",
			"Mcp-Session-Id, WWW-Authenticate, MCP-Protocol-Version, "
			"Retry-After");
	response_header(response, "Vary", "Origin");
}

void response_methods(struct response *response, const char *name, unsigned methods)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%s%sOPTIONS",
		 methods & HTTP_GET ? "GET, HEAD, " : "",
		 methods & HTTP_POST ? "POST, " : "",
		 methods & HTTP_DELETE ? "DELETE, " : "");
	response_header(response, name, text);
}

struct MHD_Response *response_take(struct response *response)
{
	struct MHD_Response *message = response->message;

	response->message = NULL;
	return message;
}
