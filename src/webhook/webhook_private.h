/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Webhook internals: the set of subscriptions and what each of them waits for.
 */
#pragma once

#include <sys/queue.h>
#include <sys/socket.h>

#include "base/arena.h"
#include "base/crypto.h"
#include "base/json.h"
#include "base/log.h"
#include "base/observer.h"
#include "webhook/webhook.h"
#include "config/webhook_url.h"

/*
 * Webhook signature: what proves to a receiver that a delivery is ours, and the ID of a
 * subscription.
 *
 * Sources: Standard Webhooks, "whsec_" secrets and "v1" signatures; the MCP events extension,
 * "Webhook delivery".
 */

enum {
	WEBHOOK_SECRET_LEAST = 24, /* bytes */
	WEBHOOK_SECRET_MOST = 64,
	WEBHOOK_SIGNATURES_BYTES = 128, /* of two secrets */
	WEBHOOK_ID_BYTES = 37,		/* "sub_" and 32 digits */
};

struct webhook_secret {
	uint8_t bytes[WEBHOOK_SECRET_MOST];
	size_t length; /* 0 if there is none */
};

/* Returns false if it is not "whsec_" and base64 of 24 to 64 bytes. */
bool webhook_signature_read_secret(const char *text, struct webhook_secret *secret_out);

struct webhook_signature_subject {
	const char *message_id; /* the header webhook-id */
	int64_t timestamp;	/* the header webhook-timestamp, in seconds */
	const char *body;
	size_t length;
};

/*
 * Writes the header webhook-signature: one signature for each secret that has a length, separated
 * by spaces. Returns false if memory runs out.
 */
bool webhook_signature_write(const struct webhook_signature_subject *subject,
			     const struct webhook_secret *secrets, size_t count,
			     char text_out[WEBHOOK_SIGNATURES_BYTES]);

/*
 * Writes "sub_" and digits that depend on nothing but the key: the client, the URL as it was given,
 * the name of the event and the canonical JSON of its arguments. Returns false if memory runs out.
 */
bool webhook_signature_write_id(int64_t client_id, const char *url, const char *name,
				const char *arguments_json,
				char id_out[WEBHOOK_ID_BYTES]);

/*
 * Webhook address: may an event be delivered to this IP address?
 *
 * A client names the URL, so a name could resolve to this phone or to a neighbour on its
 * network. The resolved address is checked at every connection, not once: a name may resolve
 * differently a moment later.
 *
 * Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC 8190);
 * RFC 6052 for NAT64.
 */

/* Is it a global unicast address that no registry reserves for another purpose? */
bool webhook_post_address_is_public(const struct sockaddr *address);

/* Is it an address of one host: not unspecified, broadcast or multicast? */
bool webhook_post_address_is_host(const struct sockaddr *address);

/*
 * Webhook post: one signed POST to a receiver: a delivery, or a challenge.
 *
 * The signature and its timestamp are made anew for each attempt; the ID and the body stay.
 * At most WEBHOOK_ANSWER_MAX bytes of the answer are read. A redirect is not followed.
 */

enum { WEBHOOK_ANSWER_MAX = 4096, WEBHOOK_TIMEOUT_MS = 10 * 1000 };

struct webhook_post_result {
	unsigned status; /* 0 if no answer arrived */
	const char
		*error; /* "" for 2xx; else "connection_refused", "timeout", "tls_error",
			    * "http_4xx", "http_5xx" */
	const char *reason; /* the same in words, for the log */
	int64_t wait_ms;    /* that the receiver asks for; 0 for nothing */
	const struct buffer *answer;
};

/* Embedded in its owner; zeroed: idle. */
struct webhook_post {
	struct http_client_request *request; /* NULL while idle */
	const struct config *config;
	const char *url;
	unsigned status;
	int64_t wait_ms;
	struct buffer answer;
	void (*done)(void *data, const struct webhook_post_result *result);
	void *data;
};

/* Strings are borrowed until done() or webhook_post_cancel(). */
struct webhook_post_order {
	const char *url;
	const char *message_id;	     /* the header webhook-id */
	const char *subscription_id; /* the header X-MCP-Subscription-Id */
	const char *body;
	size_t length;
	struct webhook_secret secrets[2];
};

/* Returns 0 or -errno. done() runs once from the loop, and may start the next one. */
int webhook_post_start(struct webhook_post *post, const struct webhook_parts *parts,
		       const struct webhook_post_order *order,
		       void (*done)(void *data, const struct webhook_post_result *result),
		       void *data);
void webhook_post_cancel(struct webhook_post *post); /* idle is fine */

