/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Subscribing:
 *
 *   order --checks--> known key? refresh --------------------------> stored, answered
 *                  \-> this client verified this URL before? --------^
 *                  \-> challenge --2xx and the same challenge--------^
 *
 * The challenge proves that whoever answers at the URL wants these events, so nobody can have a
 * stranger's server flooded. Nothing is stored before it is answered. A client that leaves
 * meanwhile cancels it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_reader.h"
#include "config/config.h"
#include "store/store_client.h"
#include "webhook/webhook_private.h"

enum {
	CHALLENGE_BYTES = 33,
	MESSAGE_ID_DIGITS = 25,
	ANSWER_ARENA_BYTES = 64 * 1024,
	GRACE_MS = 60 * 60 * 1000, /* a replaced secret signs along */
	VERIFIED_MS = 24 * 60 * 60 * 1000,
};

/* An order in hand: checked, and perhaps waiting for its challenge. */
struct webhook_subscribe_attempt {
	struct webhooks *all;
	TAILQ_ENTRY(webhook_subscribe_attempt) link;
	struct client client;
	struct arena *arena;
	struct store_webhook_row row; /* as it will be stored; strings in the arena */
	char name_id[WEBHOOK_ID_BYTES];
	char origin[WEBHOOK_ORIGIN_BYTES];
	struct webhook_secret secret;
	int64_t ttl_ms;
	bool truncated;
	char challenge[CHALLENGE_BYTES];
	char message_id[WEBHOOK_MESSAGE_ID_BYTES];
	struct buffer body;
	struct webhook_post post;
	void (*done)(void *data, const struct webhook_answer *answer);
	void *data;
};

void webhook_subscribe_cancel(struct webhook_subscribe_attempt *attempt)
{
	webhook_post_cancel(&attempt->post);
	TAILQ_REMOVE(&attempt->all->attempts, attempt, link);
	buffer_deinit(&attempt->body);
	arena_free(attempt->arena);
	explicit_bzero(attempt, sizeof(*attempt));
	free(attempt);
}

void webhook_subscribe_cancel_all(struct webhooks *webhooks)
{
	while (!TAILQ_EMPTY(&webhooks->attempts))
		webhook_subscribe_cancel(TAILQ_FIRST(&webhooks->attempts));
}

/* ---- which URLs a client has verified */

static struct webhook_verified *webhook_subscribe_find(struct webhooks *webhooks,
						       int64_t client_id,
						       const char *digest)
{
	for (size_t at = 0; at < WEBHOOK_VERIFIED_MAX; at++) {
		struct webhook_verified *verified = &webhooks->verified[at];

		if (verified->client_id == client_id &&
		    strcmp(verified->url_digest, digest) == 0)
			return verified;
	}
	return NULL;
}

/* Is it known by a challenge of the last day, or one before a subscription that still exists? */
static bool webhook_subscribe_is_known(const struct webhook_subscribe_attempt *attempt)
{
	const struct webhook_verified *verified;
	struct webhook_subscription *other;
	char digest[MAC_DIGEST_BYTES];

	TAILQ_FOREACH (other, &attempt->all->list, link) {
		if (webhook_subscription_is_live(other) &&
		    other->row.client_id == attempt->client.id &&
		    strcmp(other->row.url, attempt->row.url) == 0)
			return true;
	}
	if (!crypto_digest(attempt->row.url, strlen(attempt->row.url), digest))
		return false;
	verified = webhook_subscribe_find(attempt->all, attempt->client.id, digest);
	return verified && clock_boot_ms() < verified->until_ms;
}

static void webhook_subscribe_remember(struct webhook_subscribe_attempt *attempt)
{
	struct webhooks *all = attempt->all;
	struct webhook_verified *verified;
	char digest[MAC_DIGEST_BYTES];

	if (!crypto_digest(attempt->row.url, strlen(attempt->row.url), digest))
		return;
	verified = webhook_subscribe_find(all, attempt->client.id, digest);
	if (!verified)
		verified = &all->verified[all->next_verified++ % WEBHOOK_VERIFIED_MAX];
	verified->client_id = attempt->client.id;
	verified->until_ms = clock_boot_ms() + VERIFIED_MS;
	memcpy(verified->url_digest, digest, sizeof(digest));
}

