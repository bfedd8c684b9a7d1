/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The set of subscriptions, and the one place where work begins:
 *
 *   new entries, an answer, a refresh, the timer -> webhook_subscription_wake() -> webhook_run():
 *	expired ones end -> those without a delivery read the feed -> those that are due are sent
 *	-> the timer is set for the next one
 *
 * There is one timer, and it is off while no delivery waits for its next attempt. What is due
 * within the slack of the timer goes out with it, so that the phone wakes up once for several.
 */
#include "webhook/webhook.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/store_client.h"
#include "store/store_feed.h"
#include "webhook/webhook_private.h"

enum {
	USEC_PER_MS = 1000,
	SLACK_MS = 500,
	SLACK_SUSPENDED_MS = 60 * 1000,
	HELD_MS = 15 * 1000,
};

/* Logs when that begins and ends. */
static bool webhook_is_held(struct webhooks *webhooks)
{
	const char *flaw = webhook_post_clock_flaw();

	if (flaw && !webhooks->is_held)
		log_warning("webhook: deliveries wait: %s", flaw);
	else if (!flaw && webhooks->is_held)
		log_info("webhook: the clock is right again: deliveries go on");
	webhooks->is_held = flaw;
	return flaw;
}

static void webhook_set_timer(struct webhooks *webhooks, int64_t due_ms)
{
	int64_t now_ms = clock_boot_ms();

	if (due_ms == INT64_MAX) {
		sd_event_source_set_enabled(webhooks->timer, SD_EVENT_OFF);
		return;
	}
	if (due_ms < now_ms)
		due_ms = now_ms;
	sd_event_source_set_time_relative(webhooks->timer,
					  (uint64_t)(due_ms - now_ms) * USEC_PER_MS);
	sd_event_source_set_enabled(webhooks->timer, SD_EVENT_ONESHOT);
}

/* Ends or frees what is over. Returns true if anything was. */
static bool webhook_reap(struct webhook_subscription *subscription)
{
	if (subscription->has_ended && !subscription->body.length) {
		webhook_subscription_free(subscription);
		return true;
	}
	return webhook_subscription_is_expired(subscription) &&
	       webhook_subscription_end(subscription, "expired", NULL) == 0;
}

/*
 * Returns the clock_boot_ms() of when it wants to be looked at again; INT64_MAX if an event will
 * tell.
 */
static int64_t webhook_advance(struct webhook_subscription *subscription, bool is_held)
{
	int64_t now_ms = clock_boot_ms(), due_ms;
	int64_t slack_ms = subscription->row.suspended_ms ? SLACK_SUSPENDED_MS : SLACK_MS;

	if (webhook_subscription_fill(subscription))
		return now_ms;
	due_ms = webhook_delivery_due(subscription);
	if (due_ms > now_ms + slack_ms)
		return due_ms;
	if (is_held)
		return now_ms + HELD_MS;
	if (webhook_delivery_has_room(subscription))
		webhook_delivery_start(subscription);
	return subscription->post.request ? INT64_MAX
					  : webhook_delivery_due(subscription);
}

static void webhook_on_feed(void *data, const void *event)
{
	webhook_subscription_wake(data);
}

/* Nobody needs the feed while there is no subscription. */
static void webhook_watch_feed(struct webhooks *webhooks)
{
	bool is_watching = webhooks->feed_observer.subject;

	if (TAILQ_EMPTY(&webhooks->list) && is_watching)
		observer_remove(&webhooks->feed_observer);
	else if (!TAILQ_EMPTY(&webhooks->list) && !is_watching)
		observer_add(webhooks->parts.feed, &webhooks->feed_observer,
			     webhook_on_feed, webhooks);
}

static void webhook_run(struct webhooks *webhooks)
{
	struct webhook_subscription *subscription = TAILQ_FIRST(&webhooks->list), *next;
	bool is_held = subscription && webhook_is_held(webhooks);
	int64_t due_ms = INT64_MAX, now_ms = clock_boot_ms();

	for (; subscription; subscription = next) {
		int64_t next_ms;

		next = TAILQ_NEXT(subscription, link);
		if (webhook_reap(subscription))
			continue;
		next_ms = webhook_advance(subscription, is_held);
		/* one that waits for its turn at a server is woken by that one's end */
		if (next_ms <= now_ms && subscription->body.length)
			continue;
		if (next_ms < due_ms)
			due_ms = next_ms;
	}
	webhook_set_timer(webhooks, due_ms);
	webhook_watch_feed(webhooks);
}

static int webhook_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	webhook_run(data);
	return 0;
}

static int webhook_on_defer(sd_event_source *source, void *data)
{
	webhook_run(data);
	return 0;
}

/* ---- opening */

static void webhook_on_row(void *data, const struct store_webhook_row *row,
			   const struct store_webhook_delivery *delivery)
{
	struct webhooks *webhooks = data;
	struct webhook_subscription *subscription =
		webhook_subscription_new(webhooks, row);

	if (!subscription) {
		log_error(
			"webhook: %s: cannot be read; its client has to subscribe again",
			row->name_id);
		return;
	}
	if (!delivery->length ||
	    strlen(delivery->message_id) >= sizeof(subscription->message_id))
		return;
	buffer_append(&subscription->body, delivery->body, delivery->length);
	if (subscription->body.failed)
		buffer_deinit(&subscription->body);
	strcpy(subscription->message_id, delivery->message_id);
	subscription->feed_id = delivery->feed_id;
	subscription->attempts = delivery->attempts;
}

