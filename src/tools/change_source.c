/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events change which resource:
 *
 *   a message is stored      sms://inbox (no service texts, and not from blocked senders),
 *                            its message and conversation
 *   a message's state        its message and conversation, and the conversation that it
 *                            leaves for a new recipient; sms://status unless it is
 *                            `submitted` and the queue is as long as before
 *   a call or an alert       calls://recent, sms://alerts
 *   a balance, offline gap   sms://status
 *   a SIM                    sms://subscriptions or sms://voicemail, and sms://status
 *   a modem, oFono, policy,  sms://status
 *   a pairing request
 *
 * What is stored comes from the feed (store/store_feed.h): it is notified once it is on disk. The
 * rest comes from SIMs, oFono, the policy, and edits that change no state.
 *
 * Each event first counts as a change, which is the cursor of get_gateway_status.
 */
#include "tools/change_source.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "mcp/resource.h"
#include "sms/sender.h"
#include "store/store_party.h"
#include "tools/message_view.h"
#include "tools/sim_view.h"

enum {
	CHANGE_SOURCE_ARENA_BYTES = 1024 * 1024, /* for numbers and names */
	CHANGE_SOURCE_BATCH = 64,		 /* entries of the feed */
};

/* Returns whether anybody listens. */
static bool change_source_add(struct change_source *source)
{
	source->count++;
	return !TAILQ_EMPTY(&source->observers.list);
}

static void change_source_notify(struct change_source *source, const char *subject)
{
	struct resource_change change = { CHANGE_RESOURCE, subject };

	observers_notify(&source->observers, &change);
}

/* Spells the number as resource_message.c does. */
static void change_source_notify_conversation(struct change_source *source,
					      const char *number)
{
	struct arena *arena = arena_new(CHANGE_SOURCE_ARENA_BYTES);
	char form[NUMBER_FORM_BYTES];
	bool is_number = store_party_write(source->services->store, number, form);
	const char *subject = arena ? arena_printf(arena, "sms://conversation/%s",
						   is_number ? form : number)
				    : NULL;

	if (subject)
		change_source_notify(source, subject);
	arena_free(arena);
}

static void change_source_notify_message(struct change_source *source, int64_t message_id)
{
	char subject[48];

	snprintf(subject, sizeof(subject), "sms://message/%lld", (long long)message_id);
	change_source_notify(source, subject);
}

static bool change_source_is_service(const struct change_source *source,
				     int64_t message_id)
{
	struct message message;
	struct arena *arena;
	bool is_service = message_view_read(source->services->store, message_id, &arena,
					    &message) == 0 &&
			  message.flags & MESSAGE_SERVICE;

	arena_free(arena);
	return is_service;
}

/* A blocked sender's conversation is still reported: its listener asked for that sender. */
static void change_source_notify_arrival(struct change_source *source,
					 const struct feed_entry *entry)
{
	const struct services *services = source->services;
	const struct store_party_address end = { entry->sim_id, entry->phone_number };

	if (!sender_is_blocked(services->config, services->store, &end) &&
	    !change_source_is_service(source, entry->subject_id))
		change_source_notify(source, "sms://inbox");
	change_source_notify_message(source, entry->subject_id);
	change_source_notify_conversation(source, entry->phone_number);
}

/*
 * Of what becomes of a message, only that oFono has it changes nothing that a reader of the
 * status shows: the console reads all messages again when the status changes.
 */
static bool change_source_affects_status(struct change_source *source,
					 const struct feed_entry *entry)
{
	unsigned waiting = outbox_waiting(source->services->outbox);
	bool differs = waiting != source->waiting;

	source->waiting = waiting;
	return differs || entry->state != STATE_SUBMITTED;
}

static void change_source_notify_entry(struct change_source *source,
				       const struct feed_entry *entry)
{
	switch (entry->type) {
	case FEED_SMS_RECEIVED:
		change_source_notify_arrival(source, entry);
		break;
	case FEED_SMS_READ:
		change_source_notify(source, "sms://inbox");
		change_source_notify_message(source, entry->subject_id);
		change_source_notify_conversation(source, entry->phone_number);
		break;
	case FEED_SMS_STATUS:
		change_source_notify_message(source, entry->subject_id);
		change_source_notify_conversation(source, entry->phone_number);
		if (change_source_affects_status(source, entry))
			change_source_notify(source, "sms://status");
		break;
	case FEED_CALL:
		change_source_notify(source, "calls://recent");
		break;
	case FEED_ALERT:
		change_source_notify(source, "sms://alerts");
		break;
	case FEED_BALANCE:
	case FEED_OFFLINE_GAP:
		change_source_notify(source, "sms://status");
		break;
	case FEED_APPROVAL_REQUESTED: /* beside the status of the message */
	case FEED_APPROVAL_DECIDED:
	case FEED_SIM_STATE: /* the SIMs themselves are observed */
	case FEED_SMS_COMMAND:
		break;
	}
}