/* ---- storing */

/* In a refresh the secret that it replaces signs along for a while. */
static void webhook_subscribe_take_over(struct webhook_subscribe_attempt *attempt,
					struct webhook_subscription *subscription)
{
	struct webhook_secret *secret = &attempt->secret;
	struct store_webhook_row *row = &subscription->row;

	if (secret->length != subscription->secret.length ||
	    memcmp(secret->bytes, subscription->secret.bytes, secret->length) != 0) {
		subscription->old_secret = subscription->secret;
		subscription->secret = *secret;
		row->old_until_ms = clock_wall_ms() + GRACE_MS;
		row->secret_length = subscription->secret.length;
		row->old_secret_length = subscription->old_secret.length;
	}
	row->refreshed_ms = attempt->row.refreshed_ms;
	/* A clock that is wrong ends nothing, not even when it is right again. */
	if (!webhook_post_clock_flaw() || attempt->row.expires_ms > row->expires_ms)
		row->expires_ms = attempt->row.expires_ms;
}

static int webhook_subscribe_refresh(struct webhook_subscribe_attempt *attempt,
				     struct webhook_subscription *subscription)
{
	const struct webhook_subscription before = *subscription;
	int error;

	webhook_subscribe_take_over(attempt, subscription);
	subscription->row.suspended_ms = 0;
	error = store_webhook_put(attempt->all->parts.store, &subscription->row,
				  attempt->client.name);
	if (error) { /* as it was */
		subscription->secret = before.secret;
		subscription->old_secret = before.old_secret;
		subscription->row = before.row;
		return error;
	}
	subscription->attempts = 0;
	if (!subscription->is_throttled)
		subscription->due_ms = 0;
	return 0;
}

static int webhook_subscribe_add(struct webhook_subscribe_attempt *attempt,
				 struct webhook_subscription **subscription_out)
{
	struct webhook_subscription *subscription =
		webhook_subscription_new(attempt->all, &attempt->row);
	int error;

	if (!subscription)
		return -ENOMEM;
	error = store_webhook_put(attempt->all->parts.store, &subscription->row,
				  attempt->client.name);
	if (error) {
		webhook_subscription_free(subscription);
		return error;
	}
	log_info("webhook: %s: %s sends %s to %s", subscription->row.name_id,
		 attempt->client.name, subscription->row.event, subscription->row.origin);
	*subscription_out = subscription;
	return 0;
}

static void webhook_subscribe_store(struct webhook_subscribe_attempt *attempt,
				    struct webhook_answer *answer)
{
	struct webhook_subscription *subscription =
		webhook_subscription_find(attempt->all, attempt->name_id);
	int64_t now_ms = clock_wall_ms();
	int error;

	attempt->row.refreshed_ms = now_ms;
	attempt->row.expires_ms = now_ms + attempt->ttl_ms;
	answer->is_refresh = subscription;
	answer->truncated = !subscription && attempt->truncated;
	error = subscription ? webhook_subscribe_refresh(attempt, subscription)
			     : webhook_subscribe_add(attempt, &subscription);
	answer->outcome = error ? WEBHOOK_BROKEN : WEBHOOK_DONE;
	if (error)
		return;
	webhook_subscription_view(subscription, &answer->view);
	webhook_subscription_wake(attempt->all);
}

/* ---- the challenge */

