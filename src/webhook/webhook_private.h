/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Webhook internals: the set of subscriptions and what each of them waits for.
 */
#pragma once

#include <sys/queue.h>

#include "base/arena.h"
#include "base/crypto.h"
#include "base/json.h"
#include "base/log.h"
#include "base/observer.h"
#include "webhook/webhook.h"
#include "webhook/webhook_post.h"
#include "config/webhook_url.h"

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
	char host[WEBHOOK_HOST_BYTES];
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
int64_t webhook_subscription_watermark(const struct webhook_subscription *subscription);
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
/* Is there room for one more, to this host? */
bool webhook_delivery_has_room(const struct webhook_subscription *subscription);
void webhook_delivery_start(struct webhook_subscription *subscription);
/* Tries a failed one again soon. */
void webhook_delivery_hurry(struct webhook_subscription *subscription);

/* ---- webhook_subscribe.c */

void webhook_subscribe_cancel_all(struct webhooks *webhooks);

/* ---- webhook_consent.c */

/*
 * Writes the arguments as canonical JSON with a NUL, without include_text, whose value is
 * returned.
 */
bool webhook_consent_read(const struct json *arguments, struct buffer *filter);

/* Is it approved by the owner, or listed in [events] receivers? */
bool webhook_consent_is_given(struct webhooks *webhooks,
			      const struct store_webhook_row *row);
/*
 * Returns the same for an order; if it is not, asks the owner. Returns NULL if it is given; else a
 * word for the client, or "" when the store failed.
 */
const char *webhook_consent_demand(struct webhooks *webhooks,
				   const struct webhook_order *order, const char *origin);
