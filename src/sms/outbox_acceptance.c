/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a message comes into the outbox: room in the queue, room on the disk, memory, its row, and
 * last its place in a lane. Where one of these is missing nothing has happened.
 *
 * The row is on disk before outbox_submit() returns (tests/integration/test_crash.py). One that
 * is_awaited waits for the disk together with its handing over: nobody is told of it before that.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "sms/approval.h"
#include "sms/outbox_clock.h"
#include "sms/outbox_private.h"
#include "sms/storage.h"
#include "store/store_client.h"
#include "store/store_outgoing.h"
#include "store/store_sync.h"

bool outbox_is_full(const struct outbox *outbox)
{
	return outbox->shared.waiting >= outbox->shared.config->queue_limit;
}

int64_t outbox_share(const struct outbox *outbox, int64_t client_id)
{
	int64_t limit = outbox->shared.config->queue_limit, clients;

	if (client_id <= 0 || store_client_count(outbox->shared.store, &clients) ||
	    clients < 1)
		return limit;
	return limit > clients ? limit / clients : 1;
}

bool outbox_has_room(const struct outbox *outbox, int64_t client_id)
{
	const struct outbox_message *message;
	const struct outbox_lane *lane;
	int64_t room;

	if (!outbox->shared.waiting)
		return true;
	room = outbox_share(outbox, client_id);
	if (outbox->shared.waiting < room)
		return true;
	TAILQ_FOREACH (lane, &outbox->lanes, link) {
		TAILQ_FOREACH (message, &lane->messages, link)
			room -= message->client_id == client_id &&
				message_state_is_waiting(message->state);
	}
	return room > 0;
}

bool outbox_has_storage(struct outbox *outbox)
{
	bool has_room = storage_has_room(outbox->shared.config);

	if (!has_room && !outbox->storage_is_short)
		log_error("outbox: less than %lld MiB are left on the disk: nothing is "
			  "accepted to be sent until there is more",
			  (long long)outbox->shared.config->reserve_mib);
	if (has_room && outbox->storage_is_short)
		log_info("outbox: there is room on the disk again");
	outbox->storage_is_short = !has_room;
	return has_room && !store_is_damaged(outbox->shared.store) &&
	       !store_is_gone(outbox->shared.store);
}

/*
 * One commit says then that it is accepted and that it is about to be handed over, which the
 * turn does at its end, unless something comes between: the row is queued again then.
 */
static bool leaves_at_once(const struct outbox_lane *lane, struct outbox_message *message,
			   const struct message_draft *draft)
{
	if (!draft->is_awaited || message->state != STATE_QUEUED ||
	    outbox_clock_holds(message) || !outbox_lane_is_free(lane))
		return false;
	message->words = outbox_words_new(draft->number, draft->text);
	return message->words;
}

/* The person was asked before: is it that approval which ends first? */
static bool yes_ends(const struct message_draft *draft)
{
	return draft->reason && strcmp(draft->reason, approval_by_person) == 0 &&
	       draft->expires_at_ms ==
		       approval_expiry(draft->created_ms, draft->send_at_ms, 0);
}

static int store_draft(struct outbox *outbox, const struct message_draft *draft,
		       int64_t *message_id_out)
{
	struct store *store = outbox->shared.store;
	int error;

	store_set_lazy(store, draft->is_awaited);
	error = store_message_add(store, draft, message_id_out);
	store_set_lazy(store, false);
	outbox_sync_later(&outbox->shared.sync);
	return error == STORE_E_FULL ? OUTBOX_E_STORAGE : error;
}

static int store_accepted(struct outbox *outbox, const struct outbox_lane *lane,
			  struct outbox_message *message,
			  const struct message_draft *draft)
{
	struct message_draft accepted = *draft;
	int error;

	accepted.yes_ends = message->yes_ends;
	accepted.is_handing = leaves_at_once(lane, message, draft);
	error = store_draft(outbox, &accepted, &message->id);
	if (!error && accepted.is_handing)
		message->saved = STATE_HANDING;
	return error;
}

/* Without memory for it nothing would move its row on: so the memory first. */
static struct outbox_message *message_of(struct outbox *outbox,
					 const struct message_draft *draft)
{
	const struct message row = {
		.state = draft->state ? draft->state : STATE_QUEUED,
		.uuid = "",
		.sim_id = draft->sim_id,
		.client_id = draft->client_id,
		.created_ms = draft->created_ms ? draft->created_ms : clock_wall_ms(),
		.send_at_ms = draft->send_at_ms,
		.expires_at_ms = draft->expires_at_ms,
		.flags = yes_ends(draft) ? MESSAGE_YES_ENDS : 0,
	};

	return outbox_message_new(&outbox->shared, &row);
}

/* Nobody can watch it yet. */
static void tell_accepted(struct outbox *outbox, const struct outbox_message *message)
{
	struct outbox_event event = { message->id, message->state, message->reason,
				      message->delivery, false };

	if (message->state == STATE_WAITING_APPROVAL)
		log_info("outbox: message %lld waits for the owner: ofono-mcp approve "
			 "%lld",
			 (long long)message->id, (long long)message->id);
	observers_notify(&outbox->shared.observers, &event);
}

static int accept_into(struct outbox *outbox, struct outbox_lane *lane,
		       const struct message_draft *draft, int64_t *message_id_out)
{
	struct outbox_message *message = message_of(outbox, draft);
	int error;

	if (!message)
		return -ENOMEM;
	error = store_accepted(outbox, lane, message, draft);
	if (error) {
		outbox_message_free(message);
		return error;
	}
	TAILQ_INSERT_TAIL(&lane->messages, message, link);
	*message_id_out = message->id;
	if (outbox->shared.tally)
		tally_row(outbox->shared.tally, draft->sim_id)->accepted++;
	tell_accepted(outbox, message);
	return 0;
}

int outbox_submit(struct outbox *outbox, const struct message_draft *draft,
		  int64_t *message_id_out)
{
	struct outbox_lane *lane;
	int error;

	if (!outbox_has_room(outbox, draft->client_id))
		return OUTBOX_E_FULL;
	if (!outbox_has_storage(outbox))
		return OUTBOX_E_STORAGE;
	lane = outbox_lane(outbox, draft->sim_id);
	if (!lane)
		return -ENOMEM;
	/* Its times are of the clock as it is, so what that was set by is not theirs. */
	outbox_clock_follow(&outbox->schedule.clock, &outbox->lanes);
	error = accept_into(outbox, lane, draft, message_id_out);
	outbox_turn_later(&outbox->shared); /* also sweeps a lane that is empty */
	return error;
}

int outbox_settle(struct outbox *outbox)
{
	return store_sync(outbox->shared.store);
}