/* Does the answer repeat the challenge? */
static bool webhook_subscribe_is_answered(const struct webhook_subscribe_attempt *attempt,
					  const struct buffer *answer)
{
	struct arena *arena = arena_new(ANSWER_ARENA_BYTES);
	const struct json *root = NULL;
	const char *challenge = NULL;
	bool is_answered;

	if (arena && answer->length && !answer->failed &&
	    !json_reader_read(arena, answer->data, answer->length, &root))
		challenge = json_string(json_member(root, "challenge"));
	is_answered = challenge && crypto_texts_equal(attempt->challenge, challenge);
	arena_free(arena);
	return is_answered;
}

/* The receiver decides how long its answer takes, and the owner may decide otherwise meanwhile. */
static bool webhook_subscribe_is_allowed(struct webhook_subscribe_attempt *attempt)
{
	const char *text = attempt->row.arguments;
	const struct json *arguments = NULL;

	return !json_reader_read(attempt->arena, text, strlen(text), &arguments) &&
	       webhook_consent_is_given(attempt->all, &attempt->row, arguments);
}

/* A connection that failed has a word of its own. */
static void webhook_subscribe_on_answer(void *data,
					const struct webhook_post_result *result)
{
	struct webhook_subscribe_attempt *attempt = data;
	struct webhook_answer answer = { .outcome = WEBHOOK_UNVERIFIED };
	struct client client;

	if (!result->status)
		answer.text = result->error;
	else if (*result->error ||
		 !webhook_subscribe_is_answered(attempt, result->answer))
		answer.text = "challenge_failed";
	else if (!store_client_find_id(attempt->all->parts.store, attempt->client.id,
				       &client))
		answer.outcome = WEBHOOK_ANONYMOUS; /* revoked meanwhile */
	else if (!webhook_subscribe_is_allowed(attempt)) {
		answer.outcome = WEBHOOK_NOT_APPROVED;
		answer.text = "approval_required";
	} else {
		webhook_subscribe_remember(attempt);
		webhook_subscribe_store(attempt, &answer);
	}
	if (answer.text)
		log_info("webhook: %s: %s was not verified: %s", attempt->client.name,
			 attempt->origin, result->status ? answer.text : result->reason);
	attempt->done(attempt->data, &answer);
	webhook_subscribe_cancel(attempt);
}

static int webhook_subscribe_challenge(struct webhook_subscribe_attempt *attempt)
{
	struct json_writer *writer = json_writer_new(&attempt->body);
	char random[MESSAGE_ID_DIGITS];
	struct webhook_post_order order = {
		.url = attempt->row.url,
		.message_id = attempt->message_id,
		.subscription_id = attempt->name_id,
		.secrets = { attempt->secret },
	};

	if (!writer || !crypto_make_random(attempt->challenge, CHALLENGE_BYTES) ||
	    !crypto_make_random(random, sizeof(random))) {
		json_writer_free(writer);
		return -ENOMEM;
	}
	snprintf(attempt->message_id, sizeof(attempt->message_id), "msg_verification_%s",
		 random);
	json_open_object(writer);
	json_put_string(writer, "type", "verification");
	json_put_string(writer, "challenge", attempt->challenge);
	json_close_object(writer);
	json_writer_free(writer);
	if (attempt->body.failed)
		return -ENOMEM;
	order.body = attempt->body.data;
	order.length = attempt->body.length;
	return webhook_post_start(&attempt->post, &attempt->all->parts, &order,
				  webhook_subscribe_on_answer, attempt);
}

/* ---- checks */

struct webhook_subscribe_use {
	unsigned of_client, all;
};

static struct webhook_subscribe_use webhook_subscribe_count(
	const struct webhook_subscribe_attempt *self)
{
	struct webhook_subscribe_use use = { 0 };
	const struct webhook_subscription *other;
	const struct webhook_subscribe_attempt *attempt;

	TAILQ_FOREACH (other, &self->all->list, link) {
		bool is_live = webhook_subscription_is_live(other);

		use.all += is_live || other->has_ended; /* a farewell is under way */
		use.of_client += is_live && other->row.client_id == self->client.id;
	}
	TAILQ_FOREACH (attempt, &self->all->attempts, link) {
		use.all += attempt != self;
		use.of_client += attempt != self && attempt->client.id == self->client.id;
	}
	return use;
}

