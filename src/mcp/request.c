/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/request.h"

#include <assert.h>

#include "mcp/era.h"

static void answer(struct request *request, unsigned status)
{
	request->waiting = NULL;
	if (request->body.failed) {
		buffer_clear(&request->body);
		exchange_answer(request->exchange, 503, NULL, NULL);
		return;
	}
	exchange_answer(request->exchange, status, "application/json", &request->body);
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

void request_fail(struct request *request, enum rpc_code code, const char *text)
{
	rpc_write_error(&request->body, request->message.id, code, text);
	answer(request, request->era->error_status(code));
}
