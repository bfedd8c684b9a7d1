/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RPC: JSON-RPC 2.0 messages as MCP uses them.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/json.h"
#include "http/exchange.h"

/* Prefix of MCP's own members of _meta. */
#define RPC_META_PREFIX "io.modelcontextprotocol/"

/*
 * Sources: JSON-RPC 2.0 section 5.1; -32000 to -32002: convention of the 2025 revisions;
 * -32020 and below: MCP 2026-07-28, basic/index, "Error Codes".
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
	/* Of the extension for events; its drafts had other numbers: see event.c. */
	RPC_NOT_FOUND = -32023,
	RPC_FORBIDDEN = -32024,
	RPC_RESOURCE_EXHAUSTED = -32025,
	RPC_UNSUPPORTED = -32026,
	RPC_CALLBACK_ENDPOINT_ERROR = -32027,
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
	const struct json *result; /* of a response; NULL if it is an error */
};

struct rpc_error {
	enum rpc_code code; /* 0 if there is none */
	const char *text;   /* NULL if memory runs out */
	/* Writes the value of error.data; may be NULL if there are no data. */
	void (*write_data)(struct json_writer *writer, const void *data);
	const void *data;
};

/* Is it a string or an integer, as an ID or a progress token must be? */
bool rpc_is_id(const struct json *value);

/*
 * Reads a message. On an error `message` still has what could be read, so that the answer
 * can echo the ID.
 */
struct rpc_error rpc_read(const struct json *root, struct rpc_message *message);

/* Returns a member of params._meta; NULL if it is absent. */
const struct json *rpc_meta(const struct rpc_message *message, const char *name);

/* Writes key and value: an ID in its own JSON type, with the same digits or characters. */
void rpc_write_id(struct json_writer *writer, const char *key, const struct json *id);

/*
 * Opens {"jsonrpc":"2.0","id":... ; the caller adds members and closes. No ID when NULL.
 */
void rpc_open(struct json_writer *writer, const struct json *id);

/* Returns the HTTP status of a method's error in the 2026 family. */
unsigned rpc_status(enum rpc_code code);

/* Writes "error":{"code":...,"message":...} */
void rpc_write_error_member(struct json_writer *writer, const struct rpc_error *error);

/* For rpc_error.write_data of a missing capability: `path` is an array of names that ends with
 * NULL. */
void rpc_write_required_capability(struct json_writer *writer, const void *path);

/* Writes {"jsonrpc":"2.0","id":...,"error":{"code":...,"message":...}}; no ID when NULL. */
void rpc_write_error(struct buffer *body, const struct json *id,
		     const struct rpc_error *error);

/* Answers the exchange with an error without an ID. */
void rpc_refuse(struct exchange *exchange, unsigned status, enum rpc_code code,
		const char *text);
/*
 * Opens a notification of ours; the writer stands inside params. `listen_id` is that of the
 * subscriptions/listen request that it belongs to; NULL if there is none. Returns NULL if memory
 * runs out.
 */
struct json_writer *rpc_open_notification(struct buffer *body, const char *method,
					  const struct json *listen_id);
void rpc_close_notification(struct json_writer *writer);

/*
 * Header value: what an MCP header says, as proxies and browsers leave it.
 *
 * exchange_header() has already removed surrounding spaces and repeated equal lines.
 * Source: MCP 2026-07-28, basic/transports/streamable-http, "Standard Request Headers".
 */

/*
 * Turns "a, a" into "a": a proxy joined two equal lines. For MCP-Protocol-Version only,
 * which both clients and their proxies set.
 */
const char *rpc_header_collapse(struct arena *arena, const char *value);

/* Returns whether `value` equals `text`, plain or as =?base64?UTF-8 in base64?= */
bool rpc_header_is(struct arena *arena, const char *value, const char *text);

/* Replaces every character that is invalid in a header value with "?": comparable, and
 * UTF-8. */
const char *rpc_header_plain(struct arena *arena, const char *value);

/*
 * Returns whether the client accepts text/event-stream. Accept counts only where it excludes a
 * type; without the header every type is acceptable (RFC 9110 section 12.5.1).
 */
bool rpc_header_accepts_streams(struct exchange *exchange);
