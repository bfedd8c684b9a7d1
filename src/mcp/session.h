/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Session: what the 2025 family remembers of a client between its requests.
 *
 * A session outlives the process, because many clients never begin another one: it is
 * stored from `initialize` on (tests/integration/test_sessions.py). It belongs to the
 * client whose token began it, and is no proof of identity. When there are too many
 * sessions, the least recently used one ends; each ends after SESSION_DAYS without use.
 *
 * Source: MCP 2025-11-25, basic/transports, "Session Management", "Resumability and
 * Redelivery".
 */
#ifndef MCP_SESSION_H
#define MCP_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/client.h"
#include "base/observer.h"
#include "base/session_record.h"

struct persistence;
struct reply;
struct request;
struct resource;
struct session_stream;

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
	char *uri;	 /* as the client wrote it; NULL: the tool list */
	char *subject;	 /* see struct change; a long one is cut and hashed */
	bool pending;	 /* it changed while no stream was open */
	uint64_t stream; /* that was notified last; 0: none */
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
	const struct persistence *persistence; /* NULL: memory only */
	struct observers *changes;	       /* of struct change; NULL: none ever */
	struct observer observer;	       /* while `interest` is not 0 */
	unsigned interest;		       /* subscriptions and streams */
	struct session_list list;	       /* least recently used first */
	unsigned count;
	uint32_t epoch; /* upper half of the stream numbers of this process */
	uint32_t last_stream;
	sd_event *loop;		   /* NULL: no stream can be resumed */
	struct reply_list replies; /* resumable ones, oldest first */
	uint64_t reply_timeout_ms; /* see REPLY_TIMEOUT_MS; tests shorten it */
};

/*
 * ID of an event on a stream of a session, "<stream>-<event>", as Last-Event-ID returns
 * it. No process uses a stream number of an earlier one.
 */
struct session_event_id {
	uint64_t stream;
	uint64_t event; /* 0: before the first */
};

void session_event_id_write(struct session_event_id id,
			    char text[SESSION_EVENT_ID_BYTES]);
/* False: not one of ours. */
bool session_event_id_read(const char *text, struct session_event_id *id_out);

/* Loads the stored sessions. 0 or -errno. `loop` may be set afterwards. */
int sessions_init(struct sessions *sessions, const struct persistence *persistence,
		  struct observers *changes);
void sessions_deinit(struct sessions *sessions); /* they remain stored */

/* Begins and stores a new session. NULL: no memory. */
struct session *session_begin(struct sessions *sessions, const struct client *client,
			      const char *revision, unsigned capabilities);

/*
 * Finds a session of this client and marks it as used. NULL: ended, unknown, or another
 * client's. The pointer is valid until the next session_begin(), session_find() or
 * session_end().
 */
struct session *session_find(struct sessions *sessions, const struct client *client,
			     const char *id);
/* The session that the request arrived in. NULL: none, or it has ended. */
struct session *session_of_request(const struct request *request);

void session_end(struct session *session); /* for ever; its streams end */
/* Ends all sessions of a client. */
void session_end_client(struct sessions *sessions, int64_t client_id);

/* 0, also when subscribed already; -ENOSPC: SESSION_URIS_MAX reached; -ENOMEM. */
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

/* For reply.c and session_stream.c */

uint64_t session_next_stream_number(struct sessions *sessions);
/* One more, or one less, open stream or subscription that changes concern. */
void session_add_interest(struct sessions *sessions);
void session_drop_interest(struct sessions *sessions);

#endif
