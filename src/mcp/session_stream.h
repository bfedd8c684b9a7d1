/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Session stream: GET on the endpoint, the stream on which a session receives changes.
 *
 * A session may have several streams, because one may be dead without our knowing; each
 * message goes to the newest. Events have IDs, "<stream>-<event>". A client that returns
 * with Last-Event-ID receives what that stream still had to say. Only the latest change
 * of each URI counts, so the memory for this does not grow. Changes without an open
 * stream are sent when one opens. After a restart every subscription counts as changed. A
 * Last-Event-ID from the stream of a POST resumes that one only (mcp/reply.h).
 *
 * Source: MCP 2025-11-25, basic/transports, "Listening for Messages from the Server".
 */
#ifndef MCP_SESSION_STREAM_H
#define MCP_SESSION_STREAM_H

#include "http/exchange.h"
#include "mcp/change.h"
#include "mcp/session.h"

struct request_context;

enum {
	SESSION_STREAMS_MAX = 4, /* per session; the oldest makes room */
	SESSION_STREAM_RETRY_MS = 1000,
};

/* `session`: NULL: the stream carries only changes that need no subscription. */
void session_stream_open(const struct request_context *context, struct exchange *exchange,
			 struct session *session);
void session_stream_stopping(struct exchange *exchange);
void session_stream_ended(struct exchange *exchange);

/* For session.c */

void session_stream_send(struct session *session,
			 struct session_subscription *subscription);
/* Ends all streams of a session. */
void session_stream_end_all(struct session *session);

#endif
