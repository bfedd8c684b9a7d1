/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What oFono told is true whether or not the disk takes it: the message goes on in memory,
 * and the disk is tried again. Only the step to handing waits for the disk, for it is what
 * keeps a restart from sending twice (tests/unit/test_outbox_trouble.c); it waits in
 * outbox_turn(), for all messages that leave with it.
 */
#include "sms/outbox_message.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "sms/outbox_clock.h"
#include "store/store_sync.h"
#include "sms/segments.h"

enum { OFONO_PARTS_MAX = 255 };

/* Of a state in which it is oFono that would have to cancel it. */
static const char cancel_wanted[] = "cancel_wanted";

static void count_waiting(struct outbox_shared *shared, enum message_state state,
			  int change)
{
	if (message_state_is_waiting(state))
		shared->waiting += (unsigned)change;
	if (state == STATE_WAITING_APPROVAL)
		shared->approvals += (unsigned)change;
}

struct outbox_message *outbox_message_new(struct outbox_shared *shared,
					  const struct message *row)
{
	struct outbox_message *message = calloc(1, sizeof(*message));

	if (!message)
		return NULL;
	message->shared = shared;
	message->id = row->id;
	message->sim_id = row->sim_id;
	message->client_id = row->client_id;
	message->segments = row->segments;
	message->state = message->saved = row->state;
	message->delivery = message->saved_delivery = row->delivery;
	message->unwanted = row->reason && strcmp(row->reason, cancel_wanted) == 0;
	message->reason = message->unwanted ? cancel_wanted : "";
	outbox_clock_read(message, row);
	snprintf(message->uuid, sizeof(message->uuid), "%s", row->uuid);
	observers_init(&message->observers);
	count_waiting(shared, row->state, 1);
	return message;
}

void outbox_turn_later(struct outbox_shared *shared)
{
	shared->turn_due = true;
}

static void remove_observers(struct outbox_message *message)
{
	struct observer *observer;

	while ((observer = TAILQ_FIRST(&message->observers.list)))
		observer_remove(observer);
}

void outbox_message_free(struct outbox_message *message)
{
	count_waiting(message->shared, message->state, -1);
	remove_observers(message);
	observers_deinit(&message->observers);
	free(message->words);
	free(message);
}

static void set_state(struct outbox_message *message, enum message_state state,
		      const char *reason)
{
	struct tally *tally = message->shared->tally;

	count_waiting(message->shared, state, 1);
	count_waiting(message->shared, message->state, -1);
	if (tally)
		tally_row(tally, message->sim_id)->became[state]++;
	message->state = state;
	message->reason = reason;
}

static struct outbox_event event_of(const struct outbox_message *message)
{
	return (struct outbox_event){ message->id, message->state, message->reason,
				      message->delivery,
				      outbox_message_is_over(message) };
}

static void tell(struct outbox_message *message)
{
	struct outbox_event event = event_of(message);

	log_info("outbox: message %lld: %s%s%s", (long long)message->id,
		 message_state_name(message->state), *message->reason ? ", " : "",
		 message->reason);
	observers_notify(&message->observers, &event);
	observers_notify(&message->shared->observers, &event);
	if (event.last)
		remove_observers(message);
}

static bool row_is_lost(int error)
{
	return error == STORE_E_NOT_FOUND || error == STORE_E_ILLEGAL;
}

/* Logs the first refusal, and the end of refusals. */
static void note_storage(struct outbox_shared *shared, int error)
{
	if (error && !shared->storage_refuses)
		log_error("outbox: a state could not be stored (%s); trying again",
			  error < 0 ? strerror(-error) : "the disk is full");
	if (!error && shared->storage_refuses)
		log_info("outbox: states can be stored again");
	shared->storage_refuses = error != 0;
}

static int move_row_lazily(struct outbox_message *message,
			   const struct outgoing_move *move)
{
	struct outbox_shared *shared = message->shared;
	int error;

	store_set_lazy(shared->store, true);
	error = store_outgoing_move(shared->store, message->id, move);
	store_set_lazy(shared->store, false);
	outbox_sync_later(&shared->sync);
	return error;
}

enum pace {
	PACE_NOW, /* 0: no restart forgets it */
	PACE_LAZY,
};

/*
 * UUID and delivery are the message's own. 0: the store has it. STORE_E_NOT_FOUND,
 * STORE_E_ILLEGAL: somebody else changed the row.
 */
