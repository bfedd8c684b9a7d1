/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The struct behind struct outbox, for the files that implement sms/outbox.h and
 * sms/outbox.h. Each part belongs to one file; the others call its functions.
 *
 * Private to src/sms/outbox*.c.
 */
#pragma once

#include "sms/outbox.h"
#include "sms/outbox_deadline.h"
#include "sms/outbox_message.h"
#include "sms/outbox_step.h"
#include "sms/sim_queue.h"

enum { OUTBOX_SEEN_MAX = 16 };

/* Messages that oFono accepted, and that may be of another program; oldest first. */
struct outbox_seen_messages {
	unsigned count;
	struct outbox_seen_message {
		char uuid[MESSAGE_UUID_BYTES];
		int64_t sim_id;
		int64_t at_ms; /* wall clock */
		enum ofono_message_state state;
		bool is_recorded; /* by our plugin, unless that cannot write */
	} messages[OUTBOX_SEEN_MAX];
};

struct outbox {
	const struct config *config;
	struct store *store;
	struct outbox_messages messages;   /* outbox_message.c */
	struct sim_queues queues;	   /* sim_queue.c */
	struct outbox_deadlines deadlines; /* outbox_deadline.c */
	TAILQ_HEAD(outbox_cancellation_list, outbox_cancellation)
	cancellations; /* outbox_cancel.c */
	/* outbox.c */
	/* runs the outbox before the loop sleeps, if requested */
	sd_event_source *run_source;
	sd_event_source *run_again; /* enabled while another run is due at once */
	struct observer ofono_observer;
	struct observer sims_observer;
	struct observer codes_observer;
	bool storage_is_short;		  /* already logged */
	struct outbox_seen_messages seen; /* outbox_record.c */
	/* outbox_failover.c */
	outbox_route_finder find_route; /* NULL if no message moves */
	outbox_sim_check is_left;	/* likewise */
	void *find_route_data;
	/* NULL if the radio does not send again safely */
	sd_event_source *failover_timer;
	bool is_stranded; /* a message waits for a SIM that cannot send now */
};

/* Converts a result of the store: 0, -errno, OUTBOX_E_STORAGE, or `otherwise`. */
static inline int outbox_result(int error, int otherwise)
{
	if (error == STORE_E_FULL)
		return OUTBOX_E_STORAGE;
	return error > 0 ? otherwise : error;
}

/* Did the user approve the draft already, and does that approval end first? */
bool outbox_approval_ends(const struct store_message_draft *draft);

/* Asks oFono to cancel the messages for which that is due. */
void outbox_cancel_start_due(struct outbox *outbox);
void outbox_cancel_deinit(struct outbox *outbox); /* no callback is called any more */

/* oFono accepted a message, perhaps one of ours; and the state of any message. */
void outbox_record_on_added(struct outbox *outbox, const struct ofono_event *event);
void outbox_record_on_state(struct outbox *outbox, const struct ofono_event *event);
/* Decides about those that waited for the answer to a call of ours. */
void outbox_record_run(struct outbox *outbox);

/* After the messages were read. Returns 0 or -errno. */
int outbox_failover_init(struct outbox *outbox, sd_event *loop);
void outbox_failover_deinit(struct outbox *outbox);
/* Reads how a message of the store was routed, and its attempts. */
void outbox_failover_read(struct outbox_message *message);
/* Moves what leaves its SIM, and what waits for one that cannot send. */
void outbox_failover_run(struct outbox *outbox);