/* Returns false if a limit is reached. */
static bool webhook_subscribe_has_room(const struct webhook_subscribe_attempt *attempt,
				       struct webhook_answer *answer)
{
	struct webhook_subscribe_use use = webhook_subscribe_count(attempt);

	if (use.of_client < WEBHOOK_PER_CLIENT_MAX && use.all < WEBHOOK_ALL_MAX)
		return true;
	answer->outcome = WEBHOOK_TOO_MANY;
	answer->text =
		use.all < WEBHOOK_ALL_MAX ? "subscriptions_per_client" : "subscriptions";
	answer->most =
		use.all < WEBHOOK_ALL_MAX ? WEBHOOK_PER_CLIENT_MAX : WEBHOOK_ALL_MAX;
	return false;
}

/* Returns true if URL, secret and client can be used, and the owner agreed. */
static bool webhook_subscribe_check(struct webhook_subscribe_attempt *attempt,
				    const struct webhook_order *order,
				    struct webhook_answer *answer)
{
	const struct config *config = attempt->all->parts.config;
	struct webhook_url url;
	const char *word;

	answer->text = webhook_url_parse(order->url, &url);
	if (!answer->text && !url.is_https &&
	    !webhook_url_is_listed(&url, &config->event_receivers))
		answer->text = "must begin with https://";
	answer->outcome = answer->text ? WEBHOOK_BAD_URL : WEBHOOK_DONE;
	if (answer->text)
		return false;
	if (!webhook_signature_read_secret(order->secret, &attempt->secret)) {
		answer->outcome = WEBHOOK_BAD_SECRET;
		return false;
	}
	if (order->client->id <= 0) {
		answer->outcome = WEBHOOK_ANONYMOUS;
		return false;
	}
	webhook_url_write_origin(&url, attempt->origin);
	word = webhook_consent_demand(attempt->all, order, attempt->origin);
	if (word) {
		answer->outcome = *word ? WEBHOOK_NOT_APPROVED : WEBHOOK_BROKEN;
		answer->text = word;
		return false;
	}
	return true;
}

static int64_t webhook_subscribe_ttl(int64_t wanted_ms)
{
	if (!wanted_ms || wanted_ms > WEBHOOK_TTL_MOST_MS)
		return WEBHOOK_TTL_MOST_MS;
	return wanted_ms < WEBHOOK_TTL_LEAST_MS ? WEBHOOK_TTL_LEAST_MS : wanted_ms;
}

/* Writes the canonical arguments; NULL if memory runs out. */
static char *webhook_subscribe_write_arguments(struct arena *arena,
					       const struct json *arguments)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);
	char *copy;

	if (!writer)
		return NULL;
	json_write_canonical(writer, arguments);
	json_writer_free(writer);
	copy = text.failed ? NULL : arena_copy(arena, text.data, text.length);
	buffer_deinit(&text);
	return copy;
}

/* Returns false if memory runs out. */
static bool webhook_subscribe_fill(struct webhook_subscribe_attempt *attempt,
				   const struct webhook_order *order)
{
	struct arena *arena = attempt->arena;

	attempt->client = *order->client;
	attempt->ttl_ms = webhook_subscribe_ttl(order->ttl_ms);
	attempt->truncated = order->truncated;
	attempt->row = (struct store_webhook_row){
		.client_id = order->client->id,
		.name_id = attempt->name_id,
		.url = arena_copy(arena, order->url, strlen(order->url)),
		.origin = attempt->origin,
		.event = arena_copy(arena, order->event, strlen(order->event)),
		.arguments = webhook_subscribe_write_arguments(arena, order->arguments),
		.secret = attempt->secret.bytes,
		.secret_length = attempt->secret.length,
		.old_secret = "",
		.created_ms = clock_wall_ms(),
		.scanned = order->after,
		.epoch = attempt->all->epoch,
		.error = "",
	};
	return !arena_failed(arena) && attempt->row.arguments &&
	       webhook_signature_write_id(order->client->id, order->url, order->event,
					  attempt->row.arguments, attempt->name_id);
}