static int move_row(struct outbox_message *message, struct outgoing_move move,
		    enum pace pace)
{
	int error;

	move.uuid = message->uuid_unsaved ? message->uuid : NULL;
	move.delivery = message->delivery;
	error = pace == PACE_LAZY
			? move_row_lazily(message, &move)
			: store_outgoing_move(message->shared->store, message->id, &move);
	if (row_is_lost(error))
		log_error("outbox: message %lld: its row cannot become %s",
			  (long long)message->id, message_state_name(move.to));
	else
		note_storage(message->shared, error);
	message->uuid_unsaved &= error != 0;
	return error;
}

static void decided(struct outbox_message *message, const struct outgoing_move *move)
{
	set_state(message, move->to, move->reason ? move->reason : "");
	message->saved = move->to;
	message->saved_delivery = message->delivery;
	tell(message);
}

/* The disk first: nothing has become true yet. */
static int decide(struct outbox_message *message, const struct outgoing_move *move,
		  enum pace pace)
{
	int error = move_row(message, *move, pace);

	if (row_is_lost(error)) {
		set_state(message, STATE_UNKNOWN, "internal");
		message->saved = STATE_UNKNOWN;
		tell(message);
		outbox_turn_later(message->shared);
	}
	if (!error)
		decided(message, move);
	return error;
}

int outbox_message_decide(struct outbox_message *message,
			  const struct outgoing_move *move)
{
	outbox_turn_later(message->shared);
	return decide(message, move, PACE_NOW);
}

/* Its lane waits for oFono from now on: there is nothing to be done in another turn. */
int outbox_message_claim(struct outbox_message *message)
{
	static const struct outgoing_move move = { .to = STATE_HANDING };

	if (message->saved != STATE_HANDING)
		return decide(message, &move, PACE_LAZY);
	decided(message, &move);
	return 0;
}

int outbox_message_cancel(struct outbox_message *message)
{
	assert(message_state_is_waiting(message->state));
	return outbox_message_decide(message,
				     &(struct outgoing_move){ .to = STATE_CANCELLED });
}

int outbox_message_drop(struct outbox_message *message, const char *reason)
{
	assert(message_state_is_waiting(message->state));
	return outbox_message_decide(
		message,
		&(struct outgoing_move){ .to = STATE_CANCELLED, .reason = reason });
}

int outbox_message_withdraw(struct outbox_message *message)
{
	static const struct outgoing_move move = { .to = STATE_CANCELLED,
						   .reason = "client_left",
						   .frees_key = true };

	assert(message_state_is_waiting(message->state));
	return outbox_message_decide(message, &move);
}

int outbox_message_unwant(struct outbox_message *message)
{
	int error;

	assert(message->state == STATE_HELD);
	if (message->unwanted)
		return 0;
	error = outbox_message_decide(
		message,
		&(struct outgoing_move){ .to = STATE_HELD, .reason = cancel_wanted });
	message->unwanted = !error;
	return error;
}

static int save_delivery(struct outbox_message *message)
{
	int error = store_outgoing_report(message->shared->store, message->id,
					  message->delivery);

	if (error != STORE_E_NOT_FOUND)
		note_storage(message->shared, error);
	return error;
}

static void save(struct outbox_message *message)
{
	int error;

	if (outbox_message_is_saved(message))
		return;
	if (message->saved != message->state)
		error = move_row(message,
				 (struct outgoing_move){ .to = message->state,
							 .reason = message->reason },
				 PACE_LAZY);
	else
		error = save_delivery(message);
	if (error && !row_is_lost(error))
		return;
	message->saved = message->state;
	message->saved_delivery = message->delivery;
}

/* Who watches it knows; who reads it in the store does not. */
void outbox_message_save(struct outbox_message *message)
{
	struct outbox_event event;

	if (outbox_message_is_saved(message))
		return;
	save(message);
	if (!outbox_message_is_saved(message))
		return;
	event = event_of(message);
	observers_notify(&message->shared->observers, &event);
}

/* What a report proved needs no other word. */
static bool is_proved(const struct outbox_message *message, enum message_state state)
{
	return message->delivery == DELIVERY_CONFIRMED &&
	       (state == STATE_HELD || state == STATE_UNKNOWN);
}