/* The slack of the loop's timer is ours: others are run early, not late. */
static int webhook_open(struct webhooks *webhooks)
{
	const struct webhook_parts *parts = &webhooks->parts;
	int error = sd_event_add_time_relative(
		parts->loop, &webhooks->timer, CLOCK_BOOTTIME, 0,
		(uint64_t)SLACK_MS * USEC_PER_MS, webhook_on_timer, webhooks);

	if (error >= 0)
		error = sd_event_add_defer(parts->loop, &webhooks->defer,
					   webhook_on_defer, webhooks);
	if (error < 0)
		return error;
	sd_event_source_set_enabled(webhooks->timer, SD_EVENT_OFF);
	sd_event_source_set_enabled(webhooks->defer, SD_EVENT_OFF);
	error = store_feed_epoch(parts->store, &webhooks->epoch);
	if (!error)
		error = store_webhook_list(parts->store, webhook_on_row, webhooks);
	if (error)
		return error < 0 ? error : -EIO;
	webhook_review(webhooks);
	webhook_subscription_wake(webhooks);
	return 0;
}

int webhook_new(const struct webhook_parts *parts, struct webhooks **webhooks_out)
{
	struct webhooks *webhooks = calloc(1, sizeof(*webhooks));
	int error;

	if (!webhooks)
		return -ENOMEM;
	webhooks->parts = *parts;
	TAILQ_INIT(&webhooks->list);
	TAILQ_INIT(&webhooks->attempts);
	error = webhook_open(webhooks);
	if (error) {
		webhook_free(webhooks);
		return error;
	}
	*webhooks_out = webhooks;
	return 0;
}

void webhook_free(struct webhooks *webhooks)
{
	if (!webhooks)
		return;
	webhook_subscribe_cancel_all(webhooks);
	while (!TAILQ_EMPTY(&webhooks->list))
		webhook_subscription_free(TAILQ_FIRST(&webhooks->list));
	observer_remove(&webhooks->feed_observer);
	sd_event_source_disable_unref(webhooks->timer);
	sd_event_source_disable_unref(webhooks->defer);
	free(webhooks);
}

/* ---- for the owner */

void webhook_each(struct webhooks *webhooks,
		  void (*visit)(void *data, const struct webhook_view *view), void *data)
{
	const struct webhook_subscription *subscription;
	struct webhook_view view;

	TAILQ_FOREACH (subscription, &webhooks->list, link) {
		if (!webhook_subscription_is_live(subscription))
			continue;
		webhook_subscription_view(subscription, &view);
		visit(data, &view);
	}
}

/* Returns why it may not go on, one word; NULL if it may. */
static const char *webhook_flaw(struct webhooks *webhooks,
				const struct webhook_subscription *subscription)
{
	const struct webhook_source *source = webhooks->parts.source;
	struct client client;

	if (!store_client_find_id(webhooks->parts.store, subscription->row.client_id,
				  &client))
		return "revoked";
	if (!source->permits(source->data, &client, subscription->row.event))
		return "scope";
	return webhook_consent_is_given(webhooks, &subscription->row,
					subscription->arguments)
		       ? NULL
		       : "approval_withdrawn";
}

/* Only the first error matters: those that stay are judged again with each delivery. */
static int webhook_end_those(struct webhooks *webhooks, int64_t client_id,
			     const char *name_id, const char *reason)
{
	struct webhook_subscription *subscription = TAILQ_FIRST(&webhooks->list), *next;
	int first_error = 0;

	for (; subscription; subscription = next) {
		const char *why = reason;
		int error;

		next = TAILQ_NEXT(subscription, link);
		if (subscription->has_ended ||
		    (client_id && subscription->row.client_id != client_id) ||
		    (name_id && strcmp(subscription->row.name_id, name_id) != 0))
			continue;
		if (!why)
			why = webhook_flaw(webhooks, subscription);
		error = why ? webhook_subscription_end(subscription, why, why) : 0;
		if (error && !first_error)
			first_error = error;
	}
	return first_error;
}

void webhook_review(struct webhooks *webhooks)
{
	webhook_end_those(webhooks, 0, NULL, NULL);
	webhook_subscription_wake(webhooks);
}

/* Its row may be gone with the client; in memory it ends in any case. */
void webhook_end_client(struct webhooks *webhooks, int64_t client_id, const char *reason)
{
	struct webhook_verified *verified = webhooks->verified;

	for (size_t at = 0; at < WEBHOOK_VERIFIED_MAX; at++) {
		if (verified[at].client_id == client_id)
			verified[at].client_id = 0;
	}
	webhook_end_those(webhooks, client_id, NULL, reason);
}

int webhook_end(struct webhooks *webhooks, const char *name_id, const char *reason)
{
	if (!webhook_subscription_find(webhooks, name_id))
		return STORE_E_NOT_FOUND;
	return webhook_end_those(webhooks, 0, name_id, reason);
}

void webhook_network_changed(struct webhooks *webhooks)
{
	struct webhook_subscription *subscription;

	TAILQ_FOREACH (subscription, &webhooks->list, link)
		webhook_delivery_hurry(subscription);
	webhook_subscription_wake(webhooks);
}

void webhook_count(struct webhooks *webhooks, struct webhook_counts *counts_out)
{
	const struct webhook_subscription *subscription;

	*counts_out = (struct webhook_counts){ .delivered = webhooks->delivered,
					       .failed = webhooks->failed };
	TAILQ_FOREACH (subscription, &webhooks->list, link) {
		if (!webhook_subscription_is_live(subscription))
			continue;
		counts_out->subscriptions++;
		counts_out->suspended += subscription->row.suspended_ms > 0;
		counts_out->waiting += subscription->body.length > 0;
	}
}
