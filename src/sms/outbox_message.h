/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox message: one outgoing message that is not finished, its state in memory and on disk,
 * and its observers.
 *
 * Private to src/sms. Phone number and text stay in the store until they are needed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/arena.h"
#include "base/observer.h"
#include "ofono/message.h"
#include "ofono/ofono.h"
#include "sms/message_counters.h"
#include "sms/outbox.h"
#include "sms/outbox_deadline.h"
#include "store/store_attempt.h"
#include "store/store_message.h"

extern const char outbox_failover_not_delivered[];
/* Reason of a state in which only oFono can cancel the message. */
extern const char outbox_message_cancel_wanted[];

/* Where a message is on its way; the diagram is in src/sms/outbox_step.c. */
enum outbox_stage {
	STAGE_WAITING,	  /* in the gateway, which may send it later or never */
	STAGE_PREPARED,	  /* queued, but accepted with a row that says submitting */
	STAGE_CLAIMED,	  /* submitted in this run, after store_sync() */
	STAGE_CALLING,	  /* SendMessage is not answered */
	STAGE_WITH_OFONO, /* which has it, or may have it */
	STAGE_ENDED,	  /* its state is final */
};

/* What all messages of one outbox share. Only outbox_message.c changes it. */
struct outbox_messages {
	struct store *store;
	struct observers observers;	   /* of all messages */
	struct message_counters *counters; /* NULL if nothing is counted */
	unsigned waiting;		   /* messages that message_state_is_waiting() */
	unsigned waiting_for_approval;	   /* of these */
	bool storage_refuses;		   /* already logged */
	bool sends_again;		   /* ofono_sends_again_safely() */
	bool reroute_due;	     /* a SIM may have become unable to send, or able */
	bool run_due;		     /* outbox_messages_request_run() */
	sd_event_source *sync_timer; /* enabled: the disk has to confirm something */
};

/* What oFono needs to send a message. */
struct outbox_message_payload {
	const char *number;
	const char *text;
};

struct outbox_message {
	struct outbox_messages *messages;
	int64_t id;
	int64_t sim_id;
	int64_t client_id;
	unsigned segments;
	unsigned revision; /* see struct message */
	enum outbox_stage
		stage; /* this and the states: only outbox_step.c changes them */
	enum message_state state;
	enum message_state
		saved; /* differs while the disk refuses `state`, and if prepared */
	enum delivery delivery;
	enum delivery saved_delivery;
	const char *reason; /* static text, "" if there is none */
	/* submitting, by a gateway that is gone: what ofonod records tells whether it was */
	bool is_lost;
	bool is_asked_for;    /* held before the question that oFono is answering now */
	bool cancel_wanted;   /* stays while held and submitted, on disk too */
	bool waits_for_owner; /* submitted: for the approval of the phone's owner */
	bool cancel_due;      /* oFono, which has it, can be asked to cancel it */
	/* See struct message_order; only where the radio sends again safely. */
	unsigned attempt;
	int64_t epoch;
	bool is_closing; /* the radio is being asked to close it */
	/* When the radio has closed it, it fails for this reason, or leaves its SIM. */
	const char *refusal;
	bool refusal_is_final;
	/* its SIM certainly does not send it: why; NULL if it stays */
	const char *leaves;
	bool is_decided; /* it leaves although the SIM may have sent it */
	struct store_routed routed;
	int64_t doubtful_since_ms; /* wall clock; 0 if not in doubt */
	bool never_abandoned;	   /* outbox_cancel_never_abandoned() */
	bool is_spread;		   /* see struct store_message_draft */
	struct outbox_deadline deadline;
	char uuid[MESSAGE_UUID_BYTES];
	bool uuid_unsaved;			/* the row has another one, or none */
	struct outbox_message_payload *payload; /* while prepared or claimed; else NULL */
	struct observers observers;
	TAILQ_ENTRY(outbox_message) link;
};

TAILQ_HEAD(outbox_message_list, outbox_message);

/* Returns 0 or -errno; outbox_messages_deinit() is due in either case. */
int outbox_messages_init(struct outbox_messages *messages, sd_event *loop,
			 struct store *store);
void outbox_messages_deinit(struct outbox_messages *messages);
/* Asks for outbox_run() at the end of this turn of the loop, or of the next one. */
void outbox_messages_request_run(struct outbox_messages *messages);
/*
 * After a lazy change of the store (store/store.h): lets the disk confirm it soon. So no
 * answer to an agent waits for the disk.
 */
void outbox_messages_sync_later(struct outbox_messages *messages);
/* Logs the first refusal of the disk (`error` not 0), and the end of refusals. */
void outbox_messages_set_refused(struct outbox_messages *messages, int error);
/* `change` is 1 or -1 message in this state. */
void outbox_messages_count(struct outbox_messages *messages, enum message_state state,
			   int change);

/* Returns a message of the store, or one that has no row yet; NULL if memory runs out. */
struct outbox_message *outbox_message_new(struct outbox_messages *messages,
					  const struct message *row);
void outbox_message_free(struct outbox_message *message); /* removes its observers */

/* It has said all it has to say: nobody is notified of it any more. */
void outbox_message_remove_observers(struct outbox_message *message);

bool outbox_message_is_saved(const struct outbox_message *message);
/* Was it submitted by a gateway that is gone? If so, what ofonod recorded is not known yet. */
bool outbox_message_is_lost(const struct outbox_message *message);
/*
 * This exists only where the radio sends again safely: it was submitted and not answered, so the
 * radio may have it. It is submitted again with the same ID and attempt, or closed.
 */
bool outbox_message_is_in_doubt(const struct outbox_message *message);
/* Returns what the radio is asked with; `payload` is NULL to cancel it. */
struct message_order outbox_message_order(const struct outbox_message *message,
					  const struct outbox_message_payload *payload);
/*
 * Returns whether there will be no further event: it is final, and no delivery report is awaited.
 */
bool outbox_message_has_ended(const struct outbox_message *message);
/* Returns whether nothing is left to do: it is final and on disk, and nobody waits for a report. */
bool outbox_message_is_done(const struct outbox_message *message);

enum { OUTBOX_MESSAGE_ARENA_BYTES = 1024 * 1024 }; /* the most that one row takes */

/* Makes one piece of memory, for free(). Returns NULL if memory runs out. */
struct outbox_message_payload *outbox_message_payload_new(const char *number,
							  const char *text);
/* Reads the payload of its row. Returns 0, -errno or STORE_E_NOT_FOUND. */
int outbox_message_payload_read(const struct outbox_message *message,
				struct outbox_message_payload **payload_out);

/*
 * Returns the reason (an error code) for the D-Bus error with which oFono refused it; NULL if there
 * is no error name. `modem` is NULL if it has gone meanwhile.
 */
const char *outbox_message_refusal_reason(const struct outbox_message *message,
					  const struct modem *modem, const char *error);
