/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notification: a message of ours that asks for no answer.
 */
#ifndef MCP_NOTIFICATION_H
#define MCP_NOTIFICATION_H

#include "http/stream.h"
#include "mcp/change.h"
#include "mcp/rpc.h"

/*
 * The writer stands inside params. `listen_id`: of the subscriptions/listen that it belongs
 * to; NULL: none. NULL: no memory.
 */
struct json_writer *notification_open(struct buffer *body, const char *method,
				      const struct json *listen_id);
void notification_close(struct json_writer *writer);

/*
 * Tells of a change; `uri`, as the client wrote it, for CHANGE_RESOURCE, else NULL;
 * `event_id` may be NULL. False: see stream_push().
 */
bool notification_push_change(struct stream *stream, const char *event_id,
			      const char *uri, const struct json *listen_id);

/*
 * Pushes what was written; it is used up. `key`: what waits under the same is replaced by
 * it; NULL: nothing is.
 */
bool notification_push(struct stream *stream, struct buffer *body, const char *key);

#endif