static struct webhook_subscribe_attempt *webhook_subscribe_new(struct webhooks *webhooks)
{
	struct webhook_subscribe_attempt *attempt = calloc(1, sizeof(*attempt));

	if (!attempt)
		return NULL;
	attempt->all = webhooks;
	attempt->arena = arena_new(ANSWER_ARENA_BYTES);
	TAILQ_INSERT_TAIL(&webhooks->attempts, attempt, link);
	return attempt;
}

/* Returns the subscription with this key that is not over; NULL if there is none. */
static struct webhook_subscription *webhook_subscribe_live(struct webhooks *webhooks,
							   const char *name_id)
{
	struct webhook_subscription *subscription =
		webhook_subscription_find(webhooks, name_id);

	if (!subscription || !webhook_subscription_is_expired(subscription))
		return subscription;
	return webhook_subscription_end(subscription, "expired", NULL) ? subscription
								       : NULL;
}

/* Returns true if the answer will follow. */
static bool webhook_subscribe_begin(struct webhook_subscribe_attempt *attempt,
				    const struct webhook_order *order,
				    struct webhook_answer *answer)
{
	const struct webhook_subscription *live;

	if (!attempt->arena || !webhook_subscribe_check(attempt, order, answer))
		return false;
	answer->outcome = WEBHOOK_BROKEN;
	if (!webhook_subscribe_fill(attempt, order))
		return false;
	live = webhook_subscribe_live(attempt->all, attempt->name_id);
	if (!live && !webhook_subscribe_has_room(attempt, answer))
		return false;
	if (!live && webhook_post_clock_flaw()) {
		answer->outcome = WEBHOOK_CLOCK_WRONG;
		answer->text = webhook_post_clock_flaw();
		return false;
	}
	if (live || webhook_subscribe_is_known(attempt)) {
		webhook_subscribe_store(attempt, answer);
		return false;
	}
	return webhook_subscribe_challenge(attempt) == 0;
}

void webhook_subscribe(struct webhooks *webhooks, const struct webhook_order *order,
		       void (*done)(void *data, const struct webhook_answer *answer),
		       void *data, struct webhook_answer *answer_out,
		       struct webhook_subscribe_attempt **attempt_out)
{
	struct webhook_subscribe_attempt *attempt = webhook_subscribe_new(webhooks);

	*answer_out = (struct webhook_answer){ .outcome = WEBHOOK_BROKEN };
	if (!attempt)
		return;
	attempt->done = done;
	attempt->data = data;
	if (webhook_subscribe_begin(attempt, order, answer_out)) {
		answer_out->outcome = WEBHOOK_PENDING;
		*attempt_out = attempt;
	} else {
		webhook_subscribe_cancel(attempt);
	}
}

enum webhook_outcome webhook_subscribe_end(struct webhooks *webhooks,
					   const struct webhook_order *order)
{
	struct arena *arena = arena_new(ANSWER_ARENA_BYTES);
	const char *arguments =
		arena ? webhook_subscribe_write_arguments(arena, order->arguments) : NULL;
	struct webhook_subscription *subscription;
	char name_id[WEBHOOK_ID_BYTES];
	bool is_named =
		arguments && webhook_signature_write_id(order->client->id, order->url,
							order->event, arguments, name_id);

	arena_free(arena);
	if (!is_named)
		return WEBHOOK_BROKEN;
	subscription = webhook_subscribe_live(webhooks, name_id);
	if (!subscription)
		return WEBHOOK_UNKNOWN;
	return webhook_subscription_end(subscription, "unsubscribed", NULL)
		       ? WEBHOOK_BROKEN
		       : WEBHOOK_DONE;
}
