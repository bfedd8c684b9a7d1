/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream client: a client that holds a stream open to receive changes. They are counted,
 * so that no client can take all streams.
 */
#ifndef MCP_STREAM_CLIENT_H
#define MCP_STREAM_CLIENT_H

#include <sys/queue.h>

#include "base/json.h"
#include "http/exchange.h"
#include "http/stream.h"

/* Without tokens all clients count as one, and only http limits their streams. */
enum { STREAM_CLIENTS_PER_TOKEN = 32 };

LIST_HEAD(stream_client_list, stream_client);

struct stream_client { /* embedded; all zero: not open */
	int64_t client_id;
	unsigned scopes;       /* the client's current ones */
	struct stream *stream; /* NULL: not open */
	LIST_ENTRY(stream_client) link;
};

/* Whether the client of this exchange may open one more. */
bool stream_client_is_allowed(const struct stream_client_list *list,
			      const struct exchange *exchange);
/* `stream` is the answer of the exchange. */
void stream_client_open(struct stream_client *client, struct stream_client_list *list,
			const struct exchange *exchange, struct stream *stream);
void stream_client_close(struct stream_client *client); /* fine when not open */

/*
 * Sends a message; the body is used up. It replaces a message with the same key that has
 * not been sent yet; NULL: none. False: see stream_push().
 */
bool stream_client_push(const struct stream_client *client, struct buffer *body,
			const char *key);

/*
 * Sends notifications/resources/updated for `uri`, spelled as the client did, or, when it
 * is NULL, notifications/tools/list_changed. `session_event_id` and `listen_id` may be
 * NULL. False: see stream_push().
 */
bool stream_client_push_change(const struct stream_client *client,
			       const char *session_event_id, const char *uri,
			       const struct json *listen_id);

#endif
