/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What oFono told is true whether or not the disk takes it: the message goes on in memory,
 * and the disk is tried again. Only the step to handing waits for the disk, for it is what
 * keeps a restart from sending twice (tests/unit/test_outbox_trouble.c).
 */
#include "sms/outbox_message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/log.h"
#include "sms/segments.h"

enum { OFONO_PARTS_MAX = 255 };

/* What oFono's refusals mean; all others are the network's. */
static const struct {
	const char *error;
	const char *reason; /* NULL: see reason_of_format() */
} refusals[] = {
	{ "org.ofono.Error.InvalidFormat", NULL },
	{ "org.ofono.Error.AccessDenied", "ofono_unavailable" },
	{ "org.freedesktop.DBus.Error.AccessDenied", "ofono_unavailable" },
};

struct outbox_message *outbox_message_new(struct outbox_shared *shared, int64_t id,
					  enum message_state state, const char *uuid)
{
	struct outbox_message *message = calloc(1, sizeof(*message));

	if (!message)
		return NULL;
	message->shared = shared;
	message->id = id;
	message->state = message->saved = state;
	message->reason = "";
	snprintf(message->uuid, sizeof(message->uuid), "%s", uuid);
	observers_init(&message->observers);
	if (state == STATE_QUEUED)
		shared->waiting++;
	return message;
}

void outbox_turn_later(struct outbox_shared *shared)
{
	sd_event_source_set_enabled(shared->turn, SD_EVENT_ONESHOT);
}

static void remove_observers(struct outbox_message *message)
{
	struct observer *observer;

	while ((observer = TAILQ_FIRST(&message->observers.list)))
		observer_remove(observer);
}

void outbox_message_free(struct outbox_message *message)
{
	if (message->state == STATE_QUEUED)
		message->shared->waiting--;
	remove_observers(message);
	observers_deinit(&message->observers);
	free(message);
}

static void set_state(struct outbox_message *message, enum message_state state,
		      const char *reason)
{
	message->shared->waiting += state == STATE_QUEUED;
	message->shared->waiting -= message->state == STATE_QUEUED;
	message->state = state;
	message->reason = reason;
}

static void tell(struct outbox_message *message)
{
	struct outbox_event event = { message->id, message->state, message->reason };
	bool final = message_state_is_final(message->state);

	log_info("outbox: message %lld: %s%s%s", (long long)message->id,
		 message_state_name(message->state), *message->reason ? ", " : "",
		 message->reason);
	observers_notify(&message->observers, &event);
	if (final)
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

/* 0: the disk has it. STORE_E_NOT_FOUND, STORE_E_ILLEGAL: somebody else changed the row. */
static int move_row(struct outbox_message *message, enum message_state state,
		    const char *reason)
{
	const char *uuid = *message->uuid ? message->uuid : NULL;
	int error = store_message_move(message->shared->store, message->id, state, reason,
				       uuid);

	if (row_is_lost(error))
		log_error("outbox: message %lld: its row cannot become %s",
			  (long long)message->id, message_state_name(state));
	else
		note_storage(message->shared, error);
	return error;
}

int outbox_message_claim(struct outbox_message *message)
{
	int error = move_row(message, STATE_HANDING, NULL);

	if (row_is_lost(error)) {
		set_state(message, STATE_UNKNOWN, "internal");
		message->saved = STATE_UNKNOWN;
		tell(message);
		outbox_turn_later(message->shared);
	}
	if (error)
		return error;
	set_state(message, STATE_HANDING, "");
	message->saved = STATE_HANDING;
	tell(message);
	return 0;
}

void outbox_message_save(struct outbox_message *message)
{
	int error;

	if (message->saved == message->state)
		return;
	error = move_row(message, message->state, message->reason);
	if (!error || row_is_lost(error))
		message->saved = message->state;
}

void outbox_message_become(struct outbox_message *message, enum message_state state,
			   const char *reason)
{
	if (message->state == state)
		return;
	set_state(message, state, reason);
	outbox_message_save(message);
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
static const char *reason_of_format(const struct outbox_message *message)
{
	struct arena *arena = arena_new(OUTBOX_ARENA_BYTES);
	const char *reason = "invalid_number";
	struct segments segments;
	struct message row;

	if (!outbox_message_read(message, arena, &row)) {
		segments_measure(row.text, &segments);
		if (segments.unsendable)
			reason = "invalid_text";
		else if (segments.count > OFONO_PARTS_MAX)
			reason = "text_too_long";
	}
	arena_free(arena);
	return reason;
}

const char *outbox_message_refusal(const struct outbox_message *message,
				   const char *error)
{
	size_t place;

	for (place = 0; error && place < sizeof(refusals) / sizeof(*refusals); place++) {
		if (strcmp(error, refusals[place].error) != 0)
			continue;
		return refusals[place].reason ? refusals[place].reason
					      : reason_of_format(message);
	}
	return "network_refused";
}

bool outbox_message_is_saved(const struct outbox_message *message)
{
	return message->saved == message->state;
}

bool outbox_message_is_done(const struct outbox_message *message)
{
	return message_state_is_final(message->state) && outbox_message_is_saved(message);
}
