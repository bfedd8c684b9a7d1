/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A message is read strictly: "jsonrpc" must be "2.0", an ID a string or an integer,
 * params an object. Only params that say nothing, null and [], count as absent: clients send
 * them. A request without an ID is a notification; one without a method is a response. IDs
 * and progress tokens are written back with their type and value, whatever their length; the
 * escapes of a string may differ.
 */
#include "mcp/rpc.h"

#include <string.h>

#include "base/crypto.h"

/* An integer may have any length: it is echoed as text, never computed with. */
bool rpc_is_id(const struct json *value)
{
	return value->type == JSON_STRING ||
	       (value->type == JSON_NUMBER && !strpbrk(value->text, ".eE"));
}

static struct rpc_error rpc_invalid(const char *text)
{
	return (struct rpc_error){ RPC_INVALID_REQUEST, text };
}

static struct rpc_error rpc_read_params(const struct json *root,
					struct rpc_message *message)
{
	const struct json *params = json_member(root, "params");

	if (!params || params->type == JSON_NULL ||
	    (params->type == JSON_ARRAY && !params->count))
		return (struct rpc_error){ 0 };
	if (params->type == JSON_ARRAY)
		return (struct rpc_error){ RPC_INVALID_PARAMS,
					   "params must be an object, not an array" };
	if (params->type != JSON_OBJECT)
		return rpc_invalid("params must be an object");
	message->params = params;
	return (struct rpc_error){ 0 };
}

static struct rpc_error rpc_read_response(const struct json *root,
					  struct rpc_message *message)
{
	const struct json *result = json_member(root, "result");
	const struct json *error = json_member(root, "error");

	message->kind = RPC_RESPONSE;
	if (!result == !error)
		return rpc_invalid(
			"a message must have exactly one of method, result and error");
	if (!message->id)
		return rpc_invalid("a response needs the ID of its request");
	message->result = result;
	return (struct rpc_error){ 0 };
}

struct rpc_error rpc_read(const struct json *root, struct rpc_message *message)
{
	const struct json *id, *method;
	const char *version;

	*message = (struct rpc_message){ .kind = RPC_REQUEST };
	if (root->type != JSON_OBJECT)
		return rpc_invalid("a message must be a JSON-RPC object");
	id = json_member(root, "id");
	if (id && !rpc_is_id(id))
		return rpc_invalid("id must be a string or an integer");
	message->id = id;
	version = json_string(json_member(root, "jsonrpc"));
	if (!version || strcmp(version, "2.0") != 0)
		return rpc_invalid("jsonrpc must be \"2.0\"");
	method = json_member(root, "method");
	if (!method)
		return rpc_read_response(root, message);
	if (method->type != JSON_STRING)
		return rpc_invalid("method must be a string");
	if (json_member(root, "result") || json_member(root, "error"))
		return rpc_invalid(
			"a message must have exactly one of method, result and error");
	message->method = method->text;
	if (!id)
		message->kind = RPC_NOTIFICATION;
	return rpc_read_params(root, message);
}

const struct json *rpc_meta(const struct rpc_message *message, const char *name)
{
	return json_member(json_member(message->params, "_meta"), name);
}

void rpc_write_id(struct json_writer *writer, const char *key, const struct json *id)
{
	json_key(writer, key);
	if (id->type == JSON_STRING)
		json_write_text(writer, id->text, id->length);
	else
		json_write_raw(writer, id->text, id->length);
}

void rpc_open(struct json_writer *writer, const struct json *id)
{
	json_open_object(writer);
	json_put_string(writer, "jsonrpc", "2.0");
	if (id)
		rpc_write_id(writer, "id", id);
}

unsigned rpc_status(enum rpc_code code)
{
	switch (code) {
	case RPC_METHOD_NOT_FOUND:
	case RPC_SESSION_NOT_FOUND:
		return 404;
	case RPC_PARSE_ERROR:
	case RPC_INVALID_REQUEST:
	case RPC_REFUSED:
	case RPC_HEADER_MISMATCH:
	case RPC_MISSING_CAPABILITY:
	case RPC_UNSUPPORTED_VERSION:
		return 400;
	case RPC_INVALID_PARAMS:
	case RPC_RESOURCE_NOT_FOUND:
	case RPC_INTERNAL_ERROR:
	case RPC_NOT_FOUND:
	case RPC_FORBIDDEN:
	case RPC_RESOURCE_EXHAUSTED:
	case RPC_UNSUPPORTED:
	case RPC_CALLBACK_ENDPOINT_ERROR:
		return 200;
	}
	return 200;
}

void rpc_write_error_member(struct json_writer *writer, const struct rpc_error *error)
{
	json_open_object_at(writer, "error");
	json_put_integer(writer, "code", error->code);
	json_put_string(writer, "message", error->text ? error->text : "out of memory");
	if (error->write_data) {
		json_key(writer, "data");
		error->write_data(writer, error->data);
	}
	json_close_object(writer);
}

