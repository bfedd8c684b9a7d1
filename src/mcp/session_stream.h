/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Session stream: GET on the endpoint, the stream on which a session is told of changes.
 *
 * A session may have several, for one may be dead without our knowing; each message goes to
 * the newest. Events have ids, "<stream>-<event>", and a client that comes again with
 * Last-Event-ID is told what that stream still had to say; of each URI only the last news
 * counts, so what is kept for that does not grow. Changes while there was no stream are told
 * when there is one. After a restart everything counts as changed. A Last-Event-ID of the
 * stream of a POST gives the rest of that one, and nothing else (mcp/reply.h).
 *
 * Source: MCP 2025-11-25, basic/transports, "Listening for Messages from the Server".
 */
#ifndef MCP_SESSION_STREAM_H
#define MCP_SESSION_STREAM_H

#include "http/exchange.h"
#include "mcp/change.h"
#include "mcp/session.h"

enum {
	SESSION_STREAMS_MAX = 4, /* the oldest makes room */
	SESSION_RETRY_MS = 1000,
};

struct endpoint;

/* Of `session`; NULL: without one, told only of what needs no subscription. */
void session_stream_open(struct endpoint *endpoint, struct exchange *exchange,
			 struct session *session);
void session_stream_stopping(struct exchange *exchange);
void session_stream_ended(struct exchange *exchange);

/* For session.c */
void session_tell(struct session *session, struct subscription *subscription);
void session_streams_end(struct session *session);

#endif
