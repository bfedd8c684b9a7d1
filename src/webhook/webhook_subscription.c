/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A subscription reads the feed only while nothing of it waits to be delivered. So what a
 * receiver missed waits in the feed, not in a queue of its own, and the events are judged by
 * the client's permissions at the time they go out.
 *
 * Entries that the feed has dropped before they were read make a gap: a control message takes the
 * place of the next delivery.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/feed.h"
#include "base/json_reader.h"
#include "store/store_client.h"
#include "store/store_feed.h"
#include "webhook/webhook_private.h"

void webhook_subscription_wake(struct webhooks *webhooks)
{
	sd_event_source_set_enabled(webhooks->defer, SD_EVENT_ONESHOT);
}

enum {
	ARENA_BYTES = 64 * 1024,
	SCAN_MAX = 256,	   /* entries in one turn of the loop */
	SAVE_EVERY = 1000, /* entries that are scanned without a match */
	CONTROL_DIGITS = 25,
};

static void webhook_subscription_copy_secret(struct webhook_secret *secret,
					     const void *bytes, size_t length)
{
	*secret = (struct webhook_secret){ .length = 0 };
	if (!length || length > sizeof(secret->bytes))
		return;
	memcpy(secret->bytes, bytes, length);
	secret->length = length;
}

/* The row's strings are copied, its secrets are below. */
static bool webhook_subscription_copy(struct webhook_subscription *subscription,
				      const struct store_webhook_row *row)
{
	struct store_webhook_row *copy = &subscription->row;
	const char **texts[] = { &copy->name_id, &copy->url,	   &copy->origin,
				 &copy->event,	 &copy->arguments, &copy->error };
	struct webhook_url url;

	*copy = *row;
	for (size_t at = 0; at < sizeof(texts) / sizeof(*texts); at++) {
		*texts[at] =
			arena_copy(subscription->arena, *texts[at], strlen(*texts[at]));
		if (!*texts[at])
			return false;
	}
	webhook_subscription_copy_secret(&subscription->secret, row->secret,
					 row->secret_length);
	webhook_subscription_copy_secret(&subscription->old_secret, row->old_secret,
					 row->old_secret_length);
	copy->secret = subscription->secret.bytes;
	copy->old_secret = subscription->old_secret.bytes;
	if (webhook_url_parse(copy->url, &url))
		return false;
	return json_reader_read(subscription->arena, copy->arguments,
				strlen(copy->arguments), &subscription->arguments) == 0;
}

struct webhook_subscription *webhook_subscription_new(struct webhooks *webhooks,
						      const struct store_webhook_row *row)
{
	struct webhook_subscription *subscription = calloc(1, sizeof(*subscription));

	if (!subscription)
		return NULL;
	subscription->arena = arena_new(ARENA_BYTES);
	subscription->all = webhooks;
	subscription->saved = row->scanned;
	if (!subscription->arena || !webhook_subscription_copy(subscription, row)) {
		arena_free(subscription->arena);
		free(subscription);
		return NULL;
	}
	TAILQ_INSERT_TAIL(&webhooks->list, subscription, link);
	return subscription;
}

void webhook_subscription_free(struct webhook_subscription *subscription)
{
	webhook_post_cancel(&subscription->post);
	TAILQ_REMOVE(&subscription->all->list, subscription, link);
	buffer_deinit(&subscription->body);
	arena_free(subscription->arena);
	explicit_bzero(subscription, sizeof(*subscription));
	free(subscription);
}

struct webhook_subscription *webhook_subscription_find(struct webhooks *webhooks,
						       const char *name_id)
{
	struct webhook_subscription *subscription;

	TAILQ_FOREACH (subscription, &webhooks->list, link) {
		if (!subscription->has_ended &&
		    strcmp(subscription->row.name_id, name_id) == 0)
			return subscription;
	}
	return NULL;
}

/* A clock that is wrong ends nothing. */
bool webhook_subscription_is_expired(const struct webhook_subscription *subscription)
{
	return !subscription->has_ended && !webhook_post_clock_flaw() &&
	       clock_wall_ms() >= subscription->row.expires_ms;
}

bool webhook_subscription_is_live(const struct webhook_subscription *subscription)
{
	return !subscription->has_ended && !webhook_subscription_is_expired(subscription);
}

static int64_t webhook_subscription_watermark(
	const struct webhook_subscription *subscription)
{
	return subscription->body.length && subscription->feed_id
		       ? subscription->feed_id - 1
		       : subscription->row.scanned;
}

void webhook_subscription_view(const struct webhook_subscription *subscription,
			       struct webhook_view *view_out)
{
	int64_t now_ms = clock_boot_ms();

	*view_out = (struct webhook_view){
		.row = &subscription->row,
		.watermark = webhook_subscription_watermark(subscription),
		.is_delivering = subscription->body.length,
		.retry_ms = subscription->body.length && subscription->due_ms > now_ms
				    ? subscription->due_ms - now_ms
				    : 0,
		.is_throttled =
			subscription->is_throttled && subscription->due_ms > now_ms,
	};
}

void webhook_subscription_save(struct webhook_subscription *subscription)
{
	struct webhooks *all = subscription->all;
	const struct store_webhook_delivery delivery = {
		.feed_id = subscription->feed_id,
		.message_id = subscription->message_id,
		.body = subscription->body.length ? subscription->body.data : NULL,
		.length = subscription->body.length,
		.attempts = subscription->attempts,
	};
	char more[LOG_PACE_TEXT_BYTES];
	int error;

	if (subscription->has_ended)
		return;
	error = store_webhook_advance(all->parts.store, &subscription->row, &delivery);
	if (!error)
		subscription->saved = subscription->row.scanned;
	else if (log_pace_passes(&all->pace, more))
		log_warning("webhook: %s: the store did not record its progress; after a "
			    "restart deliveries are repeated%s",
			    subscription->row.name_id, more);
}

