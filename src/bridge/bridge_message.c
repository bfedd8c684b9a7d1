/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/bridge_private.h"

#include <errno.h>
#include <string.h>

#include "base/json_reader.h"

#define BRIDGE_MESSAGE_VERSION "io.modelcontextprotocol/protocolVersion"

/* Which parameter Mcp-Name repeats. Source: MCP 2026-07-28, transports. */
static const struct {
	const char *method, *parameter;
} bridge_message_names[] = {
	{ "tools/call", "name" },     { "prompts/get", "name" },
	{ "resources/read", "uri" },  { "tasks/get", "taskId" },
	{ "tasks/update", "taskId" }, { "tasks/cancel", "taskId" },
};

const struct json *bridge_message_parse(struct arena *arena, const char *text,
					size_t length)
{
	const struct json *root = NULL;

	return json_reader_read(arena, text, length, &root) ? NULL : root;
}

static const char *bridge_message_find_name(const char *method, const struct json *params)
{
	for (size_t at = 0;
	     at < sizeof(bridge_message_names) / sizeof(bridge_message_names[0]); at++) {
		if (strcmp(method, bridge_message_names[at].method) == 0)
			return json_string(
				json_member(params, bridge_message_names[at].parameter));
	}
	return NULL;
}

static bool bridge_message_is_id(const struct json *id)
{
	return id && (id->type == JSON_STRING || id->type == JSON_NUMBER);
}

/* MCP allows strings and integers. */
static bool bridge_message_is_good_id(const struct json *id)
{
	return bridge_message_is_id(id) &&
	       (id->type == JSON_STRING || !strpbrk(id->text, ".eE"));
}

int bridge_message_read(struct arena *arena, const char *line, size_t length,
			struct bridge_message *message_out)
{
	struct bridge_message message = { .method = "" };
	const struct json *root = NULL, *params;
	int error = json_reader_read(arena, line, length, &root);

	if (error)
		return error;
	message.root = root;
	if (root->type != JSON_OBJECT)
		return -EINVAL;
	params = json_member(root, "params");
	message.method = json_string(json_member(root, "method"));
	message.version = json_string(
		json_member(json_member(params, "_meta"), BRIDGE_MESSAGE_VERSION));
	message.cancelled = json_member(params, "requestId");
	message.id = json_member(root, "id");
	message.kind = !message.method ? BRIDGE_RESPONSE
		       : message.id    ? BRIDGE_REQUEST
				       : BRIDGE_NOTIFICATION;
	if ((message.kind == BRIDGE_RESPONSE && !json_member(root, "result") &&
	     !json_member(root, "error")) ||
	    (message.kind == BRIDGE_REQUEST && !bridge_message_is_good_id(message.id)))
		error = -EINVAL;
	/* Whoever gives an ID waits for an answer. */
	if (error) {
		message.kind = BRIDGE_REQUEST;
		message.id = bridge_message_is_id(message.id) ? message.id : NULL;
	}
	if (!message.method)
		message.method = "";
	message.name = bridge_message_find_name(message.method, params);
	*message_out = message;
	return error;
}

bool bridge_message_same_id(const struct json *one, const struct json *other)
{
	return bridge_message_is_id(one) && bridge_message_is_id(other) &&
	       one->type == other->type && strcmp(one->text, other->text) == 0;
}

void bridge_message_put_id(struct json_writer *writer, const char *key,
			   const struct json *id)
{
	if (!id)
		return;
	json_key(writer, key);
	if (id->type == JSON_STRING)
		json_write_text(writer, id->text, id->length);
	else
		json_write_raw(writer, id->text, id->length);
}

static bool bridge_message_is_plain(const char *text)
{
	size_t length = strlen(text);

	for (size_t at = 0; at < length; at++) {
		if (text[at] < ' ' || text[at] > '~')
			return false;
	}
	return length && text[0] != ' ' && text[length - 1] != ' ' &&
	       strncmp(text, "=?base64?", strlen("=?base64?")) != 0;
}

/* Writes base64 (RFC 4648, section 4), without GnuTLS, which a bridge needs for nothing else. */
static void bridge_message_encode(const char *text, size_t length, char *to)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *from = (const unsigned char *)text;

	for (size_t at = 0; at < length; at += 3) {
		size_t left = length - at;
		unsigned bits = (unsigned)from[at] << 16 |
				(left > 1 ? (unsigned)from[at + 1] << 8 : 0) |
				(left > 2 ? from[at + 2] : 0);

		*to++ = digits[bits >> 18];
		*to++ = digits[bits >> 12 & 63];
		*to++ = left > 1 ? digits[bits >> 6 & 63] : '=';
		*to++ = left > 2 ? digits[bits & 63] : '=';
	}
	*to = '\0';
}

const char *bridge_message_header_value(struct arena *arena, const char *text)
{
	size_t length = strlen(text);
	char *encoded;

	if (bridge_message_is_plain(text))
		return text;
	encoded = arena_alloc(arena, (length + 2) / 3 * 4 + 1);
	if (!encoded)
		return NULL;
	bridge_message_encode(text, length, encoded);
	return arena_printf(arena, "=?base64?%s?=", encoded);
}

void bridge_message_write_member(struct json_writer *writer, const struct json *member)
{
	json_key(writer, member->name);
	bridge_message_write(writer, member);
}

void bridge_message_write(struct json_writer *writer, const struct json *value)
{
	switch (value->type) {
	case JSON_NULL:
		json_write_null(writer);
		return;
	case JSON_BOOLEAN:
		json_write_boolean(writer, value->boolean);
		return;
	case JSON_NUMBER:
		json_write_raw(writer, value->text, value->length);
		return;
	case JSON_STRING:
		json_write_text(writer, value->text, value->length);
		return;
	case JSON_ARRAY:
		json_open_array(writer);
		json_foreach (item, value)
			bridge_message_write(writer, item);
		json_close_array(writer);
		return;
	case JSON_OBJECT:
		break;
	}
	json_open_object(writer);
	json_foreach (member, value)
		bridge_message_write_member(writer, member);
	json_close_object(writer);
}