/*
 * Subscription:
 *
 *   WAITING for an entry --match--> DUE --POST--> answer: 2xx, 410, 413 --> WAITING
 *                                    ^              |  failed
 *                                    +--- backoff <-+  after five: suspended, still retried
 *   any --unsubscribed, expired, revoked--> ended: at most a "terminated" is delivered
 */
struct webhook_subscription {
	struct webhooks *all;
	TAILQ_ENTRY(webhook_subscription) link;
	struct store_webhook_row row; /* its strings are in the arena, or below */
	struct arena *arena;
	const struct json *arguments; /* in the arena */
	struct webhook_secret secret, old_secret;
	int64_t saved; /* row.scanned as it is in the store */
	/* the delivery under way: */
	struct buffer body; /* empty if there is none */
	int64_t feed_id;    /* 0 for a control message */
	char message_id[WEBHOOK_MESSAGE_ID_BYTES];
	int attempts;
	int64_t due_ms;	   /* clock_boot_ms() */
	bool is_throttled; /* the receiver chose due_ms by Retry-After */
	struct webhook_post post;
	bool has_ended; /* it is in no store: what is left is to say so */
};

TAILQ_HEAD(webhook_list, webhook_subscription);
TAILQ_HEAD(webhook_attempts, webhook_subscribe_attempt);

/* A receiver that answered a challenge, for one client. */
struct webhook_verified {
	int64_t client_id; /* 0 if it is free */
	int64_t until_ms;  /* clock_boot_ms() */
	char url_digest[MAC_DIGEST_BYTES];
};

enum { WEBHOOK_VERIFIED_MAX = 64 };

struct webhooks {
	struct webhook_parts parts;
	struct webhook_list list;
	struct webhook_attempts attempts;
	struct webhook_verified verified[WEBHOOK_VERIFIED_MAX];
	unsigned next_verified;
	struct observer feed_observer;
	sd_event_source *timer; /* for the next attempt; off while none waits */
	sd_event_source *defer; /* webhook_subscription_wake() */
	int64_t epoch;		/* of the feed */
	uint64_t delivered, failed;
	bool is_held; /* by the clock, and logged */
	struct log_pace pace;
};

/* ---- webhook_subscription.c */

/* Runs everything that is due, soon, from the loop. */
void webhook_subscription_wake(struct webhooks *webhooks);

/* Returns a copy of a row; NULL if memory runs out. */
struct webhook_subscription *webhook_subscription_new(
	struct webhooks *webhooks, const struct store_webhook_row *row);
/* Also cancels its POST. */
void webhook_subscription_free(struct webhook_subscription *subscription);
struct webhook_subscription *webhook_subscription_find(struct webhooks *webhooks,
						       const char *name_id);
bool webhook_subscription_is_expired(const struct webhook_subscription *subscription);
/* Has it neither ended nor expired? One that expired stays in memory until there is work to do. */
bool webhook_subscription_is_live(const struct webhook_subscription *subscription);
void webhook_subscription_view(const struct webhook_subscription *subscription,
			       struct webhook_view *view_out);
/* Writes what deliveries changed, lazily. Logs a failure and goes on without. */
void webhook_subscription_save(struct webhook_subscription *subscription);
/*
 * Reads the feed up to the next entry that matches, which becomes the delivery. Returns true if
 * there is more to read, later.
 */
bool webhook_subscription_fill(struct webhook_subscription *subscription);
/*
 * Removes it from the store. With a reason a "terminated" is left to deliver, else it is freed.
 * Returns 0; or STORE_E_FULL or -errno, and it stays as it is.
 */
int webhook_subscription_end(struct webhook_subscription *subscription,
			     const char *audit_reason, const char *reason);

/* ---- webhook_delivery.c */

/* Returns the clock_boot_ms() of the next attempt; INT64_MAX if nothing waits. */
int64_t webhook_delivery_due(const struct webhook_subscription *subscription);
/* Is there room for one more, to this server (its origin)? */
bool webhook_delivery_has_room(const struct webhook_subscription *subscription);
void webhook_delivery_start(struct webhook_subscription *subscription);
/* Tries a failed one again soon. */
void webhook_delivery_hurry(struct webhook_subscription *subscription);

/* ---- webhook_subscribe.c */

void webhook_subscribe_cancel_all(struct webhooks *webhooks);

/* ---- webhook_consent.c */

/* Is it approved by the owner, or listed in [events] receivers? */
bool webhook_consent_is_given(struct webhooks *webhooks,
			      const struct store_webhook_row *row,
			      const struct json *arguments);
/*
 * Returns the same for an order; if it is not, asks the owner. Returns NULL if it is given; else a
 * word for the client, or "" when the store failed.
 */
const char *webhook_consent_demand(struct webhooks *webhooks,
				   const struct webhook_order *order, const char *origin);
