/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Session: what the 2025 family remembers of a client between its requests.
 *
 * A session outlives the process, for many clients never begin another one: it is a row of
 * the store from `initialize` on (tests/integration/test_sessions.py). It belongs to the
 * client whose token began it, and is no proof of anything. The one that was not used for
 * longest goes when there are too many, and each after SESSION_DAYS without use.
 *
 * Source: MCP 2025-11-25, basic/transports, "Session Management".
 */
#ifndef MCP_SESSION_H
#define MCP_SESSION_H

#include <stdbool.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/client.h"
#include "base/observer.h"
#include "base/session_record.h"

enum {
	SESSIONS_MAX = 512,
	SESSIONS_PER_CLIENT = 128, /* with one token */
	SESSION_DAYS = 30,
	SESSION_URIS_MAX = 32,
};

/* bits: what the client can do */
enum session_capability {
	SESSION_ELICITS_FORMS = 1 << 0,
	SESSION_ELICITS_URLS = 1 << 1,
};

/* where records are kept; each 0 or an error, which is logged and lived with */
struct session_shelf {
	int (*put)(void *data,
		   const struct session_record *record); /* new, or in place */
	int (*remove)(void *data, const char *id);
	int (*list)(void *data,
		    void (*visit)(void *visit_data, const struct session_record *record),
		    void *visit_data); /* used longest ago first */
	void *data;
};

/* Something that is told of; embedded. What was told last can be told again. */
struct subscription {
	char *uri;	 /* as the client wrote it; NULL: the list of tools */
	char *subject;	 /* see struct change; of a long one its beginning and a hash */
	bool pending;	 /* it changed, and no stream was there */
	uint64_t stream; /* to which it was told last; 0: to none */
	uint64_t event;	 /* ... and as which event */
	TAILQ_ENTRY(subscription) link;
};

TAILQ_HEAD(subscription_list, subscription);

struct session_stream; /* mcp/session_stream.h */
TAILQ_HEAD(session_stream_list, session_stream);

struct reply; /* mcp/reply.h */
TAILQ_HEAD(reply_list, reply);

struct session {
	struct sessions *sessions;
	char id[SESSION_ID_BYTES];
	int64_t client_id;
	unsigned scopes; /* its client's when it was used last, or changed since */
	char revision[16];
	unsigned capabilities;
	int64_t used_ms;
	int64_t saved_ms; /* used_ms as it is on disk */
	struct subscription tools;
	struct subscription_list subscriptions;
	unsigned subscription_count;
	struct session_stream_list streams; /* newest first */
	TAILQ_ENTRY(session) link;
};

TAILQ_HEAD(session_list, session);

struct sessions {
	const struct session_shelf *shelf; /* NULL: memory only */
	struct observers *changes;	   /* of struct change; NULL: none ever */
	struct observer observer;	   /* while `interest` is not 0 */
	unsigned interest;		   /* subscriptions and streams */
	struct session_list list;	   /* used longest ago first */
	unsigned count;
	uint32_t epoch; /* upper half of the numbers of this process's streams */
	uint32_t stream_number;
	sd_event *loop;		   /* NULL: nothing can be resumed */
	struct reply_list replies; /* those that can be, oldest first */
	uint64_t reply_patience_ms;
};

/* Reads what the shelf has. 0 or -errno. `loop` may be set then. */
int sessions_init(struct sessions *sessions, const struct session_shelf *shelf,
		  struct observers *changes);
void sessions_deinit(struct sessions *sessions); /* the shelf keeps them */

/* A new one, kept from now on. NULL: no memory. */
struct session *session_begin(struct sessions *sessions, const struct client *client,
			      const char *revision, unsigned capabilities);

/*
 * The session of this id, if it is this client's; it counts as used now. NULL: it ended, or
 * never was, or is another's. It lives until the next call of session_begin(),
 * session_find() or session_end().
 */
struct session *session_find(struct sessions *sessions, const struct client *client,
			     const char *id);

void session_end(struct session *session); /* for ever; its streams end */

void sessions_end_client(struct sessions *sessions,
			 int64_t client_id); /* likewise, all */

/* 0; -ENOSPC: SESSION_URIS_MAX are there already; -ENOMEM. Twice is as once. */
int session_subscribe(struct session *session, const char *uri, const char *subject);
void session_unsubscribe(struct session *session, const char *uri);

/* Ends the subscriptions that are not to be kept. */
void session_keep_subscriptions(struct session *session,
				bool (*keeps)(const void *data, const char *subject),
				const void *data);

/*
 * The tools are others, for one client or (0) for all. While nobody listens the sessions
 * hear of no change; of this one they are told when they listen again.
 */
void sessions_note_tools(struct sessions *sessions, int64_t client_id);

/* For streams of sessions. */
uint64_t sessions_number_stream(struct sessions *sessions);
/* For session_stream.c: one stream more, or less, that is to be told. */
void sessions_add_interest(struct sessions *sessions);
void sessions_drop_interest(struct sessions *sessions);

#endif
