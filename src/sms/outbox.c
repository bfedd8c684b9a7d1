/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that moves messages on happens in outbox_turn(), at the end of a turn of the loop: so nothing
 * is told inside outbox_submit(), and no message is freed while somebody is being told.
 */
#include "sms/outbox.h"

#include <errno.h>
#include <stdlib.h>

#include "base/each_turn.h"
#include "base/log.h"
#include "sms/outbox_private.h"
#include "store/store_sync.h"

static const struct outbox_timing usual_timing = {
	.answer_ms = 30 * 1000,
	.retry_ms = 1000,
	.retry_most_ms = 60 * 1000,
	.listing_ms = 1000,
	.storage_ms = 5 * 1000,
	.stuck_part_ms = 30 * 1000,
};

/* What leaves in the same turn waits for the disk together. */
static void send_claimed(struct outbox *outbox)
{
	struct outbox_lane *lane;
	bool any = false;
	int error;

	TAILQ_FOREACH (lane, &outbox->lanes, link)
		any |= lane->claimed != NULL;
	if (!any)
		return;
	error = store_sync(outbox->shared.store);
	TAILQ_FOREACH (lane, &outbox->lanes, link)
		outbox_lane_send(lane, error);
}

static void move_on(struct outbox *outbox)
{
	struct outbox_lane *lane, *next;

	outbox_schedule_run(&outbox->schedule, &outbox->lanes);
	for (lane = TAILQ_FIRST(&outbox->lanes); lane; lane = next) {
		outbox_lane_pump(lane);
		outbox_recalls_start(outbox, lane);
		next = TAILQ_NEXT(lane, link); /* watchers may have submitted */
		if (!outbox_lane_sweep(lane))
			continue;
		TAILQ_REMOVE(&outbox->lanes, lane, link);
		outbox_lane_free(lane);
	}
	send_claimed(outbox);
}

