/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIM queue: the unfinished messages of one SIM, of which oFono has at most one at a time; and
 * the set of all these queues.
 *
 * Private to src/sms. src/sms/sim_queue.c explains when a queue may submit, and
 * src/sms/sim_submit.c submits.
 */
#pragma once

#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "ofono/message.h"
#include "phone/sim.h"
#include "sms/outbox_message.h"
#include "sms/outbox_record.h"
#include "sms/received_code.h"

/* States and reports of messages with a UUID that no message has yet; only the newest are kept. */
enum { SIM_QUEUE_EARLY_STATES_MAX = 4 };

struct sim_queue_early_state {
	char uuid[MESSAGE_UUID_BYTES];
	bool is_report; /* only `delivered` counts */
	bool delivered;
	enum ofono_message_state state;
	const char *reason; /* as in struct ofono_event */
};

struct sim_queue {
	struct sim_queues *queues;
	int64_t sim_id;
	struct outbox_message_list messages; /* in order of their IDs */
	struct modem *modem; /* which has our submitted messages; NULL while it is away */

	struct outbox_message *current; /* claimed, or calling; or NULL */
	struct message_send *send;	/* its SendMessage call under way, or NULL */
	bool is_unanswered;		/* the call takes so long that the SIM is stuck */
	sd_event_source *answer_timer;	/* enabled while an answer would be in time */
	struct sim_queue_early_state early_states[SIM_QUEUE_EARLY_STATES_MAX];
	unsigned early_state_count; /* all that came during the call */

	struct message_listing *listing; /* the GetMessages call under way, or NULL */
	sd_event_source *pause_timer;	 /* enabled: nothing is tried until it ends */
	unsigned failed_sends;		 /* in a row */
	unsigned failed_listings;	 /* in a row */

	sd_event_source *stuck_timer; /* enabled while the modem has a message */
	bool is_stuck;		      /* it has had that for too long */
	TAILQ_ENTRY(sim_queue) link;
};

/* all queues of one outbox */
struct sim_queues {
	sd_event *loop;
	struct outbox_messages *messages;
	struct sims *sims;
	struct outbox_timing timing;
	bool is_paused;		      /* nothing is submitted */
	struct received_codes *codes; /* NULL if no text is judged */
	/* CLOCK_BOOTTIME of the last call without an answer; 0 if there is none */
	int64_t call_lost_ms;
	/* What is recorded of outgoing messages, see outbox_record_set_reader(). */
	int64_t recorded_since_ms;	   /* CLOCK_BOOTTIME; 0 if nothing is recorded */
	outbox_record_reader read_records; /* NULL if nothing is recorded */
	void *records_data;
	outbox_slot_finder find_slot; /* NULL if limits are not asked again */
	void *find_slot_data;
	TAILQ_HEAD(sim_queue_list, sim_queue) list;
};

/* ---- one queue ----------------------------------------------------------------------- */

/* Returns whether a message that is queued now could be submitted in this run. */
bool sim_queue_is_free(const struct sim_queue *queue);
/* The SIM did not take a message: the next try is later and later. */
void sim_queue_pause_sends(struct sim_queue *queue);
/* The modem did not answer a question: nothing is tried for a while. */
void sim_queue_pause(struct sim_queue *queue);
/* The disk refuses something: nothing is tried for a short while. */
void sim_queue_pause_for_storage(struct sim_queue *queue);
void sim_queue_start_timer(sd_event_source *timer, uint64_t after_ms); /* once */

/* ---- its current message (src/sms/sim_submit.c) -------------------------------------- */

/* Judges a message once more and claims it; or it waits for something else, or a pause begins. */
void sim_submit_claim(struct sim_queue *queue, struct outbox_message *message,
		      struct modem *modem);
/* Passes the claimed message to oFono, after store_sync() with this result. */
void sim_submit_call(struct sim_queue *queue, int sync_error);
/* The call has been answered, or nobody waits for the answer any more. */
void sim_submit_end_call(struct sim_queue *queue);
int sim_submit_on_overdue(sd_event_source *source, uint64_t usec, void *data);
/* Keeps, during SendMessage, the state or report of a message whose UUID is not known here. */
void sim_submit_keep_early_state(struct sim_queue *queue,
				 const struct ofono_event *event);

/*
 * Ends the wait for what is recorded of a lost message. `has_answered` says that oFono has handled
 * the lost call, if it ever came.
 */
void sim_submit_settle_lost(struct sim_queue *queue, bool has_answered);
/* Finds out after a restart what is still known of messages that oFono may have. */
void sim_submit_restart(struct sim_queues *queues);

/* ---- all queues ---------------------------------------------------------------------- */

/* The members before `timing` are set by the caller. */
void sim_queues_init(struct sim_queues *queues, const struct outbox_timing *timing);
/* Frees all queues and their messages; the rows stay. */
void sim_queues_deinit(struct sim_queues *queues);

/* Returns the queue of a SIM, created when there is none; NULL if memory runs out. */
struct sim_queue *sim_queues_get(struct sim_queues *queues, int64_t sim_id);
/* Takes a row into memory, at the end of its queue. Returns NULL if memory runs out. */
struct outbox_message *sim_queues_add(struct sim_queues *queues,
				      const struct message *row);
/* Returns NULL if it is not in memory. `queue_out` may be NULL. */
struct outbox_message *sim_queues_find(const struct sim_queues *queues,
				       int64_t message_id, struct sim_queue **queue_out);
struct outbox_message *sim_queues_find_uuid(const struct sim_queues *queues,
					    const char *uuid);

/* The three steps of a run: advance, sweep, submit what was claimed after one store_sync(). */
void sim_queues_advance(struct sim_queues *queues);
void sim_queues_sweep(struct sim_queues *queues); /* also frees empty queues */
void sim_queues_submit(struct sim_queues *queues);

/* oFono reported the state of a message, perhaps before it answered to SendMessage. */
void sim_queues_on_state(struct sim_queues *queues, const struct ofono_event *event);
/* No message has the UUID of this report: it may be of one whose SendMessage is not answered. */
void sim_queues_keep_report(struct sim_queues *queues, const struct ofono_event *event);
/* This modem does not accept messages any more, or is about to be freed. */
void sim_queues_on_modem_lost(struct sim_queues *queues, const struct modem *modem);
/* A SIM has changed: pauses end. */
void sim_queues_on_sim_changed(struct sim_queues *queues);