void outbox_message_become(struct outbox_message *message, enum message_state state,
			   const char *reason)
{
	if (is_proved(message, state)) {
		state = STATE_DELIVERED;
		reason = "";
	}
	if (message->state == state)
		return;
	if (message->unwanted && (state == STATE_HELD || state == STATE_HANDED))
		reason = cancel_wanted;
	set_state(message, state, reason);
	save(message);
	tell(message);
	outbox_turn_later(message->shared);
	if (state == STATE_SENT && message->delivery == DELIVERY_CONFIRMED)
		outbox_message_become(message, STATE_DELIVERED, "");
}

void outbox_message_hand(struct outbox_message *message, const char *uuid, bool awaited)
{
	memcpy(message->uuid, uuid, sizeof(message->uuid));
	message->uuid_unsaved = true;
	if (awaited)
		message->delivery = DELIVERY_AWAITED;
	outbox_message_become(message, STATE_HANDED, "");
}

void outbox_message_hear(struct outbox_message *message, enum message_state_word told)
{
	if (message_state_is_final(message->state))
		return;
	switch (told) {
	case MESSAGE_PENDING:
		break;
	case MESSAGE_SENT:
		outbox_message_become(message, STATE_SENT, "");
		break;
	case MESSAGE_FAILED:
		outbox_message_become(message, STATE_FAILED, "network_refused");
		break;
	case MESSAGE_CANCELLED:
		outbox_message_become(message, STATE_CANCELLED, "");
		break;
	}
}

void outbox_message_report(struct outbox_message *message, bool delivered)
{
	enum delivery delivery = delivered ? DELIVERY_CONFIRMED : DELIVERY_REFUSED;

	if (message->delivery == delivery || message->delivery == DELIVERY_CONFIRMED)
		return;
	message->delivery = delivery;
	if (delivered && message->state != STATE_HANDED &&
	    message_state_may_become(message->state, STATE_DELIVERED)) {
		outbox_message_become(message, STATE_DELIVERED, "");
		return;
	}
	save(message);
	if (message_state_is_final(message->state))
		tell(message);
	outbox_turn_later(message->shared);
}

int outbox_message_read(const struct outbox_message *message, struct arena *arena,
			struct message *row_out)
{
	if (!arena)
		return -ENOMEM;
	return store_message_get(message->shared->store, message->id, arena, row_out);
}

/* oFono has one word for a bad number, a text it cannot encode and one too long. */
static const char *reason_of_format(const struct outbox_message *message,
				    const struct modem *modem)
{
	bool sends_emoji = modem && ofono_sends_emoji(modem->ofono);
	struct arena *arena = arena_new(OUTBOX_ARENA_BYTES);
	const char *reason = "invalid_number";
	struct segments segments;
	struct message row;

	if (!outbox_message_read(message, arena, &row)) {
		segments_measure(row.text, &segments);
		if (segments.unsendable && !(sends_emoji && segments.unsendable > 0xffff))
			reason = "invalid_text";
		else if (segments.count > OFONO_PARTS_MAX)
			reason = "text_too_long";
	}
	arena_free(arena);
	return reason;
}

/* The network was not asked: it answers later, as the state of what oFono has taken. */
const char *outbox_message_refusal(const struct outbox_message *message,
				   const struct modem *modem, const char *error)
{
	if (error && strcmp(error, "org.ofono.Error.InvalidFormat") == 0)
		return reason_of_format(message, modem);
	/* oFono of Sailfish OS checks its callers; the bus has its own error for that */
	if (error && strcmp(error, "org.ofono.Error.AccessDenied") == 0)
		return "ofono_access_denied";
	return "ofono_unavailable";
}

bool outbox_message_is_readied(const struct outbox_message *message)
{
	return message->state == STATE_QUEUED && message->saved == STATE_HANDING &&
	       message->words;
}

bool outbox_message_is_saved(const struct outbox_message *message)
{
	return message->saved == message->state &&
	       message->saved_delivery == message->delivery;
}

/* One that is confirmed already is about to become delivered. */
bool outbox_message_is_over(const struct outbox_message *message)
{
	bool awaits = message->delivery == DELIVERY_AWAITED ||
		      message->delivery == DELIVERY_CONFIRMED;

	return message_state_is_final(message->state) &&
	       !(message->state == STATE_SENT && awaits);
}

bool outbox_message_is_done(const struct outbox_message *message)
{
	bool watched = !TAILQ_EMPTY(&message->observers.list);

	return message_state_is_final(message->state) &&
	       outbox_message_is_saved(message) &&
	       (!watched || outbox_message_is_over(message));
}