/* What it leaves to be done waits for one more turn, which nothing else may bring. */
static int outbox_turn(sd_event_source *source, void *data)
{
	struct outbox *outbox = data;
	struct outbox_shared *shared = &outbox->shared;

	(void)source;
	if (!shared->turn_due)
		return 0;
	shared->turn_due = false;
	move_on(outbox);
	sd_event_source_set_enabled(shared->again,
				    shared->turn_due ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
	return 0;
}

static int on_again(sd_event_source *source, void *data)
{
	(void)source;
	(void)data; /* the loop has not slept: outbox_turn() is next */
	return 0;
}

struct outbox_lane *outbox_lane(struct outbox *outbox, int64_t sim_id)
{
	struct outbox_lane *lane;

	TAILQ_FOREACH (lane, &outbox->lanes, link) {
		if (lane->sim_id == sim_id)
			return lane;
	}
	lane = outbox_lane_new(&outbox->shared, sim_id);
	if (lane)
		TAILQ_INSERT_TAIL(&outbox->lanes, lane, link);
	return lane;
}

struct outbox_message *outbox_find_uuid(const struct outbox *outbox, const char *uuid)
{
	struct outbox_message *message = NULL;
	struct outbox_lane *lane;

	TAILQ_FOREACH (lane, &outbox->lanes, link) {
		message = outbox_lane_find_uuid(lane, uuid);
		if (message)
			break;
	}
	return message;
}

struct outbox_message *outbox_find(const struct outbox *outbox, int64_t message_id,
				   struct outbox_lane **lane_out)
{
	struct outbox_message *message = NULL;
	struct outbox_lane *lane;

	TAILQ_FOREACH (lane, &outbox->lanes, link) {
		message = outbox_lane_find(lane, message_id);
		if (message)
			break;
	}
	if (message && lane_out)
		*lane_out = lane;
	return message;
}

int outbox_outcome(int error, int otherwise)
{
	if (error == STORE_E_FULL)
		return OUTBOX_E_STORAGE;
	return error > 0 ? otherwise : error;
}

struct outbox_message *outbox_adopt(struct outbox *outbox, const struct message *row)
{
	struct outbox_lane *lane = outbox_lane(outbox, row->sim_id);
	struct outbox_message *message = NULL;

	if (lane)
		message = outbox_message_new(&outbox->shared, row);
	if (message)
		TAILQ_INSERT_TAIL(&lane->messages, message, link);
	outbox_turn_later(&outbox->shared); /* also sweeps a lane that is empty */
	return message;
}

struct outbox_loading {
	struct outbox *outbox;
	int error;
};

static void load(void *data, const struct message *row)
{
	struct outbox_loading *loading = data;

	if (!outbox_adopt(loading->outbox, row))
		loading->error = -ENOMEM;
}

/* We were away: what can still be said of a message that was not queued? */
static void lane_restart(struct outbox_lane *lane)
{
	struct outbox_message *message;

	TAILQ_FOREACH (message, &lane->messages, link) {
		if (message->state == STATE_HANDING)
			outbox_message_become(message, STATE_UNKNOWN, "unknown_outcome");
		else if (message->state == STATE_HANDED)
			outbox_message_become(message, STATE_HELD, "gateway_restarted");
	}
}

static int outbox_load(struct outbox *outbox)
{
	struct outbox_loading loading = { .outbox = outbox };
	struct outbox_lane *lane;
	int error = store_deadlines_carry(outbox->shared.store);

	if (error) /* what the rows say is older, and no end is later for it */
		log_error("outbox: the disk does not take until when messages are valid");
	error = store_messages_unfinished(outbox->shared.store, load, &loading);
	if (!error)
		error = loading.error;
	if (error)
		return error < 0 ? error : -EIO;
	TAILQ_FOREACH (lane, &outbox->lanes, link)
		lane_restart(lane);
	return 0;
}

static int outbox_add_sources(struct outbox *outbox)
{
	struct outbox_shared *shared = &outbox->shared;
	int error = each_turn_add(shared->loop, &shared->turn, outbox_turn, outbox);

	if (error >= 0) /* after those who submit at the end of a turn, too */
		error = sd_event_source_set_priority(shared->turn,
						     SD_EVENT_PRIORITY_NORMAL + 1);
	if (error >= 0)
		error = sd_event_add_defer(shared->loop, &shared->again, on_again,
					   outbox);
	if (error >= 0)
		error = outbox_sync_init(&shared->sync, shared->loop, shared->store);
	if (error >= 0)
		error = outbox_schedule_init(&outbox->schedule, shared);
	return error;
}

int outbox_new(sd_event *loop, const struct config *config, struct store *store,
	       struct sims *sims, struct ofono *ofono, struct outbox **outbox_out)
{
	struct outbox *outbox = calloc(1, sizeof(*outbox));
	int error;

	if (!outbox)
		return -ENOMEM;
	outbox->shared.config = config;
	outbox->shared.loop = loop;
	outbox->shared.store = store;
	outbox->shared.sims = sims;
	outbox->shared.timing = usual_timing;
	outbox->shared.timing.stuck_ms = (uint64_t)config->stuck_seconds * 1000;
	TAILQ_INIT(&outbox->lanes);
	TAILQ_INIT(&outbox->recalls);
	observers_init(&outbox->shared.observers);
	error = outbox_add_sources(outbox);
	if (error >= 0)
		error = outbox_load(outbox);
	if (error < 0) {
		outbox_free(outbox);
		return error;
	}
	if (config->delivery_reports)
		ofono_use_delivery_reports(ofono);
	outbox_signals_begin(outbox, ofono);
	*outbox_out = outbox;
	return 0;
}

void outbox_free(struct outbox *outbox)
{
	struct outbox_lane *lane;

	if (!outbox)
		return;
	outbox_signals_end(outbox);
	outbox_recalls_free(outbox);
	while ((lane = TAILQ_FIRST(&outbox->lanes))) {
		TAILQ_REMOVE(&outbox->lanes, lane, link);
		outbox_lane_free(lane);
	}
	outbox_schedule_deinit(&outbox->schedule);
	outbox_sync_deinit(&outbox->shared.sync);
	observers_deinit(&outbox->shared.observers);
	sd_event_source_disable_unref(outbox->shared.turn);
	sd_event_source_disable_unref(outbox->shared.again);
	free(outbox);
}

void outbox_set_paused(struct outbox *outbox, bool paused)
{
	outbox->shared.paused = paused;
	if (!paused)
		outbox_turn_later(&outbox->shared);
}

void outbox_set_timing(struct outbox *outbox, const struct outbox_timing *timing)
{
	outbox->shared.timing = *timing;
}

struct observers *outbox_observers(struct outbox *outbox)
{
	return &outbox->shared.observers;
}

unsigned outbox_approvals(const struct outbox *outbox)
{
	return outbox->shared.approvals;
}

void outbox_set_tally(struct outbox *outbox, struct tally *tally)
{
	outbox->shared.tally = tally;
}

/* A message that was sent is no longer in memory, but its report may be awaited. */
static struct outbox_message *awaiting_message(struct outbox *outbox, int64_t message_id)
{
	struct outbox_message *message = NULL;
	struct arena *arena = arena_new(OUTBOX_ARENA_BYTES);
	struct message row;

	if (arena && !store_message_get(outbox->shared.store, message_id, arena, &row) &&
	    row.direction == MESSAGE_OUTGOING && row.state == STATE_SENT &&
	    row.delivery == DELIVERY_AWAITED)
		message = outbox_adopt(outbox, &row);
	arena_free(arena);
	return message;
}

bool outbox_watch(struct outbox *outbox, int64_t message_id, struct observer *observer,
		  void (*notify)(void *data, const void *event), void *data)
{
	struct outbox_message *message = outbox_find(outbox, message_id, NULL);

	if (!message)
		message = awaiting_message(outbox, message_id);
	if (!message || outbox_message_is_over(message))
		return false;
	observer_add(&message->observers, observer, notify, data);
	return true;
}

unsigned outbox_waiting(const struct outbox *outbox)
{
	return outbox->shared.waiting;
}
