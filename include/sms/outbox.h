/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox: outgoing messages, from acceptance to their final state.
 *
 * A message is on disk before outbox_accept() returns. After that neither the network nor a
 * crash can lose it, and nothing sends it twice (tests/integration/test_crash.py).
 *
 * oFono holds at most one message per SIM; the others wait in order of their message IDs.
 * Each message goes through these steps: the state "submitting" is on disk -> SendMessage ->
 * "submitted" with the UUID on disk -> oFono reports the outcome. After a restart queued
 * messages continue, those that were being submitted become unknown, and submitted ones are
 * held until oFono lists them (submitted again) or does not (unknown).
 *
 * Messages that need the owner's approval wait for it first: sms/outbox.h.
 * Scheduled messages wait for their time, and every message that waits in the gateway can
 * expire; both survive a restart (tests/integration/test_outgoing_ledger.py).
 *
 * Callers stop waiting when a message becomes unknown, but a late answer from oFono still
 * corrects the stored state.
 */
#pragma once

#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/observer.h"
#include "ofono/ofono.h"
#include "phone/sim.h"
#include "sms/message_counters.h"
#include "store/store.h"
#include "store/store_message.h"

struct config;
struct received_codes;
struct store_routed;

/* outcomes */
enum {
	OUTBOX_E_FULL = 1,     /* outbox_has_room() is false */
	OUTBOX_E_STORAGE,      /* the disk is full, or only the reserve is left */
	OUTBOX_E_TOO_LATE,     /* oFono is sending it, or its outcome is known */
	OUTBOX_E_CANCELLING,   /* oFono is being asked to cancel it */
	OUTBOX_E_CANCEL_LATER, /* oFono has it but its modem is away: asked later */
	OUTBOX_E_NO_ANSWER,    /* oFono did not answer: the outcome is unknown */
	OUTBOX_E_NOT_WAITING,  /* it does not wait for approval, or no longer */
	OUTBOX_E_EDITED,       /* it is not as it was when it was shown for approval */
};

struct outbox;

/* all in milliseconds */
struct outbox_timing {
	uint64_t answer_ms; /* before a SendMessage call counts as lost; 30 s */
	uint64_t retry_ms;  /* first pause before SendMessage is repeated; doubles; 1 s */
	uint64_t retry_max_ms; /* longest such pause; 60 s */
	/* before oFono is asked again which messages it holds; 1 s */
	uint64_t listing_ms;
	uint64_t storage_ms; /* before the disk is tried again; 250 ms */
	/* A registered modem that holds a message counts as stuck after this time: as
	 * configured, 0 for never; each further segment adds as much; 30 s by default. */
	uint64_t stuck_ms;
	uint64_t stuck_segment_ms;
	/* before a message in doubt whose client wants that is sent again; 5 min */
	uint64_t resend_ms;
};

/* for the observers of one message and of the whole outbox */
struct outbox_event {
	int64_t message_id;
	enum message_state state;
	/* "" if there is none; an error code such as "network_refused" */
	const char *reason;
	enum delivery delivery;
	bool last;		   /* there will be no further event of this message */
	bool edited;		   /* number, text or time may also have changed */
	const char *former_number; /* of a message with a new recipient; else NULL */
};

/* Returns 0 or -errno. The parameters outlive the outbox. */
int outbox_new(sd_event *loop, const struct config *config, struct store *store,
	       struct sims *sims, struct ofono *ofono, struct outbox **outbox_out);
void outbox_free(struct outbox *outbox); /* NULL is fine; the rows stay as they are */

/*
 * While the outbox is paused nothing is submitted to oFono. Waiting messages stay, may
 * expire, and go out after the pause. What oFono already has is not affected.
 */
void outbox_set_paused(struct outbox *outbox, bool paused);

/* Counts messages there from now on; `counters` is borrowed. */
void outbox_set_message_counters(struct outbox *outbox,
				 struct message_counters *counters);

/* Texts are judged before they are submitted from now on; `codes` is borrowed. */
void outbox_set_received_codes(struct outbox *outbox, struct received_codes *codes);

/* When a message may be submitted. */
struct outbox_slot {
	int64_t send_at_ms; /* wall clock; 0 for now */
	const char *reason; /* static text: why later, or never */
	bool is_never;	    /* it must not be sent at all */
};

/*
 * Judges a message before it is submitted; one that may only go later becomes scheduled, with the
 * reason, and one that may never go is cancelled. Returns 0, or a negative errno or store error: it
 * stays queued. The outbox may not know the policy, so the policy passes this in.
 */
typedef int (*outbox_slot_finder)(void *data, const struct message *message,
				  struct arena *arena, struct outbox_slot *slot_out);
