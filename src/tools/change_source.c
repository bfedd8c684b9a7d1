/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/change_source.h"

#include <stdio.h>

#include "base/clock.h"
#include "phone/dialler.h"
#include "mcp/change.h"
#include "sms/sender.h"
#include "store/store_party.h"
#include "tools/modem_facts.h"

enum { ARENA_BYTES = 1024 * 1024 }; /* what one message may take */

/* True: somebody listens. */
static bool note(struct change_source *source)
{
	source->count++;
	return !TAILQ_EMPTY(&source->observers.list);
}

static void tell(struct change_source *source, const char *subject)
{
	struct change change = { CHANGE_RESOURCE, subject };

	observers_notify(&source->observers, &change);
}

/* As tools/resource_conversation.c spells it. */
static void tell_conversation(struct change_source *source, const char *number)
{
	struct arena *arena = arena_new(ARENA_BYTES);
	char form[NUMBER_FORM_BYTES];
	bool is_number = store_party_write(source->services->store, number, form);
	const char *subject = arena ? arena_printf(arena, "sms://conversation/%s",
						   is_number ? form : number)
				    : NULL;

	if (subject)
		tell(source, subject);
	arena_free(arena);
}

static void tell_message(struct change_source *source, int64_t message_id)
{
	char subject[48];

	snprintf(subject, sizeof(subject), "sms://message/%lld", (long long)message_id);
	tell(source, subject);
}

/* The conversation is one that only the message's row names. */
static void tell_of_message(struct change_source *source, int64_t message_id)
{
	struct arena *arena = arena_new(ARENA_BYTES);
	struct message message;

	tell_message(source, message_id);
	if (arena &&
	    store_message_get(source->services->store, message_id, arena, &message) == 0)
		tell_conversation(source, message.number);
	arena_free(arena);
}

/* Who listens to a blocked sender's conversation has asked for it. */
static void on_inbox(void *data, const void *event_data)
{
	const struct inbox_event *event = event_data;
	struct change_source *source = data;
	const struct services *services = source->services;
	const struct store_party_address end = { event->sim_id, event->number };

	if (!note(source))
		return;
	if (!sender_is_blocked(services->config, services->store, &end))
		tell(source, "sms://inbox");
	tell_message(source, event->message_id);
	tell_conversation(source, event->number);
}

static void on_calls(void *data, const void *event_data)
{
	(void)event_data;
	if (note(data))
		tell(data, "calls://recent");
}

/* That oFono has dialled it is in no row. */
static void on_placed(void *data, const void *event_data)
{
	const struct placed_call *placed = event_data;

	if (placed->state != CALL_DIALLING || !placed->is_dialled)
		on_calls(data, NULL);
}

static void on_alerts(void *data, const void *event_data)
{
	(void)event_data;
	if (note(data))
		tell(data, "sms://alerts");
}

/* Queue and limits are as they were when oFono has it, the network took it, or delivered it. */
static bool is_in_status(struct change_source *source, const struct outbox_event *event)
{
	unsigned waiting = outbox_waiting(source->services->outbox);
	bool differs = waiting != source->waiting;

	source->waiting = waiting;
	return differs || (event->state != STATE_SUBMITTED &&
			   event->state != STATE_SENT && event->state != STATE_DELIVERED);
}

static void on_outbox(void *data, const void *event_data)
{
	const struct outbox_event *event = event_data;
	struct change_source *source = data;
	bool in_status = is_in_status(source, event);

	if (!note(source))
		return;
	tell_of_message(source, event->message_id);
	if (in_status)
		tell(source, "sms://status");
}

static void on_sims(void *data, const void *event_data)
{
	const struct sims_event *event = event_data;

	if (event->type == SIMS_STATE || !note(data))
		return;
	tell(data,
	     event->type == SIMS_VOICEMAIL ? "sms://voicemail" : "sms://subscriptions");
	tell(data, "sms://status");
}

/* Much that changes of a modem is nothing to anybody: the signal, for one. */
static bool modems_differ(struct change_source *source)
{
	uint64_t modems = modem_facts_sum(source->services);
	bool differ = modems != source->modems;

	source->modems = modems;
	return differ;
}

static void on_ofono(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;
	struct change_source *source = data;
	bool differs = false;

	switch (event->type) {
	case OFONO_CONDITION: /* also when it comes and goes */
	case OFONO_CHANGED:
		differs = true;
		break;
	case MODEM_ADDED:
	case MODEM_CHANGED:
	case MODEM_REMOVED:
		differs = modems_differ(source);
		break;
	default:
		break;
	}
	if (differs && note(source))
		tell(source, "sms://status");
}

static void on_policy(void *data, const void *event_data)
{
	(void)event_data;
	if (note(data))
		tell(data, "sms://status");
}

void change_source_init(struct change_source *source, const struct services *services)
{
	*source = (struct change_source){
		.services = services,
		.count = clock_wall_ms(),
	};
	source->modems = modem_facts_sum(services);
	source->waiting = outbox_waiting(services->outbox);
	observers_init(&source->observers);
	observer_add(inbox_observers(services->inbox), &source->inbox, on_inbox, source);
	observer_add(call_log_observers(services->calls), &source->calls, on_calls,
		     source);
	observer_add(dialler_observers(services->dialler), &source->placed, on_placed,
		     source);
	observer_add(alert_log_observers(services->alerts), &source->alerts, on_alerts,
		     source);
	observer_add(outbox_observers(services->outbox), &source->outbox, on_outbox,
		     source);
	observer_add(sims_observers(services->sims), &source->sims, on_sims, source);
	observer_add(ofono_observers(services->ofono), &source->ofono, on_ofono, source);
	observer_add(policy_observers(services->policy), &source->policy, on_policy,
		     source);
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

void change_source_read(struct change_source *source, const int64_t *message_ids,
			size_t count)
{
	if (!source || !note(source))
		return;
	tell(source, "sms://inbox");
	for (size_t at = 0; at < count; at++)
		tell_of_message(source, message_ids[at]);
}
