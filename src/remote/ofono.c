/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hub's implementation of ofono/ofono.h. There is nothing to wait for: the hub is available
 * as soon as its loop runs, and modems come and change as the phones report them.
 */
#include "remote/remote_private.h"

#include <errno.h>

static void ofono_report(struct ofono *ofono, enum ofono_event_type type)
{
	const struct ofono_event event = { .type = type };

	observers_notify(&ofono->observers, &event);
}

static struct remote_feed *ofono_find_feed(struct ofono *ofono,
					   const struct hub_phone *phone)
{
	struct remote_feed *feed;

	TAILQ_FOREACH (feed, &ofono->feeds, link) {
		if (feed->phone == phone)
			return feed;
	}
	return NULL;
}

static void ofono_on_phone(void *data, const void *event_data)
{
	const struct hub_phone_event *event = event_data;
	struct ofono *ofono = data;
	struct remote_feed *feed =
		event->phone ? ofono_find_feed(ofono, event->phone) : NULL;

	switch (event->type) {
	case HUB_PHONE_ADDED:
		remote_feed_new(ofono, event->phone);
		break;
	case HUB_PHONE_PRESENT:
		if (feed)
			remote_feed_wake(feed);
		break;
	case HUB_PHONE_ABSENT:
		if (feed)
			remote_modem_set_present(feed, false);
		break;
	case HUB_PHONE_REMOVED:
		remote_feed_free(feed);
		break;
	case HUB_PHONES_BROKER:
		if (ofono->has_started)
			ofono_report(ofono, OFONO_CONDITION);
		break;
	}
}

static int ofono_on_start(sd_event_source *source, void *data)
{
	struct ofono *ofono = data;

	ofono->start = sd_event_source_disable_unref(ofono->start);
	ofono->has_started = true;
	ofono_report(ofono, OFONO_BUS_KNOWN);
	ofono_report(ofono, OFONO_AVAILABLE);
	ofono_report(ofono, OFONO_CONDITION);
	return 0;
}

int ofono_open(const struct ofono_parts *parts, struct ofono **ofono_out)
{
	const struct hub_phones_parts hub = {
		.loop = parts->loop,
		.config = parts->config,
		.store = parts->store,
	};
	struct ofono *ofono = calloc(1, sizeof(*ofono));
	struct hub_phone *phone;
	int error;

	if (!ofono)
		return -ENOMEM;
	ofono->loop = parts->loop;
	ofono->store = parts->store;
	TAILQ_INIT(&ofono->modems);
	TAILQ_INIT(&ofono->feeds);
	observers_init(&ofono->observers);
	error = hub_phones_new(&hub, &ofono->phones);
	if (!error)
		error = sd_event_add_defer(parts->loop, &ofono->start, ofono_on_start,
					   ofono);
	if (error < 0) {
		ofono_free(ofono);
		return error;
	}
	observer_add(hub_phones_observers(ofono->phones), &ofono->phones_observer,
		     ofono_on_phone, ofono);
	TAILQ_FOREACH (phone, hub_phones_list(ofono->phones), link)
		remote_feed_new(ofono, phone);
	*ofono_out = ofono;
	return 0;
}

void ofono_free(struct ofono *ofono)
{
	struct remote_feed *feed;

	if (!ofono)
		return;
	observer_remove(&ofono->phones_observer);
	ofono->start = sd_event_source_disable_unref(ofono->start);
	while ((feed = TAILQ_FIRST(&ofono->feeds)))
		remote_feed_free(feed);
	hub_phones_free(ofono->phones);
	observers_deinit(&ofono->observers);
	free(ofono);
}

/* Each phone's owner has decided that; the hub's messages follow it. */
void ofono_use_delivery_reports(struct ofono *ofono)
{
}

/* Contacts on the cards of other people's phones stay there. */
void ofono_use_phonebooks(struct ofono *ofono, bool use)
{
}

void ofono_flush_pending(struct ofono *ofono)
{
}

struct observers *ofono_observers(struct ofono *ofono)
{
	return &ofono->observers;
}

uint64_t ofono_calls_sent(const struct ofono *ofono)
{
	return hub_phones_calls(ofono->phones);
}

bool ofono_has_bus(const struct ofono *ofono)
{
	return hub_phones_is_connected(ofono->phones);
}

bool ofono_is_available(const struct ofono *ofono)
{
	return ofono->has_started;
}

const char *ofono_owner(const struct ofono *ofono)
{
	return hub_phones_id(ofono->phones);
}

const char *ofono_condition(const struct ofono *ofono)
{
	return hub_phones_condition(ofono->phones);
}

void ofono_retry(struct ofono *ofono)
{
}

bool ofono_is_refused(const struct ofono *ofono)
{
	return false;
}

void ofono_retry_now(struct ofono *ofono)
{
}

bool ofono_may_be_allowed_soon(const struct ofono *ofono)
{
	return false;
}

bool ofono_is_settled(const struct ofono *ofono)
{
	return ofono->has_started;
}

const struct modem_list *ofono_modems(const struct ofono *ofono)
{
	return &ofono->modems;
}

const struct modem *ofono_default_modem(const struct ofono *ofono)
{
	return NULL;
}

bool ofono_is_complete(const struct ofono *ofono)
{
	return true;
}

/* The phones' gateways have repaired what their oFono damages. */
enum ofono_line ofono_line(const struct ofono *ofono)
{
	return OFONO_LINE_FORK;
}

/* A phone that cannot send them refuses the message, with its reason. */
bool ofono_sends_emoji(const struct ofono *ofono)
{
	return true;
}

bool ofono_sends_again_safely(const struct ofono *ofono)
{
	return true;
}
