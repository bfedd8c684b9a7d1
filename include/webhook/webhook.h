/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Webhooks: events are delivered to the URLs of clients, in the order of the feed, each at least
 * once and always with the same ID and body.
 *
 * Nothing is lost while a receiver or the phone's network is down: after five attempts the
 * subscription is suspended, keeps its place in the feed and tries again now and then, until
 * its client refreshes it or its time is over. Only what the feed no longer has is skipped,
 * and the receiver learns that by a "gap" (tests/integration/test_webhook_crash.py).
 *
 * Nothing is delivered to a server that the owner did not approve for this client, nor to an
 * address that is not public, unless [events] receivers names the URL. The address is checked
 * at each connection (webhook_post.c).
 *
 * Source: the MCP events extension, "Webhook delivery".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/client.h"
#include "store/store_webhook.h"

struct buffer;
struct config;
struct feed_entry;
struct http_client;
struct json;
struct observers;
struct webhook_subscribe_attempt;
struct webhooks;

enum {
	WEBHOOK_PER_CLIENT_MAX = 8,
	WEBHOOK_ALL_MAX = 32,
	WEBHOOK_MESSAGE_ID_BYTES = 80,
	WEBHOOK_TTL_LEAST_MS = 5 * 60 * 1000,
	WEBHOOK_TTL_MOST_MS = 24 * 60 * 60 * 1000, /* and the default */
};

enum webhook_verdict {
	WEBHOOK_PASSES,
	WEBHOOK_DIFFERS,   /* the entry is no such event, or the arguments exclude it */
	WEBHOOK_FORBIDDEN, /* the client may no longer see such events */
};

/* How mcp judges and writes events; the store knows entries only. */
struct webhook_source {
	/*
	 * Writes the event as an object with its cursor, and its ID. The client's one-time codes
	 * stay masked. Only for WEBHOOK_PASSES is anything written.
	 */
	enum webhook_verdict (*write)(void *data, const struct client *client,
				      const char *event, const struct json *arguments,
				      const struct feed_entry *entry, struct buffer *body,
				      char message_id_out[WEBHOOK_MESSAGE_ID_BYTES]);
	/* May the client still subscribe to this event? */
	bool (*permits)(void *data, const struct client *client, const char *event);
	/* {"type":"gap",...}: entries up to this one were skipped */
	void (*write_gap)(void *data, int64_t feed_id, struct buffer *body);
	/* {"type":"terminated",...}; `reason` is one word */
	void (*write_terminated)(void *data, const char *reason, struct buffer *body);
	void *data;
};

struct webhook_parts {
	sd_event *loop;
	const struct config *config;
	struct store *store;
	struct http_client *http;
	struct observers *feed; /* of new entries (store/store_feed.h) */
	const struct webhook_source *source;
};

/* Returns 0 or -errno. Deliveries go on from the loop. */
int webhook_new(const struct webhook_parts *parts, struct webhooks **webhooks_out);
void webhook_free(struct webhooks *webhooks); /* NULL is fine */

/* ---- for clients */

/* Strings are borrowed. */
struct webhook_order {
	const struct client *client;
	const char *url;
	const char *event; /* the name of a type */
	const struct json *arguments;
	const char *secret; /* "whsec_..." */
	int64_t ttl_ms;	    /* 0 for the default */
	int64_t after;	    /* ID of an entry: where a new subscription begins */
	bool truncated;	    /* something before that is missing */
};

/* A subscription, as clients and the owner see it. Strings are borrowed. */
struct webhook_view {
	const struct store_webhook_row *row;
	int64_t watermark;  /* all entries up to this one are delivered or do not count */
	bool is_delivering; /* something waits to be delivered */
	int64_t retry_ms;   /* until the next attempt; 0 if none waits */
	bool is_throttled;  /* the receiver asked to wait that long */
};

enum webhook_outcome {
	WEBHOOK_DONE,
	WEBHOOK_PENDING, /* the receiver is being verified: done() follows */
	WEBHOOK_BAD_URL, /* `text` says what is wrong */
	WEBHOOK_BAD_SECRET,
	WEBHOOK_ANONYMOUS,    /* the client is not a paired one */
	WEBHOOK_NOT_APPROVED, /* the owner is asked, or was; `text`: a word */
	WEBHOOK_TOO_MANY,     /* `text`: which limit; `most` */
	WEBHOOK_UNVERIFIED, /* `text`: why, a word like those of store_webhook_row.error */
	WEBHOOK_CLOCK_WRONG,
	WEBHOOK_UNKNOWN, /* there is no such subscription */
	WEBHOOK_BROKEN,	 /* the store or memory */
};

struct webhook_answer {
	enum webhook_outcome outcome;
	const char *text;
	int64_t most;
	bool is_refresh;
	bool truncated;
	struct webhook_view view; /* of WEBHOOK_DONE */
};

/*
 * Subscribes, or refreshes the subscription with the same client, URL, event and arguments. After
 * WEBHOOK_PENDING done() runs once from the loop, unless webhook_subscribe_cancel() comes first.
 */
void webhook_subscribe(struct webhooks *webhooks, const struct webhook_order *order,
		       void (*done)(void *data, const struct webhook_answer *answer),
		       void *data, struct webhook_answer *answer_out,
		       struct webhook_subscribe_attempt **attempt_out);
void webhook_subscribe_cancel(struct webhook_subscribe_attempt *attempt);

/* Returns WEBHOOK_DONE, _UNKNOWN or _BROKEN. */
enum webhook_outcome webhook_subscribe_end(struct webhooks *webhooks,
					   const struct webhook_order *order);

/* ---- for the owner */

void webhook_each(struct webhooks *webhooks,
		  void (*visit)(void *data, const struct webhook_view *view), void *data);

/*
 * Ends subscriptions that are not permitted any more: the client is gone or lost a scope, or the
 * owner withdrew the consent or changed [events] receivers. Their receivers get "terminated".
 */
void webhook_review(struct webhooks *webhooks);
/* Ends all of a client whose token was replaced or revoked; `reason` is one word. */
void webhook_end_client(struct webhooks *webhooks, int64_t client_id, const char *reason);
/* Ends one. Returns 0, STORE_E_NOT_FOUND, STORE_E_FULL or -errno. */
int webhook_end(struct webhooks *webhooks, const char *name_id, const char *reason);
/* The network is back, or another one: failed deliveries are tried soon. */
void webhook_network_changed(struct webhooks *webhooks);

/*
 * Returns why the clock cannot be right, as a sentence; NULL if nothing speaks against it.
 * Receivers refuse a timestamp that is five minutes off, so a phone that does not know the time yet
 * delivers nothing, and nothing expires.
 */
const char *webhook_post_clock_flaw(void);

struct webhook_counts {
	uint64_t delivered, failed; /* attempts since the start */
	unsigned subscriptions, suspended, waiting;
};

void webhook_count(struct webhooks *webhooks, struct webhook_counts *counts_out);