void outbox_set_slot_finder(struct outbox *outbox, outbox_slot_finder find, void *data);

/*
 * Finds the SIM that is to send a message which its own SIM does not send; 0 if there is no other
 * one. `outcome` says why its own does not: an error code or "not_delivered", "closed", "in_doubt",
 * "resent"; "" if the SIM only cannot send now.
 */
typedef int64_t (*outbox_route_finder)(void *data, const struct message *message,
				       const struct store_routed *routed,
				       const char *outcome);
/* Is such an `outcome` a failure of the SIM, and not a limit or rule that its owner has set? */
bool outbox_failover_is_failure(const char *outcome);
/* Does the owner want what waits for this SIM to go to another one? */
typedef bool (*outbox_sim_check)(void *data, int64_t sim_id);
void outbox_failover_set_finder(struct outbox *outbox, outbox_route_finder find,
				outbox_sim_check is_left, void *data);
/* What waits is routed again: the owner's wishes have changed. */
void outbox_failover_review(struct outbox *outbox);

/*
 * The owner wants a message sent again that is in doubt or unknown, though it may have been sent,
 * and though its validity may be over. An audit line says so, and `by` whom. Returns 0;
 * OUTBOX_E_TOO_LATE if it is neither, or the radio cannot do that; STORE_E_FULL becomes
 * OUTBOX_E_STORAGE; -errno.
 */
int outbox_failover_resend(struct outbox *outbox, int64_t message_id, const char *by);

void outbox_set_timing(struct outbox *outbox,
		       const struct outbox_timing *timing); /* tests */

/*
 * Accepts a message. When 0 is returned it is on disk in the state of its draft, and no observer of
 * the message has been notified yet. Otherwise -errno, OUTBOX_E_FULL or OUTBOX_E_STORAGE is.
 *
 * A draft with is_awaited survives a power loss only after it was submitted to oFono or
 * after store_sync(): the caller must not report it as accepted earlier. If it could be
 * submitted at once, its row says "submitting" from the beginning, and a crash before the
 * end of the loop turn makes it unknown.
 */
int outbox_accept(struct outbox *outbox, const struct store_message_draft *draft,
		  int64_t *message_id_out);
/*
 * Accepts several messages from one SIM: all of them in one commit, or none. Otherwise like
 * outbox_accept(); no draft has is_awaited (tests/integration/test_crash_matrix.py).
 */
int outbox_accept_all(struct outbox *outbox, const struct store_message_draft *drafts,
		      size_t count, int64_t *message_ids_out);

/*
 * Notifies the observer of every later change (struct outbox_event) until observer_remove(). A sent
 * message whose delivery report is awaited can also be observed. Returns false if there will be no
 * further event; read the store. The outbox removes the observer after the last event: a final
 * state or, where one is awaited, the delivery report (an event of its own: delivered, or still
 * sent).
 */
bool outbox_watch(struct outbox *outbox, int64_t message_id, struct observer *observer,
		  void (*notify)(void *data, const void *event), void *data);

/*
 * Observers of all messages. They are notified inside outbox_accept(), of every change, and
 * again when the disk takes a state that it refused at first.
 */
struct observers *outbox_observers(struct outbox *outbox);

/*
 * Returns how many messages wait in the gateway, including scheduled ones. queue_limit limits
 * these.
 */
unsigned outbox_waiting(const struct outbox *outbox);
/* Returns those of them that wait for the owner's approval. */
unsigned outbox_waiting_for_approval(const struct outbox *outbox);
/* Returns how many messages of this SIM go out before one that is accepted now. */
unsigned outbox_queued(const struct outbox *outbox, int64_t sim_id);
bool outbox_is_full(const struct outbox *outbox);
/*
 * Returns how many messages of this client may wait: queue_limit divided by the number of paired
 * clients, so that no client can block the others. For the owner, and in an open gateway, it is the
 * whole limit.
 */
int64_t outbox_client_limit(const struct outbox *outbox, int64_t client_id);
/* Is there room for `count` more messages of this client? */
bool outbox_has_room(const struct outbox *outbox, int64_t client_id, size_t count);
/*
 * Returns whether the disk has room for another message, and the message store is intact. Logs
 * changes.
 */
bool outbox_has_storage(struct outbox *outbox);
/* Are more than reserve_mib free? Returns true also when the file system does not say. */
bool outbox_has_disk_space(const struct config *config);

/*
 * Replaces number, text, time and state of a message that waits in the gateway with those of the
 * draft (src/sms/outbox_edit.c); see store/store_edit.h. `former` is the message as the store has
 * it. Returns 0, after which no restart sends the former version; or OUTBOX_E_TOO_LATE, _STORAGE or
 * -errno, and nothing has changed.
 */
