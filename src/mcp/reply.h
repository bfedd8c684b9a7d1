/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reply: the stream that answers a POST; its last event is the answer itself.
 *
 * In a session of 2025-11-25 the stream can be resumed: it begins with an ID and a time
 * to reconnect, every event has an ID, and sent events are kept. When the connection is
 * lost, the work goes on, and a GET with Last-Event-ID receives the rest, for
 * REPLY_TIMEOUT_MS after the loss and again after the end. The kept events are bounded
 * and belong to the session: no other session can read them
 * (tests/integration/test_reply.py).
 *
 * Source: MCP 2025-11-25, basic/transports, "Resumability and Redelivery"; SEP-1699.
 */
#ifndef MCP_REPLY_H
#define MCP_REPLY_H

#include "base/buffer.h"
#include "http/exchange.h"
#include "mcp/session.h"

enum {
	REPLY_TIMEOUT_MS = 60 * 1000,
	REPLY_RETRY_MS = 1000,
	/* Kept per stream. Older events make room, and a longer one is not kept.
	 * Together they fit a stream's queue. */
	REPLY_EVENTS_MAX = 128,
	REPLY_BYTES_MAX = 32 * 1024,
	/* Resumable streams. One that has ended makes room for another. */
	REPLIES_MAX = 32,
	REPLIES_PER_SESSION = 8,
};

struct reply;

/* Who writes the answer. reply.c does not know post.c. */
struct reply_owner {
	/* The reply is gone, and no answer is possible any more. Not called for the
	 * end of the owner's own exchange, which the owner learns from http. */
	void (*abandoned)(void *data);
	void (*stopping)(void *data); /* answer now with what is known */
	void *data;
};

/* Begins the answer of `exchange`. `session`: NULL: not resumable. NULL: no stream. */
struct reply *reply_open(struct exchange *exchange, struct session *session,
			 const struct reply_owner *owner);

/* The body is used up. False: nobody will receive it. */
bool reply_push(struct reply *reply, struct buffer *body);

/*
 * Ends the stream; a body becomes its last event and is used up. Frees `reply` for the
 * owner.
 */
void reply_finish(struct reply *reply, struct buffer *body);

/*
 * The connection is lost. True: the stream is resumable and goes on. False: `reply` is
 * freed.
 */
bool reply_lose(struct reply *reply);

/* Closes the connection so that the client reconnects for the rest. False: impossible. */
bool reply_close_connection(struct reply *reply);

/* The stream itself, of a reply that is not resumable. */
struct stream *reply_stream(const struct reply *reply);

/* For session_stream.c: resuming */

/* NULL: this session has no such reply. */
struct reply *reply_find(const struct session *session, uint64_t number);
/* Sends the events after `event`, and all later ones, to `stream`. */
void reply_resume(struct reply *reply, uint64_t event, struct stream *stream);
/* `stream` ended, on either side. Nothing if the reply has another one by now. */
void reply_detach(struct sessions *sessions, uint64_t number,
		  const struct stream *stream);
void reply_stop(struct sessions *sessions, uint64_t number);

/* For session.c: ends all replies of a session, or (NULL) of all sessions, for good. */
void reply_end_all(struct sessions *sessions, const struct session *session);

#endif
