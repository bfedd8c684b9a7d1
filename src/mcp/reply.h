/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reply: the stream that answers a POST, from the first event to the last, which is the
 * answer itself.
 *
 * One of a session of 2025-11-25 can be resumed: it begins with an id and a time to come
 * again, every event has an id, and what was told is kept. When its connection is lost, what
 * was asked for goes on, and a GET with Last-Event-ID is told the rest; for REPLY_PATIENCE_MS
 * after the loss, and as long after the end. What is kept is bounded, and belongs to the
 * session: no other gets a word of it (tests/integration/test_reply.py).
 *
 * Source: MCP 2025-11-25, basic/transports, "Resumability and Redelivery"; SEP-1699.
 */
#ifndef MCP_REPLY_H
#define MCP_REPLY_H

#include "base/buffer.h"
#include "http/exchange.h"
#include "mcp/event_id.h"
#include "mcp/session.h"

enum {
	REPLY_PATIENCE_MS = 60 * 1000,
	REPLY_RETRY_MS = 1000,
	/* Of what is kept of one: older events make room, and a longer one is not kept. All of
	 * it fits a stream's queue. */
	REPLY_EVENTS_MAX = 128,
	REPLY_BYTES_MAX = 32 * 1024,
	/* That can be resumed. One that has ended makes room for another. */
	REPLIES_MAX = 32,
	REPLIES_PER_SESSION = 8,
};

struct reply;

/* who answers */
struct reply_owner {
	/* The reply is gone; no answer is possible any more. Not for the end of its own
	 * exchange, which it hears of itself. */
	void (*abandoned)(void *data);
	void (*stopping)(void *data); /* answer now with what is known */
	void *data;
};

/* Begins the answer of `exchange`. `session`: NULL: cannot be resumed. NULL: no stream. */
struct reply *reply_open(struct exchange *exchange, struct session *session,
			 const struct reply_owner *owner);

/* The body is used up. False: nobody will get it. */
bool reply_push(struct reply *reply, struct buffer *body);

/* With its last event, if there is a body, which is used up; the owner is rid of it. */
void reply_finish(struct reply *reply, struct buffer *body);

/*
 * The connection of its exchange is lost. True: it can be resumed, and goes on. False: the
 * owner is rid of it.
 */
bool reply_lose(struct reply *reply);

/* Ends the connection, so that the client comes again for the rest. False: it could not. */
bool reply_let_go(struct reply *reply);

/* The stream itself, of one that cannot be resumed. */
struct stream *reply_stream(const struct reply *reply);

/* For session_stream.c: reading on */

/* NULL: there is none in this session. */
struct reply *reply_find(const struct session *session, uint64_t number);
/* What came behind `event`, and what still comes, goes to `stream` from now on. */
void reply_resume(struct reply *reply, uint64_t event, struct stream *stream);
/* That stream ends, by whichever side; nothing when it is another's by now. */
void reply_leave(struct sessions *sessions, uint64_t number, const struct stream *stream);
void reply_stop(struct sessions *sessions, uint64_t number);

/* For session.c: ends all of a session, or of all sessions (NULL) for good. */
void replies_end(struct sessions *sessions, const struct session *session);

#endif
