/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Session: what the 2025 family remembers of a client between its requests.
 *
 * A session outlives the process, because many clients never begin another one: it is
 * stored from `initialize` on (tests/integration/test_sessions.py). It belongs to the
 * client whose token began it, and does not prove an identity. When there are too many
 * sessions, the least recently used one ends; each ends after SESSION_DAYS without use.
 *
 * Source: MCP 2025-11-25, basic/transports, "Session Management", "Resumability and
 * Redelivery".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/buffer.h"
#include "base/client.h"
#include "base/json.h"
#include "base/observer.h"
#include "base/session_record.h"
#include "http/exchange.h"
#include "mcp/resource.h"

struct persistence;
struct reply;
struct request;
struct resource;
struct session_stream;
struct request_context;

enum {
	SESSIONS_MAX = 512,
	SESSIONS_PER_CLIENT = 128, /* per token */
	SESSION_DAYS = 30,
	SESSION_URIS_MAX = 32,
	SESSION_EVENT_ID_BYTES = 40,
};

/* Bits: what the client can do. */
enum session_capability {
	SESSION_ELICITS_FORMS = 1 << 0,
	SESSION_ELICITS_URLS = 1 << 1,
};

/* A resource or the tool list that a session's client wants to hear about. */
struct session_subscription {
	char *uri;	 /* as the client wrote it; NULL for the tool list */
	char *subject;	 /* see struct resource_change; a long one is cut and hashed */
	bool pending;	 /* it changed while no stream was open */
	uint64_t stream; /* that was notified last; 0 if there is none */
	uint64_t event;	 /* number of that notification */
	TAILQ_ENTRY(session_subscription) link;
};

TAILQ_HEAD(session_subscription_list, session_subscription);
TAILQ_HEAD(session_stream_list, session_stream);
TAILQ_HEAD(reply_list, reply);

struct session {
	struct sessions *sessions;
	char id[SESSION_ID_BYTES];
	int64_t client_id;
	unsigned scopes; /* the client's at the last use, or changed since */
	char revision[16];
	unsigned capabilities;
	int64_t used_ms;  /* wall clock */
	int64_t saved_ms; /* used_ms as stored */
	struct session_subscription tools;
	struct session_subscription_list subscriptions;
	unsigned subscription_count;
	struct session_stream_list streams; /* newest first */
	TAILQ_ENTRY(session) link;
};

TAILQ_HEAD(session_list, session);

struct sessions {
	/* NULL to keep everything in memory only */
	const struct persistence *persistence;
	/* of struct resource_change; NULL if there are never any */
	struct observers *changes;
	struct observer observer; /* while `interest` is not 0 */
	unsigned interest;	  /* subscriptions and streams */
	struct session_list list; /* least recently used first */
	unsigned count;
	uint32_t epoch; /* upper half of the stream numbers of this process */
	uint32_t last_stream;
	sd_event *loop;		   /* NULL if no stream can be resumed */
	struct reply_list replies; /* resumable ones, oldest first */
	uint64_t reply_timeout_ms; /* see REPLY_TIMEOUT_MS; tests shorten it */
};

/*
 * ID of an event on a stream of a session, "<stream>-<event>", as Last-Event-ID returns
 * it. No process uses a stream number of an earlier one.
 */
struct session_event_id {
	uint64_t stream;
	uint64_t event; /* 0 before the first */
};

void session_event_id_write(struct session_event_id id,
			    char text[SESSION_EVENT_ID_BYTES]);
/* Returns false if it is not one of ours. */
bool session_event_id_read(const char *text, struct session_event_id *id_out);

/* Loads the stored sessions. Returns 0 or -errno. `loop` may be set afterwards. */
int sessions_init(struct sessions *sessions, const struct persistence *persistence,
		  struct observers *changes);
void sessions_deinit(struct sessions *sessions); /* they remain stored */

/* Begins and stores a new session. Returns NULL if memory runs out. */
struct session *session_begin(struct sessions *sessions, const struct client *client,
			      const char *revision, unsigned capabilities);

/*
 * Finds a session of this client and marks it as used. Returns NULL if it has ended, is unknown, or
 * is another client's. The pointer is valid until the next session_begin(), session_find() or
 * session_end().
 */
struct session *session_find(struct sessions *sessions, const struct client *client,
			     const char *id);
/* Returns the session that the request arrived in; NULL if there is none, or it has ended. */
struct session *session_of_request(const struct request *request);

void session_end(struct session *session); /* for ever; its streams end */
/* Ends all sessions of a client. */
void session_end_client(struct sessions *sessions, int64_t client_id);

/* Returns 0, also when subscribed already; -ENOSPC if SESSION_URIS_MAX is reached; or -ENOMEM. */
int session_subscribe(struct session *session, const char *uri, const char *subject);
void session_unsubscribe(struct session *session, const char *uri);

/* Ends the subscriptions to resources that need other scopes than these. */
void session_filter_subscriptions(struct session *session,
				  const struct resource *const *resources,
				  unsigned scopes);

/*
 * The tool list of one client, or (0) of all, changed. Without interest sessions observe
 * no changes; this change is kept until they open a stream.
 */
