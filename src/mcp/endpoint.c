/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/endpoint.h"

#include <stdlib.h>

#include "mcp/post.h"

struct endpoint {
	struct endpoint_offer offer;
	struct buffer tool_list;
};

static void on_begin(void *data, struct exchange *exchange)
{
	exchange_set_context(exchange, post_begin(data, exchange));
}

static void on_body(void *data, struct exchange *exchange, const char *piece,
		    size_t length)
{
	struct post *post = exchange_context(exchange);

	(void)data;
	if (post)
		post_receive(post, piece, length);
}

static void on_complete(void *data, struct exchange *exchange)
{
	struct post *post = exchange_context(exchange);

	(void)data;
	if (post)
		post_complete(post);
	else
		exchange_answer(exchange, 503, NULL, NULL);
}

static void on_abandoned(void *data, struct exchange *exchange)
{
	struct post *post = exchange_context(exchange);

	(void)data;
	if (post)
		post_leave(post);
}

static void on_stopping(void *data, struct exchange *exchange)
{
	struct post *post = exchange_context(exchange);

	(void)data;
	if (post)
		post_stop(post);
}

static void on_ended(void *data, struct exchange *exchange)
{
	struct post *post = exchange_context(exchange);

	(void)data;
	if (post)
		post_end(post);
}

const struct exchange_handler endpoint_handler = {
	.begin = on_begin,
	.body = on_body,
	.complete = on_complete,
	.abandoned = on_abandoned,
	.stopping = on_stopping,
	.ended = on_ended,
};

void endpoint_refusal(struct buffer *body, unsigned status, const char *text)
{
	rpc_write_error(
		body, NULL,
		&(struct rpc_error){ status == 400 ? RPC_INVALID_REQUEST : RPC_REFUSED,
				     text });
}

static bool write_tool_list(struct endpoint *endpoint)
{
	struct json_writer *writer = json_writer_new(&endpoint->tool_list);

	if (!writer)
		return false;
	tool_list_write(writer, endpoint->offer.tools);
	json_writer_free(writer);
	return !endpoint->tool_list.failed;
}

struct endpoint *endpoint_new(const struct endpoint_offer *offer)
{
	struct endpoint *endpoint = calloc(1, sizeof(*endpoint));

	if (!endpoint)
		return NULL;
	endpoint->offer = *offer;
	if (!write_tool_list(endpoint)) {
		endpoint_free(endpoint);
		return NULL;
	}
	return endpoint;
}

void endpoint_free(struct endpoint *endpoint)
{
	if (!endpoint)
		return;
	buffer_deinit(&endpoint->tool_list);
	free(endpoint);
}

const struct tool *const *endpoint_tools(const struct endpoint *endpoint)
{
	return endpoint->offer.tools;
}

const struct resource *const *endpoint_resources(const struct endpoint *endpoint)
{
	return endpoint->offer.resources;
}

void *endpoint_services(const struct endpoint *endpoint)
{
	return endpoint->offer.services;
}

const struct buffer *endpoint_tool_list(const struct endpoint *endpoint)
{
	return &endpoint->tool_list;
}
