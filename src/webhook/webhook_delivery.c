/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One attempt of a delivery, and what follows from its answer.
 *
 *   2xx             delivered
 *   410, 413        over, the receiver does not want this one; the subscription stays
 *   anything else   failed: again after 2, 15, 75 and 300 s, then suspended: again after 10, 20,
 *                   40 and from then on every 60 minutes
 *
 * Each time is longer or shorter by up to a fifth, so that many gateways do not call at once.
 * "terminated" is tried three times: its subscription is in no store any more.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/crypto.h"
#include "store/store_audit.h"
#include "store/store_client.h"
#include "webhook/webhook_private.h"

enum {
	MS_PER_SECOND = 1000,
	MINUTE_MS = 60 * MS_PER_SECOND,
	ATTEMPTS_MAX = 5,
	FAREWELL_ATTEMPTS = 3,
	AT_ONCE_MAX = 4, /* deliveries of all subscriptions */
	SUSPENDED_FIRST_MS = 10 * MINUTE_MS,
	SUSPENDED_MOST_MS = 60 * MINUTE_MS,
	HURRY_MS = 3 * MS_PER_SECOND,
	STATUS_GONE = 410,
	STATUS_TOO_LARGE = 413,
};

static const int64_t webhook_delivery_pauses_ms[ATTEMPTS_MAX] = {
	0,
	INT64_C(2) * MS_PER_SECOND,
	INT64_C(15) * MS_PER_SECOND,
	INT64_C(75) * MS_PER_SECOND,
	INT64_C(300) * MS_PER_SECOND,
};

/* Four fifths to six fifths of it. */
static int64_t webhook_delivery_jitter(int64_t pause_ms)
{
	char digits[5] = "0000";

	crypto_make_random(digits, sizeof(digits));
	return pause_ms * 4 / 5 + pause_ms * 2 / 5 * strtol(digits, NULL, 16) / 0xffff;
}

/* Returns the pause after that many failed attempts. */
static int64_t webhook_delivery_pause(int attempts)
{
	int64_t pause_ms = SUSPENDED_FIRST_MS;

	if (attempts < ATTEMPTS_MAX)
		return webhook_delivery_jitter(webhook_delivery_pauses_ms[attempts]);
	for (; attempts > ATTEMPTS_MAX && pause_ms < SUSPENDED_MOST_MS; attempts--)
		pause_ms *= 2;
	return webhook_delivery_jitter(pause_ms < SUSPENDED_MOST_MS ? pause_ms
								    : SUSPENDED_MOST_MS);
}

int64_t webhook_delivery_due(const struct webhook_subscription *subscription)
{
	return subscription->body.length && !subscription->post.request
		       ? subscription->due_ms
		       : INT64_MAX;
}

bool webhook_delivery_has_room(const struct webhook_subscription *subscription)
{
	const struct webhook_subscription *other;
	unsigned count = 0;

	TAILQ_FOREACH (other, &subscription->all->list, link) {
		if (!other->post.request)
			continue;
		if (++count == AT_ONCE_MAX ||
		    strcmp(other->row.origin, subscription->row.origin) == 0)
			return false;
	}
	return true;
}

void webhook_delivery_hurry(struct webhook_subscription *subscription)
{
	int64_t soon_ms = clock_boot_ms() + webhook_delivery_jitter(HURRY_MS);

	if (subscription->attempts && !subscription->is_throttled &&
	    subscription->due_ms > soon_ms)
		subscription->due_ms = soon_ms;
}

static void webhook_delivery_suspend(struct webhook_subscription *subscription)
{
	struct store_webhook_row *row = &subscription->row;
	struct store *store = subscription->all->parts.store;
	char client[CLIENT_NAME_BYTES] = "";

	row->suspended_ms = clock_wall_ms();
	log_warning("webhook: %s: %s could not be reached five times (%s): suspended",
		    row->name_id, row->origin, row->error);
	store_client_name(store, row->client_id, client);
	if (store_audit_record(store, AUDIT_WEBHOOK_SUSPENDED,
			       (struct audit_event_fact[]){
				       { "client_id", NULL, row->client_id },
				       { "client", client },
				       { "subscription", row->name_id },
				       { "receiver", row->origin },
				       { "type", row->event },
				       { "reason", row->error },
				       { NULL },
			       }))
		log_warning("webhook: %s: its suspension is not in the audit log",
			    row->name_id);
}

