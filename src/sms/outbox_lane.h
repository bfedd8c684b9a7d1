/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox lane: the messages of one SIM, one of them in oFono's hands at a time.
 *
 * Private to src/sms/outbox*.c.
 */
#ifndef SMS_OUTBOX_LANE_H
#define SMS_OUTBOX_LANE_H

#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "ofono/message_manager.h"
#include "sms/outbox_message.h"
#include "sms/outbox_patience.h"
#include "sms/outbox_told.h"

struct outbox_lane {
	struct outbox_shared *shared;
	int64_t sim_id;
	struct outbox_message_list messages; /* in order of their number */
	struct modem
		*modem; /* where oFono has what it has of ours; NULL: not there now */
	struct outbox_message *in_hand; /* `send` is about it */
	bool is_unanswered;		/* for so long that its SIM is stuck */
	struct message_send *send;
	struct outbox_told told;	/* while `send` is not answered */
	struct outbox_message *claimed; /* to be sent in this turn, after store_sync() */
	struct outbox_words *claimed_words;
	struct message_listing *listing;
	sd_event_source *answer_timer; /* enabled while an answer to `send` is in time */
	sd_event_source *pause_timer;  /* enabled: nothing is tried before it is over */
	struct outbox_patience patience; /* with the message that oFono has */
	unsigned refusals;		 /* in a row, of being handed */
	unsigned unlisted;		 /* in a row, of telling what oFono has */
	TAILQ_ENTRY(outbox_lane) link;
};

TAILQ_HEAD(outbox_lane_list, outbox_lane);

/* NULL: no memory. */
struct outbox_lane *outbox_lane_new(struct outbox_shared *shared, int64_t sim_id);
void outbox_lane_free(struct outbox_lane *lane); /* with its messages; rows stay */

struct outbox_message *outbox_lane_find(const struct outbox_lane *lane,
					int64_t message_id);
struct outbox_message *outbox_lane_find_uuid(const struct outbox_lane *lane,
					     const char *uuid);

/* One that is queued now could be claimed in this turn; only memory and disk may be against. */
bool outbox_lane_is_free(const struct outbox_lane *lane);
/* Does what can be done now: saves, asks for held ones, claims the next one. */
void outbox_lane_pump(struct outbox_lane *lane);
/* Hands over what is claimed, after store_sync() with this outcome. */
void outbox_lane_send(struct outbox_lane *lane, int sync_error);
/* A State of a message that has no name here: it may be the one in hand. */
void outbox_lane_hear(struct outbox_lane *lane, const struct ofono_event *event);
/* Something changed: a pause is over early. Does not pump. */
void outbox_lane_hurry(struct outbox_lane *lane);
/* This modem takes no messages any more, or is about to be freed. */
void outbox_lane_lose(struct outbox_lane *lane, const struct modem *modem);
/* Frees messages that are done. True: none is left, the lane may go. */
bool outbox_lane_sweep(struct outbox_lane *lane);

#endif