int outbox_edit(struct outbox *outbox, const struct message *former,
		const struct store_message_draft *draft, bool keeps_time);

/* ---- cancelling (src/sms/outbox_cancel.c) ------------------------------------------ */

struct outbox_cancellation; /* oFono is being asked to cancel a message */

/*
 * Cancels a message. Returns 0 if it is cancelled, and no restart sends it. Returns
 * OUTBOX_E_CANCELLING if oFono has it and is being asked, see outbox_cancel_wait(); only then
 * *cancellation_out is written. Returns OUTBOX_E_CANCEL_LATER if its modem is away: the request is
 * on disk, and oFono is asked as soon as it lists the message again
 * (tests/integration/test_cancel_and_dry_run.py). With OUTBOX_E_TOO_LATE, _STORAGE and -errno
 * nothing has changed.
 */
int outbox_cancel(struct outbox *outbox, int64_t message_id,
		  struct outbox_cancellation **cancellation_out);

/*
 * Calls `done` once, later, with the outcome: 0, OUTBOX_E_TOO_LATE, _CANCEL_LATER, _STORAGE
 * or _NO_ANSWER. The cancellation is freed then. Call this in the same loop turn as
 * outbox_cancel().
 */
void outbox_cancel_wait(struct outbox_cancellation *cancellation,
			void (*done)(void *data, int outcome), void *data);
/* `done` is not called any more; oFono is asked all the same. NULL is fine. */
void outbox_cancel_leave(struct outbox_cancellation *cancellation);

/*
 * Cancels a message that still waits in the gateway, for `reason` (static, an entry of
 * doc/errors.md). Returns 0, after which no restart sends it; OUTBOX_E_TOO_LATE, _STORAGE or
 * -errno.
 */
int outbox_cancel_waiting(struct outbox *outbox, int64_t message_id, const char *reason);

/*
 * The caller of outbox_accept() left before it learned the message ID. If the message still
 * waits in the gateway it is cancelled ("client_left") and its idempotency key is free
 * again, so the same request makes a new message. Otherwise it goes on.
 */
void outbox_cancel_abandoned(struct outbox *outbox, int64_t message_id);
/* A repeated request relies on the message: outbox_cancel_abandoned() leaves it alone. */
void outbox_cancel_never_abandoned(struct outbox *outbox, int64_t message_id);

/* ---- approval (outbox_approval.c): the owner approves or rejects messages that wait for it */

enum {
	OUTBOX_APPROVAL_VALID_MS = 10 * 60 * 1000,
	/* with the longest texts one answer has room for them */
	OUTBOX_APPROVAL_PAGE = 40,
};

/* Reasons of the states queued and scheduled. */
extern const char outbox_approval_by_owner[]; /* with `ofono-mcp approve` */
extern const char outbox_approval_by_user[];  /* in a form of the agent */

/*
 * Approves a message that waits for it, with its present number, text and SIM. `revision` is the
 * one of which that was read (struct message): if the message was edited since, nobody has seen
 * what would be sent. The approval is valid once, for ten minutes or until the message's own
 * validity ends; then the message expires. Returns 0 if the decision is on disk. Otherwise nothing
 * has changed: OUTBOX_E_NOT_WAITING (the store has its state), OUTBOX_E_EDITED, OUTBOX_E_STORAGE,
 * -errno. `who` is for the log and the audit.
 */
int outbox_approval_give(struct outbox *outbox, int64_t message_id, unsigned revision,
			 const char *who);
/*
 * Rejects it, whatever its revision, with words for the agent (which may be ""). Returns what
 * outbox_approval_give() does.
 */
int outbox_approval_reject(struct outbox *outbox, int64_t message_id, const char *who,
			   const char *words);

/*
 * Returns until when a message that waits for approval can be approved: wall clock, as set now.
 * Without an outbox (NULL) the answer comes from the row alone.
 */
int64_t outbox_approval_until(const struct outbox *outbox, const struct config *config,
			      const struct message *row);

/*
 * Returns when a message expires that is approved at `approved_ms`: the end of the approval, or
 * `expires_at_ms` (0 for never) if that is earlier.
 */
int64_t outbox_approval_expiry(int64_t approved_ms, int64_t send_at_ms,
			       int64_t expires_at_ms);

struct outbox_approval_page {
	int64_t after_id; /* the page begins after this message ID */
	int64_t ids[OUTBOX_APPROVAL_PAGE];
	unsigned listed;
	unsigned waiting; /* all after after_id */
};

/*
 * Lists messages after this one that wait for approval, oldest first. Returns 0 or a store error.
 */
int outbox_approval_page_read(struct store *store, int64_t after_id,
			      struct outbox_approval_page *page_out);
