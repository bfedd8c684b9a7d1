/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/session.h"

#include "mcp/rpc.h"

bool stream_client_is_allowed(const struct stream_client_list *list,
			      const struct exchange *exchange)
{
	int64_t client_id = exchange_client(exchange)->id;
	const struct stream_client *client;
	unsigned count = 0;

	LIST_FOREACH (client, list, link)
		count += client->client_id == client_id;
	return !client_id || count < STREAM_CLIENTS_PER_TOKEN;
}

void stream_client_open(struct stream_client *client, struct stream_client_list *list,
			const struct exchange *exchange, struct stream *stream)
{
	client->client_id = exchange_client(exchange)->id;
	client->scopes = exchange_client(exchange)->scopes;
	client->stream = stream;
	LIST_INSERT_HEAD(list, client, link);
}

void stream_client_close(struct stream_client *client)
{
	if (!client->stream)
		return;
	LIST_REMOVE(client, link);
	client->stream = NULL;
}

static bool stream_client_push_event(const struct stream_client *client,
				     struct buffer *body, const char *session_event_id,
				     const char *key)
{
	struct stream_event event = {
		.id = session_event_id,
		.key = key,
		.data = body->data,
		.length = body->length,
	};
	bool pushed = !body->failed && stream_push(client->stream, &event);

	buffer_deinit(body);
	return pushed;
}

bool stream_client_push(const struct stream_client *client, struct buffer *body,
			const char *key)
{
	return stream_client_push_event(client, body, NULL, key);
}

bool stream_client_push_change(const struct stream_client *client,
			       const char *session_event_id, const char *uri,
			       const struct json *listen_id)
{
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer =
		rpc_open_notification(&body,
				      uri ? "notifications/resources/updated"
					  : "notifications/tools/list_changed",
				      listen_id);

	if (writer) {
		if (uri)
			json_put_string(writer, "uri", uri);
		rpc_close_notification(writer);
	}
	return stream_client_push_event(client, &body, session_event_id,
					uri ? uri : "tools");
}
