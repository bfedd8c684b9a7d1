/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events change which resource:
 *
 *   a message is stored      sms://inbox (not from blocked senders), its message and
 *                            conversation
 *   a message's state        its message and conversation; sms://status if the queue or the
 *                            limits changed with it
 *   a call or an alert       calls://recent, sms://alerts
 *   a SIM                    sms://subscriptions or sms://voicemail, and sms://status
 *   a modem, oFono, policy   sms://status
 *
 * Each event first counts as a change, which is the cursor of get_gateway_status.
 */
#include "tools/change_source.h"

#include <stdio.h>

#include "base/clock.h"
#include "mcp/change.h"
#include "phone/dialler.h"
#include "sms/sender.h"
#include "store/store_party.h"
#include "tools/modem_view.h"

enum { CHANGE_SOURCE_ARENA_BYTES = 1024 * 1024 }; /* for one stored message */

/* Returns whether anybody listens. */
static bool change_source_add(struct change_source *source)
{
	source->count++;
	return !TAILQ_EMPTY(&source->observers.list);
}

static void change_source_notify(struct change_source *source, const char *subject)
{
	struct change change = { CHANGE_RESOURCE, subject };

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

/* For events without the number: it is read from the store. */
static void change_source_notify_stored_message(struct change_source *source,
						int64_t message_id)
{
	struct arena *arena = arena_new(CHANGE_SOURCE_ARENA_BYTES);
	struct message message;

	change_source_notify_message(source, message_id);
	if (arena &&
	    store_message_get(source->services->store, message_id, arena, &message) == 0)
		change_source_notify_conversation(source, message.number);
	arena_free(arena);
}

/* A blocked sender's conversation is still reported: its listener asked for that sender. */
static void change_source_on_inbox(void *data, const void *event_data)
{
	const struct inbox_event *event = event_data;
	struct change_source *source = data;
	const struct services *services = source->services;
	const struct store_party_address end = { event->sim_id, event->number };

	if (!change_source_add(source))
		return;
	if (!sender_is_blocked(services->config, services->store, &end))
		change_source_notify(source, "sms://inbox");
	change_source_notify_message(source, event->message_id);
	change_source_notify_conversation(source, event->number);
}

static void change_source_on_call(void *data, const void *event_data)
{
	(void)event_data;
	if (change_source_add(data))
		change_source_notify(data, "calls://recent");
}

/* That oFono dialled changes nothing that calls://recent shows. */
static void change_source_on_placed_call(void *data, const void *event_data)
{
	const struct dialler_call *placed = event_data;

	if (placed->state != CALL_DIALLING || !placed->is_dialled)
		change_source_on_call(data, NULL);
}

static void change_source_on_alert(void *data, const void *event_data)
{
	(void)event_data;
	if (change_source_add(data))
		change_source_notify(data, "sms://alerts");
}

/* In these three states neither the queue nor the limits change. */
static bool change_source_affects_status(struct change_source *source,
					 const struct outbox_event *event)
{
	unsigned waiting = outbox_waiting(source->services->outbox);
	bool differs = waiting != source->waiting;

	source->waiting = waiting;
	return differs || (event->state != STATE_SUBMITTED &&
			   event->state != STATE_SENT && event->state != STATE_DELIVERED);
}

static void change_source_on_outbox(void *data, const void *event_data)
{
	const struct outbox_event *event = event_data;
	struct change_source *source = data;
	bool affects_status = change_source_affects_status(source, event);

	if (!change_source_add(source))
		return;
	change_source_notify_stored_message(source, event->message_id);
	if (affects_status)
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
		modems = modem_view_checksum(source->services);
		differs = modems != source->modems;
		source->modems = modems;
		break;
	default:
		break;
	}
	if (differs && change_source_add(source))
		change_source_notify(source, "sms://status");
}

static void change_source_on_policy(void *data, const void *event_data)
{
	(void)event_data;
	if (change_source_add(data))
		change_source_notify(data, "sms://status");
}

void change_source_init(struct change_source *source, const struct services *services)
{
	*source = (struct change_source){
		.services = services,
		.count = clock_wall_ms(),
		.modems = modem_view_checksum(services),
		.waiting = outbox_waiting(services->outbox),
	};
	observers_init(&source->observers);
	observer_add(inbox_observers(services->inbox), &source->inbox,
		     change_source_on_inbox, source);
	observer_add(call_log_observers(services->calls), &source->calls,
		     change_source_on_call, source);
	observer_add(dialler_observers(services->dialler), &source->placed,
		     change_source_on_placed_call, source);
	observer_add(alert_log_observers(services->alerts), &source->alerts,
		     change_source_on_alert, source);
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
	observer_remove(&source->inbox);
	observer_remove(&source->calls);
	observer_remove(&source->placed);
	observer_remove(&source->alerts);
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

void change_source_report_read(struct change_source *source, const int64_t *message_ids,
			       size_t count)
{
	if (!source || !change_source_add(source))
		return;
	change_source_notify(source, "sms://inbox");
	for (size_t i = 0; i < count; i++)
		change_source_notify_stored_message(source, message_ids[i]);
}
