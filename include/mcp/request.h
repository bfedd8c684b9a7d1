/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Request: one MCP request between its arrival and its answer.
 *
 * A method answers at once or later: request_open_result() .. request_close_result(), or
 * request_fail(), exactly once. One that answers later sets `waiting`, whose calls release
 * what it holds.
 */
#ifndef MCP_REQUEST_H
#define MCP_REQUEST_H

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "http/exchange.h"
#include "mcp/rpc.h"

struct endpoint;
struct era;
struct request;

struct request_waiting {
	void (*abandoned)(void *data); /* the peer left: no answer is possible any more */
	void (*stopping)(void *data);  /* answer now with what is known */
};

struct request {
	struct endpoint *endpoint;
	struct exchange *exchange;
	struct arena *arena; /* lives as long as the request */
	struct json_reader *reader;
	const struct era *era;
	struct rpc_message message;
	const struct request_waiting *waiting; /* NULL: not waiting */
	void *waiting_data;
	struct buffer body; /* of the answer */
	struct json_writer *writer;
};

/* The writer stands inside the result object. NULL: no memory, the request has failed. */
struct json_writer *request_open_result(struct request *request);
void request_close_result(struct request *request);
void request_fail(struct request *request, enum rpc_code code, const char *text);

#endif
