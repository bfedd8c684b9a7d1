/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What oFono tells of the messages on their way and of the modems that have them, and what becomes
 * of the SIMs they go out on.
 */
#include "sms/outbox_private.h"

#include "store/store_outgoing.h"

/* Others send too, and their messages are none of ours, unless one gets its name only now. */
static void on_message_state(struct outbox *outbox, const struct ofono_event *event)
{
	struct outbox_message *message = outbox_find_uuid(outbox, event->uuid);
	struct outbox_lane *lane;

	if (message) {
		outbox_message_hear(message, event->state);
		return;
	}
	TAILQ_FOREACH (lane, &outbox->lanes, link)
		outbox_lane_hear(lane, event);
}

/* It was final long ago, perhaps before we last started: find it by what is on disk. */
static struct outbox_message *reported_message(struct outbox *outbox, const char *uuid)
{
	struct outbox_message *message = NULL;
	struct arena *arena = arena_new(OUTBOX_ARENA_BYTES);
	struct message row;

	if (arena && !store_outgoing_by_uuid(outbox->shared.store, uuid, arena, &row) &&
	    message_state_is_final(row.state))
		message = outbox_adopt(outbox, &row);
	arena_free(arena);
	return message;
}

static void on_message_report(struct outbox *outbox, const struct ofono_event *event)
{
	struct outbox_message *message = outbox_find_uuid(outbox, event->uuid);

	if (!message)
		message = reported_message(outbox, event->uuid);
	if (message)
		outbox_message_report(message, event->delivered);
}

static void lose_modem(struct outbox *outbox, const struct modem *modem)
{
	struct outbox_lane *lane;

	TAILQ_FOREACH (lane, &outbox->lanes, link)
		outbox_lane_lose(lane, modem);
}

static void on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;
	struct outbox *outbox = data;

	switch (event->type) {
	case MODEM_CHANGED:
		if (!(event->modem->interfaces & MODEM_MESSAGE_MANAGER))
			lose_modem(outbox, event->modem);
		else if (!TAILQ_EMPTY(&outbox->lanes)) /* held ones may be asked for */
			outbox_turn_later(&outbox->shared);
		break;
	case MODEM_REMOVED:
		lose_modem(outbox, event->modem);
		break;
	case MESSAGE_STATE:
		on_message_state(outbox, event);
		break;
	case MESSAGE_REPORT:
		on_message_report(outbox, event);
		break;
	default:
		break;
	}
}

static void on_sims_event(void *data, const void *event_data)
{
	const struct sims_event *event = event_data;
	struct outbox *outbox = data;
	struct outbox_lane *lane;

	if (event->type != SIMS_STATE)
		return;
	TAILQ_FOREACH (lane, &outbox->lanes, link)
		outbox_lane_hurry(lane);
}

void outbox_signals_begin(struct outbox *outbox, struct ofono *ofono)
{
	observer_add(ofono_observers(ofono), &outbox->ofono_observer, on_ofono_event,
		     outbox);
	observer_add(sims_observers(outbox->shared.sims), &outbox->sims_observer,
		     on_sims_event, outbox);
}

void outbox_signals_end(struct outbox *outbox)
{
	observer_remove(&outbox->ofono_observer);
	observer_remove(&outbox->sims_observer);
}