void sessions_report_tools(struct sessions *sessions, int64_t client_id);

/* Used by reply.c and session_stream.c */

uint64_t session_next_stream_number(struct sessions *sessions);
/* Counts one more, or one less, open stream or subscription that changes concern. */
void session_add_interest(struct sessions *sessions);
void session_drop_interest(struct sessions *sessions);

/*
 * Stream client: a client that holds a stream open to receive changes. They are counted,
 * so that no client can take all streams.
 */

/* Without tokens all clients count as one, and only http limits their streams. */
enum { STREAM_CLIENTS_PER_TOKEN = 32 };

LIST_HEAD(stream_client_list, stream_client);

struct stream_client { /* embedded; all zero: not open */
	int64_t client_id;
	unsigned scopes;       /* the client's current ones */
	struct stream *stream; /* NULL if not open */
	LIST_ENTRY(stream_client) link;
};

/* Returns whether the client of this exchange may open one more. */
bool stream_client_is_allowed(const struct stream_client_list *list,
			      const struct exchange *exchange);
/* `stream` is the answer of the exchange. */
void stream_client_open(struct stream_client *client, struct stream_client_list *list,
			const struct exchange *exchange, struct stream *stream);
void stream_client_close(struct stream_client *client); /* fine when not open */

/*
 * Sends a message; the body is used up. It replaces a message with the same key that has not been
 * sent yet; NULL if there is none. Returns false as stream_push() does.
 */
bool stream_client_push(const struct stream_client *client, struct buffer *body,
			const char *key);

/*
 * Sends notifications/resources/updated for `uri`, spelled as the client did, or, when it is NULL,
 * notifications/tools/list_changed. `session_event_id` and `listen_id` may be NULL. Returns false
 * as stream_push() does.
 */
bool stream_client_push_change(const struct stream_client *client,
			       const char *session_event_id, const char *uri,
			       const struct json *listen_id);

/*
 * Session stream: GET on the endpoint, the stream on which a session receives changes.
 *
 * A session may have several streams, because one may be dead without our knowing; each
 * message goes to the newest. Events have IDs, "<stream>-<event>". A client that returns
 * with Last-Event-ID receives what that stream still had to say. Only the latest change
 * of each URI counts, so the memory for this does not grow. Changes without an open
 * stream are sent when one opens. After a restart every subscription counts as changed. A
 * Last-Event-ID from the stream of a POST resumes that one only (mcp/session.h).
 *
 * Source: MCP 2025-11-25, basic/transports, "Listening for Messages from the Server".
 */

enum {
	SESSION_STREAMS_MAX = 4, /* per session; the oldest makes room */
	SESSION_STREAM_RETRY_MS = 1000,
};

/* If `session` is NULL, the stream carries only changes that need no subscription. */
void session_stream_open(const struct request_context *context, struct exchange *exchange,
			 struct session *session);
void session_stream_stopping(struct exchange *exchange);
void session_stream_ended(struct exchange *exchange);

/* For session.c */

void session_stream_send(struct session *session,
			 struct session_subscription *subscription);
/* Ends all streams of a session. */
void session_stream_end_all(struct session *session);

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

/* Who writes the answer. reply.c does not know request.c. */
struct reply_owner {
	/* The reply is gone, and no answer is possible any more. Not called for the
	 * end of the owner's own exchange, which the owner learns from http. */
	void (*abandoned)(void *data);
	void (*stopping)(void *data); /* answer now with what is known */
	void *data;
};

/*
 * Begins the answer of `exchange`. If `session` is NULL, it is not resumable. Returns NULL if there
 * is no stream.
 */
struct reply *reply_open(struct exchange *exchange, struct session *session,
			 const struct reply_owner *owner);

/* The body is used up. Returns false if nobody will receive it. */
bool reply_push(struct reply *reply, struct buffer *body);

/*
 * Ends the stream; a body becomes its last event and is used up. Frees `reply` for the
 * owner.
 */
void reply_finish(struct reply *reply, struct buffer *body);

/*
 * The connection is lost. Returns true if the stream is resumable and goes on. Returns false if
 * `reply` is freed.
 */
bool reply_lose(struct reply *reply);

/*
 * Closes the connection so that the client reconnects for the rest. Returns false if that is
 * impossible.
 */
bool reply_close_connection(struct reply *reply);

/* Returns the stream itself, of a reply that is not resumable. */
struct stream *reply_stream(const struct reply *reply);

/* For session_stream.c: resuming */

/* Returns NULL if this session has no such reply. */
struct reply *reply_find(const struct session *session, uint64_t number);
/* Sends the events after `event`, and all later ones, to `stream`. */
void reply_resume(struct reply *reply, uint64_t event, struct stream *stream);
/* `stream` ended, on either side. Nothing if the reply has another one by now. */
void reply_detach(struct sessions *sessions, uint64_t number,
		  const struct stream *stream);
void reply_stop(struct sessions *sessions, uint64_t number);

/* For session.c: ends all replies of a session, or (NULL) of all sessions, for good. */
void reply_end_all(struct sessions *sessions, const struct session *session);