/* ---- the next delivery */

struct webhook_subscription_scan {
	struct webhook_subscription *subscription;
	struct client client;
	unsigned visited;
	bool is_forbidden;
	bool has_gap;
};

static bool webhook_subscription_visit(void *data, const struct feed_entry *entry)
{
	struct webhook_subscription_scan *scan = data;
	struct webhook_subscription *subscription = scan->subscription;
	const struct webhook_source *source = subscription->all->parts.source;

	scan->visited++;
	/* IDs have no holes: whatever is missing was removed before it was read. */
	if (entry->id > subscription->row.scanned + 1) {
		scan->has_gap = true;
		subscription->row.scanned = entry->id - 1;
		return false;
	}
	switch (source->write(source->data, &scan->client, subscription->row.event,
			      subscription->arguments, entry, &subscription->body,
			      subscription->message_id)) {
	case WEBHOOK_PASSES:
		subscription->feed_id = entry->id;
		break;
	case WEBHOOK_FORBIDDEN:
		scan->is_forbidden = true;
		return false;
	case WEBHOOK_DIFFERS:
		break;
	}
	if (subscription->body.failed) { /* out of memory: read it again later */
		buffer_deinit(&subscription->body);
		return false;
	}
	subscription->row.scanned = entry->id;
	return subscription->body.length == 0;
}

static void webhook_subscription_begin_delivery(struct webhook_subscription *subscription)
{
	subscription->attempts = 0;
	subscription->due_ms = 0;
	subscription->is_throttled = false;
}

/* Returns false if there are no random numbers, or memory runs out. */
static bool webhook_subscription_add_control(struct webhook_subscription *subscription,
					     const char *type)
{
	char random[CONTROL_DIGITS];

	if (!crypto_make_random(random, sizeof(random)) || subscription->body.failed) {
		buffer_deinit(&subscription->body);
		return false;
	}
	snprintf(subscription->message_id, sizeof(subscription->message_id), "msg_%s_%s",
		 type, random);
	subscription->feed_id = 0;
	webhook_subscription_begin_delivery(subscription);
	return true;
}

static void webhook_subscription_add_gap(struct webhook_subscription *subscription)
{
	const struct webhook_source *source = subscription->all->parts.source;

	source->write_gap(source->data, subscription->row.scanned, &subscription->body);
	if (webhook_subscription_add_control(subscription, "gap"))
		log_warning(
			"webhook: %s: events were deleted before they could be delivered",
			subscription->row.name_id);
}

/* Was the store replaced, so that the entries that it counted are not these? */
static bool webhook_subscription_is_foreign(struct webhook_subscription *subscription)
{
	const struct webhooks *all = subscription->all;
	int64_t first, head;

	if (subscription->row.epoch == all->epoch)
		return false;
	if (store_feed_bounds(all->parts.store, &first, &head))
		return true; /* and try again later */
	subscription->row.epoch = all->epoch;
	subscription->row.scanned = first - 1;
	webhook_subscription_add_gap(subscription);
	return true;
}

bool webhook_subscription_fill(struct webhook_subscription *subscription)
{
	struct webhook_subscription_scan scan = { .subscription = subscription };
	struct store *store = subscription->all->parts.store;

	if (subscription->has_ended || subscription->body.length)
		return false;
	if (!store_client_find_id(store, subscription->row.client_id, &scan.client)) {
		webhook_subscription_end(subscription, "client_revoked", "revoked");
		return false;
	}
	if (webhook_subscription_is_foreign(subscription)) {
		webhook_subscription_save(subscription);
		return false;
	}
	store_feed_read(store, subscription->row.scanned, SCAN_MAX,
			webhook_subscription_visit, &scan);
	if (scan.is_forbidden) {
		webhook_subscription_end(subscription, "scope_lost", "scope");
		return false;
	}
	if (scan.has_gap)
		webhook_subscription_add_gap(subscription);
	else if (subscription->body.length)
		webhook_subscription_begin_delivery(subscription);
	if (subscription->body.length ||
	    subscription->row.scanned >= subscription->saved + SAVE_EVERY)
		webhook_subscription_save(subscription);
	return !subscription->body.length && scan.visited == SCAN_MAX;
}

int webhook_subscription_end(struct webhook_subscription *subscription,
			     const char *audit_reason, const char *reason)
{
	const struct webhooks *all = subscription->all;
	char client[CLIENT_NAME_BYTES] = "";
	int error;

	store_client_name(all->parts.store, subscription->row.client_id, client);
	error = store_webhook_remove(all->parts.store, &subscription->row, client,
				     audit_reason);
	if (error && error != STORE_E_NOT_FOUND) /* removed with its client */
		return error;
	log_info("webhook: %s: ended (%s)", subscription->row.name_id, audit_reason);
	if (!reason) {
		webhook_subscription_free(subscription);
		return 0;
	}
	webhook_post_cancel(&subscription->post);
	buffer_clear(&subscription->body);
	all->parts.source->write_terminated(all->parts.source->data, reason,
					    &subscription->body);
	subscription->has_ended = true;
	webhook_subscription_add_control(subscription, "terminated");
	webhook_subscription_wake(
		subscription->all); /* without a body it is freed there */
	return 0;
}
