/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RPC: the JSON-RPC 2.0 envelope as MCP uses it.
 */
#ifndef MCP_RPC_H
#define MCP_RPC_H

#include "base/buffer.h"
#include "base/json.h"
#include "base/json_writer.h"

/* JSON-RPC 2.0 section 5.1; RPC_REFUSED: 2025 revisions, by custom */
enum rpc_code {
	RPC_PARSE_ERROR = -32700,
	RPC_INVALID_REQUEST = -32600,
	RPC_METHOD_NOT_FOUND = -32601,
	RPC_INVALID_PARAMS = -32602,
	RPC_INTERNAL_ERROR = -32603,
	RPC_REFUSED = -32000,
};

enum rpc_kind {
	RPC_REQUEST,
	RPC_NOTIFICATION,
	RPC_RESPONSE, /* the client's answer to a request of ours */
};

struct rpc_message {
	enum rpc_kind kind;
	const struct json *id;	   /* string or integer; NULL for a notification */
	const char *method;	   /* NULL for a response */
	const struct json *params; /* an object, or NULL when absent */
};

struct rpc_problem {
	enum rpc_code code; /* 0: none */
	const char *text;
};

/*
 * Reads the envelope. What could be read is in `message` even when there is a problem, so
 * that the id can be echoed.
 */
struct rpc_problem rpc_read(const struct json *root, struct rpc_message *message);

/* Opens {"jsonrpc":"2.0","id":... ; the caller goes on and closes. No id when NULL. */
void rpc_open(struct json_writer *writer, const struct json *id);

/* {"jsonrpc":"2.0","id":...,"error":{"code":...,"message":...}}; no id when it is NULL. */
void rpc_write_error(struct buffer *body, const struct json *id, enum rpc_code code,
		     const char *text);

#endif