/* Returns true if it was freed. */
static bool webhook_delivery_fail(struct webhook_subscription *subscription,
				  const struct webhook_post_result *result)
{
	struct store_webhook_row *row = &subscription->row;
	int64_t pause_ms;

	subscription->all->failed++;
	subscription->attempts++;
	log_debug("webhook: %s: attempt %d failed: %s", row->name_id,
		  subscription->attempts, result->reason);
	if (subscription->has_ended && subscription->attempts == FAREWELL_ATTEMPTS) {
		webhook_subscription_free(subscription);
		return true;
	}
	row->error = result->error;
	if (!row->failed_since_ms)
		row->failed_since_ms = clock_wall_ms();
	if (subscription->attempts >= ATTEMPTS_MAX && !row->suspended_ms)
		webhook_delivery_suspend(subscription);
	pause_ms = webhook_delivery_pause(subscription->attempts);
	subscription->is_throttled = result->wait_ms > 0;
	subscription->due_ms = clock_boot_ms() +
			       (pause_ms > result->wait_ms ? pause_ms : result->wait_ms);
	webhook_subscription_save(subscription);
	return false;
}

/* The receiver answered, so it is back. Returns true if it was freed. */
static bool webhook_delivery_finish(struct webhook_subscription *subscription,
				    bool is_accepted)
{
	struct store_webhook_row *row = &subscription->row;

	if (subscription->has_ended) {
		webhook_subscription_free(subscription);
		return true;
	}
	if (row->suspended_ms)
		log_info("webhook: %s: %s is back", row->name_id, row->origin);
	subscription->all->delivered += is_accepted;
	if (is_accepted)
		row->delivered_ms = clock_wall_ms();
	row->suspended_ms = 0;
	row->failed_since_ms = 0;
	row->error = "";
	buffer_deinit(&subscription->body);
	subscription->attempts = 0;
	subscription->due_ms = 0;
	subscription->is_throttled = false;
	return false;
}

/* Its place is at the end now, so that the others of the same server have their turn. */
static void webhook_delivery_on_done(void *data, const struct webhook_post_result *result)
{
	struct webhook_subscription *subscription = data;
	struct webhooks *all = subscription->all;
	bool is_accepted = !*result->error;
	bool is_over = is_accepted || result->status == STATUS_GONE ||
		       result->status == STATUS_TOO_LARGE;
	bool is_freed = is_over ? webhook_delivery_finish(subscription, is_accepted)
				: webhook_delivery_fail(subscription, result);

	if (!is_freed) {
		TAILQ_REMOVE(&all->list, subscription, link);
		TAILQ_INSERT_TAIL(&all->list, subscription, link);
	}
	if (!is_freed && is_over) {
		webhook_subscription_fill(subscription);
		if (!subscription->body.length)
			webhook_subscription_save(subscription);
	}
	webhook_subscription_wake(all);
}

void webhook_delivery_start(struct webhook_subscription *subscription)
{
	bool has_grace = clock_wall_ms() < subscription->row.old_until_ms;
	const struct webhook_post_order order = {
		.url = subscription->row.url,
		.message_id = subscription->message_id,
		.subscription_id = subscription->row.name_id,
		.body = subscription->body.data,
		.length = subscription->body.length,
		.secrets = { subscription->secret,
			     has_grace ? subscription->old_secret
				       : (struct webhook_secret){ .length = 0 } },
	};
	int error = webhook_post_start(&subscription->post, &subscription->all->parts,
				       &order, webhook_delivery_on_done, subscription);

	if (!error)
		return;
	log_warning("webhook: %s: no request could be made (error %d)",
		    subscription->row.name_id, -error);
	subscription->due_ms = clock_boot_ms() + MINUTE_MS;
}
