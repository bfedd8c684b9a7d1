/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the owner lets a client send events to a server: named beforehand in [events]
 * receivers, or approved once (ofono-mcp approve). A consent is for a client, a server, a
 * type of event, a filter and text or not; a wider one covers a narrower one.
 */
#include <string.h>

#include "base/clock.h"
#include "config/config.h"
#include "store/store.h"
#include "webhook/webhook_private.h"

#define WEBHOOK_CONSENT_NO_FILTER "{}"
#define WEBHOOK_CONSENT_TEXT	  "include_text"

enum { MS_PER_HOUR = 60 * 60 * 1000 };

/*
 * Returns the next member after `name` (the first if NULL) in the order of names, without
 * include_text.
 */
static const struct json *webhook_consent_next(const struct json *arguments,
					       const char *name)
{
	const struct json *next = NULL;

	json_foreach (member, arguments) {
		if (strcmp(member->name, WEBHOOK_CONSENT_TEXT) == 0 ||
		    (name && strcmp(member->name, name) <= 0))
			continue;
		if (!next || strcmp(member->name, next->name) < 0)
			next = member;
	}
	return next;
}

/*
 * Writes the arguments as canonical JSON with a NUL, without include_text, whose value is
 * returned.
 */
static bool webhook_consent_read(const struct json *arguments, struct buffer *filter)
{
	const struct json *with_text = json_member(arguments, WEBHOOK_CONSENT_TEXT);
	struct json_writer *writer = json_writer_new(filter);
	const struct json *member = NULL;

	if (!writer)
		return false;
	json_open_object(writer);
	while ((member = webhook_consent_next(arguments, member ? member->name : NULL))) {
		json_key(writer, member->name);
		json_write_canonical(writer, member);
	}
	json_close_object(writer);
	json_writer_free(writer);
	buffer_append(filter, "", 1);
	return with_text && with_text->type == JSON_BOOLEAN && with_text->boolean;
}

struct webhook_consent_search {
	const char *origin, *event, *filter;
	bool with_text;
	bool is_approved, is_rejected, is_waiting; /* results */
};

static void webhook_consent_visit(void *data, const struct store_webhook_consent *consent)
{
	struct webhook_consent_search *search = data;

	/* One that has no filter covers any, and one with the text, subscriptions without it. */
	if (strcmp(consent->origin, search->origin) != 0 ||
	    strcmp(consent->event, search->event) != 0 ||
	    (search->with_text && !consent->with_text) ||
	    (strcmp(consent->filter, WEBHOOK_CONSENT_NO_FILTER) != 0 &&
	     strcmp(consent->filter, search->filter) != 0))
		return;
	switch (consent->state) {
	case WEBHOOK_CONSENT_WAITING:
		search->is_waiting = true;
		break;
	case WEBHOOK_CONSENT_APPROVED:
		search->is_approved = true;
		break;
	case WEBHOOK_CONSENT_REJECTED:
		search->is_rejected = true;
		break;
	}
}

static bool webhook_consent_is_listed(const struct webhooks *webhooks, const char *url)
{
	struct webhook_url parsed;

	return !webhook_url_parse(url, &parsed) &&
	       webhook_url_is_listed(&parsed, &webhooks->parts.config->event_receivers);
}

/* Plain http is for listed receivers alone, approved or not. */
static bool webhook_consent_is_secure(const char *url)
{
	struct webhook_url parsed;

	return !webhook_url_parse(url, &parsed) && parsed.is_https;
}

static bool webhook_consent_is_approved(struct webhooks *webhooks,
					const struct store_webhook_row *row,
					const struct json *arguments)
{
	struct webhook_consent_search search = { .origin = row->origin,
						 .event = row->event };
	struct buffer filter = BUFFER_INIT;

	search.with_text = webhook_consent_read(arguments, &filter);
	search.filter = filter.data;
	if (!filter.failed)
		store_webhook_consent_list(webhooks->parts.store, row->client_id,
					   webhook_consent_visit, &search);
	buffer_deinit(&filter);
	return search.is_approved;
}

bool webhook_consent_is_given(struct webhooks *webhooks,
			      const struct store_webhook_row *row,
			      const struct json *arguments)
{
	return webhook_consent_is_listed(webhooks, row->url) ||
	       (webhook_consent_is_secure(row->url) &&
		webhook_consent_is_approved(webhooks, row, arguments));
}

static const char *webhook_consent_ask(struct webhooks *webhooks,
				       const struct client *client,
				       const struct webhook_consent_search *wanted)
{
	int64_t now_ms = clock_wall_ms();
	struct store_webhook_consent consent = {
		.client_id = client->id,
		.origin = wanted->origin,
		.event = wanted->event,
		.filter = wanted->filter,
		.with_text = wanted->with_text,
		.asked_ms = now_ms,
		.until_ms = now_ms + webhooks->parts.config->approval_hours * MS_PER_HOUR,
	};
	int error = store_webhook_consent_ask(webhooks->parts.store, &consent);

	if (error == STORE_E_EXISTS)
		return "too_many_approvals";
	if (error)
		return "";
	log_info("webhook: %s wants to send %s to %s: waits for approval w%lld",
		 client->name, wanted->event, wanted->origin, (long long)consent.id);
	return "approval_required";
}

const char *webhook_consent_demand(struct webhooks *webhooks,
				   const struct webhook_order *order, const char *origin)
{
	struct webhook_consent_search search = { .origin = origin,
						 .event = order->event };
	struct buffer filter = BUFFER_INIT;
	const char *word = "";

	if (webhook_consent_is_listed(webhooks, order->url))
		return NULL;
	search.with_text = webhook_consent_read(order->arguments, &filter);
	search.filter = filter.data;
	if (filter.failed ||
	    store_webhook_consent_list(webhooks->parts.store, order->client->id,
				       webhook_consent_visit, &search))
		word = "";
	else if (search.is_approved)
		word = NULL;
	else if (search.is_rejected)
		word = "approval_rejected";
	else if (search.is_waiting)
		word = "approval_required";
	else
		word = webhook_consent_ask(webhooks, order->client, &search);
	buffer_deinit(&filter);
	return word;
}
