/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens to one POST:
 *
 *   body pieces -> JSON reader -> envelope -> era -> method -> answer, now or later
 *
 * A notification or a response is taken (202) and needs nothing further in this era.
 */
#include "mcp/endpoint.h"

#include <stdlib.h>
#include <string.h>

#include "mcp/era.h"

struct endpoint {
	const struct tool *const *tools;
	void *services;
	struct buffer tool_list;
};

static void refuse(struct exchange *exchange, const struct json *id, enum rpc_code code,
		   const char *text)
{
	struct buffer body = BUFFER_INIT;

	rpc_write_error(&body, id, code, text);
	exchange_answer(exchange, 400, "application/json", &body);
}

static void on_begin(void *data, struct exchange *exchange)
{
	struct arena *arena = exchange_arena(exchange);
	struct request *request = arena_alloc(arena, sizeof(*request));

	if (!request)
		return;
	request->endpoint = data;
	request->exchange = exchange;
	request->arena = arena;
	request->reader = json_reader_new(arena);
	exchange_set_context(exchange, request);
}

static void on_body(void *data, struct exchange *exchange, const char *piece,
		    size_t length)
{
	struct request *request = exchange_context(exchange);

	(void)data;
	if (request && request->reader)
		json_reader_feed(request->reader, piece,
				 length); /* finish() repeats errors */
}

static const struct method *find_method(const struct era *era, const char *name)
{
	for (const struct method *method = era->methods; method->name; method++) {
		if (strcmp(method->name, name) == 0)
			return method;
	}
	return NULL;
}

static void dispatch(struct request *request)
{
	const struct method *method = find_method(request->era, request->message.method);

	if (method)
		method->run(request);
	else
		request_fail(request, RPC_METHOD_NOT_FOUND, "Method not found");
}

static void on_message(struct request *request, const struct json *root)
{
	struct rpc_problem problem = rpc_read(root, &request->message);
	struct era_refusal refusal;

	if (problem.code == RPC_INVALID_REQUEST) {
		refuse(request->exchange, request->message.id, problem.code,
		       problem.text);
		return;
	}
	request->era = era_decide(request->exchange, &request->message, &refusal);
	if (!request->era)
		refuse(request->exchange, request->message.id, refusal.code,
		       refusal.text);
	else if (request->message.kind != RPC_REQUEST)
		exchange_answer(request->exchange, 202, NULL, NULL);
	else if (problem.code)
		request_fail(request, problem.code, problem.text);
	else
		dispatch(request);
}

static void on_complete(void *data, struct exchange *exchange)
{
	struct request *request = exchange_context(exchange);
	const struct json *root;
	int error;

	(void)data;
	if (!request || !request->reader) {
		exchange_answer(exchange, 503, NULL, NULL);
		return;
	}
	error = json_reader_finish(request->reader, &root);
	if (error < 0)
		exchange_answer(exchange, 503, NULL, NULL);
	else if (error == JSON_E_SYNTAX || error == JSON_E_TEXT)
		refuse(exchange, NULL, RPC_PARSE_ERROR, json_error_text(error));
	else if (error > 0)
		refuse(exchange, NULL, RPC_INVALID_REQUEST, json_error_text(error));
	else
		on_message(request, root);
}

static void on_abandoned(void *data, struct exchange *exchange)
{
	struct request *request = exchange_context(exchange);

	(void)data;
	if (request && request->waiting)
		request->waiting->abandoned(request->waiting_data);
}

static void on_stopping(void *data, struct exchange *exchange)
{
	struct request *request = exchange_context(exchange);

	(void)data;
	if (request && request->waiting)
		request->waiting->stopping(request->waiting_data);
}

static void on_ended(void *data, struct exchange *exchange)
{
	struct request *request = exchange_context(exchange);

	(void)data;
	if (!request)
		return;
	json_reader_free(request->reader);
	buffer_deinit(&request->body);
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
	rpc_write_error(body, NULL, status == 400 ? RPC_INVALID_REQUEST : RPC_REFUSED,
			text);
}

static bool write_tool_list(struct endpoint *endpoint)
{
	struct json_writer *writer = json_writer_new(&endpoint->tool_list);

	if (!writer)
		return false;
	tool_list_write(writer, endpoint->tools);
	json_writer_free(writer);
	return !endpoint->tool_list.failed;
}

struct endpoint *endpoint_new(const struct tool *const *tools, void *services)
{
	struct endpoint *endpoint = calloc(1, sizeof(*endpoint));

	if (!endpoint)
		return NULL;
	endpoint->tools = tools;
	endpoint->services = services;
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
	return endpoint->tools;
}

void *endpoint_services(const struct endpoint *endpoint)
{
	return endpoint->services;
}

const struct buffer *endpoint_tool_list(const struct endpoint *endpoint)
{
	return &endpoint->tool_list;
}
