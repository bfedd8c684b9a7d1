/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, webhooks: the clients' subscriptions, the one delivery that each of them waits for, and
 * the owner's consents. Part of the store of store/store.h.
 *
 * The feed is the queue (store/store_feed.h): a subscription remembers how far it has read, and
 * the delivery that is under way with its ID and body, so that a repeat has the same bytes. Both
 * change lazily in one commit: after a loss of power a delivery may be repeated, and none is
 * missing (tests/integration/test_webhook_crash.py).
 *
 * Revoking a client removes its subscriptions and consents in the same commit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/client.h"

struct store;

/* What the store keeps of a subscription. Strings and bytes are borrowed. */
struct store_webhook_row {
	int64_t id; /* output of store_webhook_put() */
	int64_t client_id;
	const char *name_id;		 /* "sub_...", unique */
	const char *url, *origin;	 /* "https://hooks.example" */
	const char *event, *arguments;	 /* name, canonical JSON */
	const void *secret, *old_secret; /* of the old state; "" if there is none */
	size_t secret_length, old_secret_length;
	int64_t old_until_ms; /* wall clock, as all times here */
	int64_t created_ms, refreshed_ms, expires_ms;
	/* these change with each delivery: */
	int64_t scanned; /* all entries of the feed up to this one are done or in the delivery */
	int64_t epoch;	      /* of the feed */
	int64_t suspended_ms; /* 0 while it is active */
	int64_t failed_since_ms;
	int64_t delivered_ms;
	const char *error; /* the last one, "" if there is none */
};

/* The delivery under way; no body: there is none. */
struct store_webhook_delivery {
	int64_t feed_id;	/* 0 for a control message */
	const char *message_id; /* the header webhook-id */
	const char *body;
	size_t length;
	int attempts;
};

/*
 * Adds a subscription, or replaces the one with its name_id, with its audit line. The delivery
 * under way stays. Durable. Returns 0, STORE_E_FULL or -errno.
 */
int store_webhook_put(struct store *store, struct store_webhook_row *row,
		      const char *client);
/*
 * Changes, lazily, the members that change with each delivery. Returns 0, STORE_E_FULL or -errno.
 */
int store_webhook_advance(struct store *store, const struct store_webhook_row *row,
			  const struct store_webhook_delivery *delivery);
/*
 * With its audit line, whose reason is "unsubscribed", "expired", "revoked" or the like. Durable.
 * Returns 0, STORE_E_NOT_FOUND, STORE_E_FULL or -errno.
 */
int store_webhook_remove(struct store *store, const struct store_webhook_row *row,
			 const char *client, const char *reason);
/* `row` lives during the visit, which may not use webhooks of the store. Returns 0 or -errno. */
int store_webhook_list(struct store *store,
		       void (*visit)(void *data, const struct store_webhook_row *row,
				     const struct store_webhook_delivery *delivery),
		       void *data);

/* ---- consents: the owner lets a client send events to a server */

enum store_webhook_consent_state { /* stored: only append */
				   WEBHOOK_CONSENT_WAITING,
				   WEBHOOK_CONSENT_APPROVED,
				   WEBHOOK_CONSENT_REJECTED,
};

struct store_webhook_consent {
	int64_t id;
	int64_t client_id;
	const char *origin; /* "https://hooks.example" */
	const char *event;  /* name */
	const char *filter; /* canonical JSON of the arguments without include_text */
	bool with_text;
	enum store_webhook_consent_state state;
	int64_t asked_ms;
	int64_t until_ms; /* waiting: for the decision; rejected: remembered; else 0 */
};

/* `detail` of its entries in the feed, whose subject_id is the consent. */
#define STORE_WEBHOOK_FEED_DETAIL "webhook_consent"

enum { STORE_WEBHOOK_ASKED_MAX = 8 }; /* that wait, of one client */

/*
 * Asks the owner: adds a consent that waits, with its audit line and its entry of the feed, and
 * removes those whose time is over. Returns 0, STORE_E_EXISTS if too many wait, STORE_E_FULL or
 * -errno.
 */
int store_webhook_consent_ask(struct store *store, struct store_webhook_consent *consent);
/*
 * Stores the owner's decision on one that waits. `who` is for example "owner (uid 0)". Returns 0,
 * STORE_E_NOT_FOUND, STORE_E_FULL or -errno.
 */
int store_webhook_consent_decide(struct store *store, int64_t id, bool approved,
				 const char *who, int64_t until_ms);
/*
 * Removes an approved one, with an audit line. Returns 0, STORE_E_NOT_FOUND, STORE_E_FULL or
 * -errno.
 */
int store_webhook_consent_remove(struct store *store, int64_t id, const char *who);
/*
 * Lists them in ascending order of ID; those whose time is over are left out. If client_id is 0,
 * those of all clients are visited. `consent` lives during the visit, which may not use consents of
 * the store. Returns 0 or -errno.
 */
int store_webhook_consent_list(struct store *store, int64_t client_id,
			       void (*visit)(void *data,
					     const struct store_webhook_consent *consent),
			       void *data);
