/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/request.h"

#include <assert.h>
#include <string.h>

#include "base/log.h"
#include "mcp/endpoint.h"
#include "mcp/era.h"
#include "mcp/progress.h"
#include "mcp/reply.h"

static void withdraw(struct request *request)
{
	if (request->cancellable)
		LIST_REMOVE(request, link);
	request->cancellable = false;
}

static void answer(struct request *request, unsigned status)
{
	withdraw(request);
	request->waiting = NULL;
	request->answered(request->answered_data, request, status);
}

struct json_writer *request_open_result(struct request *request)
{
	struct json_writer *writer = json_writer_new(&request->body);

	assert(!request->writer);
	if (!writer) {
		request_fail(request, RPC_INTERNAL_ERROR,
			     "out of memory: try again later");
		return NULL;
	}
	request->writer = writer;
	rpc_open(writer, request->message.id);
	json_key(writer, "result");
	json_open_object(writer);
	request->era->open_result(request, writer);
	return writer;
}

void request_close_result(struct request *request)
{
	json_close_object(request->writer);
	json_close_object(request->writer);
	json_writer_free(request->writer);
	request->writer = NULL;
	answer(request, 200);
}

static struct reply *reply_of(struct request *request)
{
	return request->replied(request->answered_data);
}

bool request_tell(struct request *request, struct buffer *body)
{
	struct reply *reply = reply_of(request);

	if (reply)
		return reply_push(reply, body);
	buffer_deinit(body);
	return false;
}

struct stream *request_stream(struct request *request)
{
	struct reply *reply = reply_of(request);

	return reply ? reply_stream(reply) : NULL;
}

bool request_let_go(struct request *request)
{
	struct reply *reply = reply_of(request);

	return reply && reply_let_go(reply);
}

bool request_forget(struct request *request)
{
	const struct json *id = request->message.id;
	struct json *copy;
	const char *text;

	if (progress_is_wanted(request))
		return false;
	copy = arena_alloc(request->arena, sizeof(*copy));
	text = arena_copy(request->arena, id->text, id->length);
	if (!copy || !text)
		return false;
	*copy = (struct json){ .type = id->type, .text = text, .length = id->length };
	request->message = (struct rpc_message){ .kind = RPC_REQUEST, .id = copy };
	request->is_forgotten = true;
	return true;
}

struct session *request_session(const struct request *request)
{
	if (!request->session_id)
		return NULL;
	return endpoint_find_session(request->endpoint,
				     exchange_client(request->exchange),
				     request->session_id);
}

void request_fail_with(struct request *request, const struct rpc_error *error)
{
	rpc_write_error(&request->body, request->message.id, error);
	answer(request, request->era->error_status(error->code));
}

void request_fail(struct request *request, enum rpc_code code, const char *text)
{
	request_fail_with(request, &(struct rpc_error){ code, text });
}

static void refuse(struct request *request, unsigned status,
		   const struct rpc_error *error)
{
	log_debug("mcp: refused, %d: %s", error->code,
		  error->text ? error->text : "out of memory");
	rpc_write_error(&request->body, request->message.id, error);
	answer(request, status);
}

void request_refuse(struct request *request, const struct rpc_error *error)
{
	refuse(request, 400, error);
}

void request_forbid(struct request *request, const char *challenge,
		    const struct rpc_error *error)
{
	request->challenge = challenge;
	refuse(request, 403, error);
}

static const struct method *find_method(const struct era *era, const char *name)
{
	for (const struct method *method = era->methods; method->name; method++) {
		if (strcmp(method->name, name) == 0)
			return method;
	}
	return NULL;
}

void request_run(struct request *request)
{
	request->method = find_method(request->era, request->message.method);
	if (request->era->admit && !request->era->admit(request))
		return;
	if (request->error.code)
		request_fail_with(request, &request->error);
	else if (request->method)
		request->method->run(request);
	else
		request_fail(request, RPC_METHOD_NOT_FOUND, "Method not found");
}

void request_leave(struct request *request)
{
	const struct request_waiting *waiting = request->waiting;

	withdraw(request);
	request->waiting = NULL;
	if (!waiting)
		return;
	if (request->era->leaving_cancels && waiting->cancelled)
		waiting->cancelled(request->waiting_data);
	else
		waiting->abandoned(request->waiting_data);
}

void request_cancel(struct request *request)
{
	const struct request_waiting *waiting = request->waiting;

	request->waiting = NULL;
	if (waiting && waiting->cancelled)
		waiting->cancelled(request->waiting_data);
	else if (waiting)
		waiting->abandoned(request->waiting_data);
	answer(request, 202);
}

void request_stop(struct request *request)
{
	if (request->waiting)
		request->waiting->stopping(request->waiting_data);
}

void request_deinit(struct request *request)
{
	withdraw(request);
	buffer_deinit(&request->body);
}