/* Entries are copied before anybody is notified, because a listener may write. */
struct change_source_batch {
	struct arena *arena;
	struct feed_entry entries[CHANGE_SOURCE_BATCH];
	unsigned count;
};

static bool change_source_take(void *data, const struct feed_entry *entry)
{
	struct change_source_batch *batch = data;
	struct feed_entry *copy = &batch->entries[batch->count];

	*copy = *entry;
	copy->detail = "";
	copy->phone_number = arena_copy(batch->arena, entry->phone_number,
					strlen(entry->phone_number));
	batch->count += copy->phone_number != NULL;
	return copy->phone_number;
}

/* Returns whether there was a full batch. */
static bool change_source_notify_batch(struct change_source *source)
{
	struct change_source_batch batch = { .arena = arena_new(
						     CHANGE_SOURCE_ARENA_BYTES) };

	if (batch.arena)
		store_feed_read(source->services->store, source->after_id,
				CHANGE_SOURCE_BATCH, change_source_take, &batch);
	for (unsigned i = 0; i < batch.count; i++) {
		source->after_id = batch.entries[i].id;
		source->count++;
		change_source_notify_entry(source, &batch.entries[i]);
	}
	arena_free(batch.arena);
	return batch.count == CHANGE_SOURCE_BATCH;
}

static void change_source_on_feed(void *data, const void *event)
{
	struct change_source *source = data;
	int64_t head = *(const int64_t *)event;

	if (TAILQ_EMPTY(&source->observers.list)) {
		source->count += head - source->after_id;
		source->after_id = head;
		return;
	}
	while (change_source_notify_batch(source))
		;
}

/* An edited message that waits keeps its state, so the feed does not show it. */
static void change_source_on_outbox(void *data, const void *event_data)
{
	const struct outbox_event *event = event_data;
	struct change_source *source = data;
	struct message message;
	struct arena *arena;

	if (!event->edited || !change_source_add(source))
		return;
	change_source_notify_message(source, event->message_id);
	if (message_view_read(source->services->store, event->message_id, &arena,
			      &message) == 0)
		change_source_notify_conversation(source, message.number);
	arena_free(arena);
	if (event->former_number)
		change_source_notify_conversation(source, event->former_number);
	change_source_notify(source, "sms://status");
}

static void change_source_on_sims(void *data, const void *event_data)
{
	const struct sims_event *event = event_data;

	if (event->type == SIMS_STATE || !change_source_add(data))
		return;
	change_source_notify(data, event->type == SIMS_VOICEMAIL ? "sms://voicemail"
								 : "sms://subscriptions");
	change_source_notify(data, "sms://status");
}

void change_source_report_status(struct change_source *source)
{
	if (source && change_source_add(source))
		change_source_notify(source, "sms://status");
}

static void change_source_on_ofono(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;
	struct change_source *source = data;
	bool differs = false;
	uint64_t modems;

	switch (event->type) {
	case OFONO_CONDITION: /* also reports that oFono came or went */
	case OFONO_CHANGED:
		differs = true;
		break;
	case MODEM_ADDED:
	case MODEM_CHANGED:
	case MODEM_REMOVED:
		modems = sim_view_modem_checksum(source->services);
		differs = modems != source->modems;
		source->modems = modems;
		break;
	default:
		break;
	}
	if (differs)
		change_source_report_status(source);
}

static void change_source_on_policy(void *data, const void *event_data)
{
	change_source_report_status(data);
}

void change_source_init(struct change_source *source, const struct services *services)
{
	*source = (struct change_source){
		.services = services,
		.count = clock_wall_ms(),
		.modems = sim_view_modem_checksum(services),
		.waiting = outbox_waiting(services->outbox),
		.after_id = services->feed->head,
	};
	observers_init(&source->observers);
	observer_add(&services->feed->observers, &source->feed, change_source_on_feed,
		     source);
	observer_add(outbox_observers(services->outbox), &source->outbox,
		     change_source_on_outbox, source);
	observer_add(sims_observers(services->sims), &source->sims, change_source_on_sims,
		     source);
	observer_add(ofono_observers(services->ofono), &source->ofono,
		     change_source_on_ofono, source);
	observer_add(policy_observers(services->policy), &source->policy,
		     change_source_on_policy, source);
}

void change_source_deinit(struct change_source *source)
{
	if (!source->services)
		return;
	observer_remove(&source->feed);
	observer_remove(&source->outbox);
	observer_remove(&source->sims);
	observer_remove(&source->ofono);
	observer_remove(&source->policy);
	observers_deinit(&source->observers);
	source->services = NULL;
}

int64_t change_source_count(const struct change_source *source)
{
	return source ? source->count : 0;
}
