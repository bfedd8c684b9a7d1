/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/notification.h"

#include "mcp/envelope.h"

struct json_writer *notification_open(struct buffer *body, const char *method,
				      const struct json *listen_id)
{
	struct json_writer *writer = json_writer_new(body);

	if (!writer) {
		body->failed = true;
		return NULL;
	}
	rpc_open(writer, NULL);
	json_put_string(writer, "method", method);
	json_key(writer, "params");
	json_open_object(writer);
	if (!listen_id)
		return writer;
	json_key(writer, "_meta");
	json_open_object(writer);
	rpc_put_id(writer, ENVELOPE_PREFIX "subscriptionId", listen_id);
	json_close_object(writer);
	return writer;
}

void notification_close(struct json_writer *writer)
{
	json_close_object(writer);
	json_close_object(writer);
	json_writer_free(writer);
}

static bool push(struct stream *stream, struct buffer *body, const char *event_id,
		 const char *key)
{
	struct stream_event event = {
		.id = event_id,
		.key = key,
		.data = body->data,
		.length = body->length,
	};
	bool pushed = !body->failed && stream_push(stream, &event);

	buffer_deinit(body);
	return pushed;
}

bool notification_push_change(struct stream *stream, const char *event_id,
			      const char *uri, const struct json *listen_id)
{
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer =
		notification_open(&body,
				  uri ? "notifications/resources/updated"
				      : "notifications/tools/list_changed",
				  listen_id);

	if (writer) {
		if (uri)
			json_put_string(writer, "uri", uri);
		notification_close(writer);
	}
	return push(stream, &body, event_id, uri ? uri : "tools");
}

bool notification_push(struct stream *stream, struct buffer *body, const char *key)
{
	return push(stream, body, NULL, key);
}
