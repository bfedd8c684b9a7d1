/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RPC: the JSON-RPC 2.0 envelope as MCP uses it.
 */
#ifndef MCP_RPC_H
#define MCP_RPC_H

#include "base/buffer.h"
#include "base/json.h"
#include "base/json_writer.h"

/*
 * JSON-RPC 2.0 section 5.1; -32000 to -32002: 2025 revisions, by custom; -32020 and on:
 * 2026-07-28, basic/index, "Error Codes"
 */
enum rpc_code {
	RPC_PARSE_ERROR = -32700,
	RPC_INVALID_REQUEST = -32600,
	RPC_METHOD_NOT_FOUND = -32601,
	RPC_INVALID_PARAMS = -32602,
	RPC_INTERNAL_ERROR = -32603,
	RPC_REFUSED = -32000,
	RPC_RESOURCE_NOT_FOUND = -32002,
	RPC_SESSION_NOT_FOUND = -32001,
	RPC_HEADER_MISMATCH = -32020,
	RPC_MISSING_CAPABILITY = -32021,
	RPC_UNSUPPORTED_VERSION = -32022,
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
	const struct json *result; /* of a response; NULL: it is an error */
};

struct rpc_error {
	enum rpc_code code; /* 0: none */
	const char *text;   /* NULL: it could not be made */
	/* NULL: no data. Writes the value of error.data. */
	void (*write_data)(struct json_writer *writer, const void *data);
	const void *data;
};

/*
 * Reads the envelope. What could be read is in `message` even when there is an error, so
 * that the id can be echoed.
 */
struct rpc_error rpc_read(const struct json *root, struct rpc_message *message);

/* key and value: an id in its own JSON type, as it was written */
void rpc_put_id(struct json_writer *writer, const char *key, const struct json *id);

/* Opens {"jsonrpc":"2.0","id":... ; the caller goes on and closes. No id when NULL. */
void rpc_open(struct json_writer *writer, const struct json *id);

/* "error":{"code":...,"message":...} */
void rpc_put_error(struct json_writer *writer, const struct rpc_error *error);

/* {"jsonrpc":"2.0","id":...,"error":{"code":...,"message":...}}; no id when it is NULL. */
void rpc_write_error(struct buffer *body, const struct json *id,
		     const struct rpc_error *error);

#endif