void rpc_write_required_capability(struct json_writer *writer, const void *path)
{
	const char *const *names = path;
	size_t depth = 0;

	json_open_object(writer);
	json_open_object_at(writer, "requiredCapabilities");
	while (names[depth])
		json_open_object_at(writer, names[depth++]);
	while (depth--)
		json_close_object(writer);
	json_close_object(writer);
	json_close_object(writer);
}

void rpc_write_error(struct buffer *body, const struct json *id,
		     const struct rpc_error *error)
{
	struct json_writer *writer = json_writer_new(body);

	if (!writer)
		return;
	rpc_open(writer, id);
	rpc_write_error_member(writer, error);
	json_close_object(writer);
	json_writer_free(writer);
}

void rpc_refuse(struct exchange *exchange, unsigned status, enum rpc_code code,
		const char *text)
{
	struct buffer body = BUFFER_INIT;

	rpc_write_error(&body, NULL, &(struct rpc_error){ code, text });
	exchange_answer(exchange, status, "application/json", &body);
}

struct json_writer *rpc_open_notification(struct buffer *body, const char *method,
					  const struct json *listen_id)
{
	struct json_writer *writer = json_writer_new(body);

	if (!writer)
		return NULL;
	rpc_open(writer, NULL);
	json_put_string(writer, "method", method);
	json_open_object_at(writer, "params");
	if (listen_id) {
		json_open_object_at(writer, "_meta");
		rpc_write_id(writer, RPC_META_PREFIX "subscriptionId", listen_id);
		json_close_object(writer);
	}
	return writer;
}

void rpc_close_notification(struct json_writer *writer)
{
	json_close_object(writer);
	json_close_object(writer);
	json_writer_free(writer);
}

/* What MCP's HTTP headers say */

static const char wrapper_begin[] = "=?base64?";
static const char wrapper_end[] = "?=";

enum {
	BEGIN_LENGTH = sizeof(wrapper_begin) - 1,
	END_LENGTH = sizeof(wrapper_end) - 1,
};

static bool rpc_header_is_plain(char c)
{
	return (c >= ' ' && c <= '~') || c == '\t';
}

static bool rpc_header_is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* Returns the length of the first element of a list if all its elements are equal, else 0. */
static size_t rpc_header_repeated_length(const char *value)
{
	size_t length = strcspn(value, ",");
	const char *at = value + length;

	while (length && rpc_header_is_space(value[length - 1]))
		length--;
	while (*at) {
		while (rpc_header_is_space(*at))
			at++;
		if (*at++ != ',')
			return 0;
		while (rpc_header_is_space(*at))
			at++;
		if (strncmp(at, value, length) != 0)
			return 0;
		at += length;
	}
	return length;
}

const char *rpc_header_collapse(struct arena *arena, const char *value)
{
	size_t length = strchr(value, ',') ? rpc_header_repeated_length(value) : 0;
	const char *single;

	if (!length)
		return value;
	single = arena_copy(arena, value, length);
	return single ? single : value;
}

static bool rpc_header_is_wrapped(const char *value, size_t length)
{
	return length >= BEGIN_LENGTH + END_LENGTH &&
	       memcmp(value, wrapper_begin, BEGIN_LENGTH) == 0 &&
	       memcmp(value + length - END_LENGTH, wrapper_end, END_LENGTH) == 0;
}

static bool rpc_header_decodes_to(struct arena *arena, const char *value, size_t length,
				  const char *text)
{
	char *bytes = arena_alloc(arena, length);
	size_t count;

	return bytes &&
	       crypto_base64_decode(value + BEGIN_LENGTH,
				    length - BEGIN_LENGTH - END_LENGTH, bytes, &count) &&
	       count == strlen(text) && memcmp(bytes, text, count) == 0;
}

bool rpc_header_is(struct arena *arena, const char *value, const char *text)
{
	size_t length = strlen(value);

	for (size_t i = 0; i < length; i++)
		if (!rpc_header_is_plain(value[i]))
			return false;
	if (rpc_header_is_wrapped(value, length))
		return rpc_header_decodes_to(arena, value, length, text);
	return strcmp(value, text) == 0;
}

const char *rpc_header_plain(struct arena *arena, const char *value)
{
	char *plain = arena_copy(arena, value, strlen(value));

	for (char *at = plain; at && *at; at++)
		if (!rpc_header_is_plain(*at))
			*at = '?';
	return plain ? plain : "";
}

bool rpc_header_accepts_streams(struct exchange *exchange)
{
	return !exchange_header(exchange, "Accept", NULL) ||
	       exchange_header_has(exchange, "Accept", "text/event-stream") ||
	       exchange_header_has(exchange, "Accept", "text/*") ||
	       exchange_header_has(exchange, "Accept", "*/*");
}
