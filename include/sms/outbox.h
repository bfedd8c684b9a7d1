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
 * Messages that need the owner's approval wait for it first: sms/outbox_approval.h.
 * Scheduled messages wait for their time, and every message that waits in the gateway can
 * expire; both survive a restart (tests/integration/test_outgoing_ledger.py).
 *
 * Callers stop waiting when a message becomes unknown, but a late answer from oFono still
 * corrects the stored state.
 */
#ifndef SMS_OUTBOX_H
#define SMS_OUTBOX_H

#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/observer.h"
#include "ofono/ofono.h"
#include "phone/sim.h"
#include "sms/message_counters.h"
#include "store/store.h"
#include "store/store_message.h"

struct config;

/* outcomes */
enum {
	OUTBOX_E_FULL = 1,     /* outbox_has_room() is false */
	OUTBOX_E_STORAGE,      /* the disk is full, or only the reserve is left */
	OUTBOX_E_TOO_LATE,     /* oFono is sending it, or its outcome is known */
	OUTBOX_E_CANCELLING,   /* oFono is being asked to cancel it */
	OUTBOX_E_CANCEL_LATER, /* oFono has it but its modem is away: asked later */
	OUTBOX_E_NO_ANSWER,    /* oFono did not answer: the outcome is unknown */
	OUTBOX_E_NOT_WAITING,  /* it does not wait for approval, or no longer */
};

struct outbox;

/* all in milliseconds */
struct outbox_timing {
	uint64_t answer_ms; /* before a SendMessage call counts as lost; 30 s */
	uint64_t retry_ms;  /* first pause before SendMessage is repeated; doubles; 1 s */
	uint64_t retry_max_ms; /* longest such pause; 60 s */
	uint64_t
		listing_ms; /* before oFono is asked again which messages it holds; 1 s */
	uint64_t storage_ms; /* before the disk is tried again; 5 s */
	/* Before a registered modem that holds a message counts as stuck: as configured, 0
	 * never; plus this much for each further segment; 30 s */
	uint64_t stuck_ms;
	uint64_t stuck_segment_ms;
};

/* for the observers of one message and of the whole outbox */
struct outbox_event {
	int64_t message_id;
	enum message_state state;
	const char *reason; /* "" none; an error code such as "network_refused" */
	enum delivery delivery;
	bool last; /* there will be no further event of this message */
};

/* 0 or -errno. The parameters outlive the outbox. */
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

void outbox_set_timing(struct outbox *outbox,
		       const struct outbox_timing *timing); /* tests */

/*
 * Accepts a message. When 0 is returned it is on disk in the state of its draft, and no
 * observer of the message has been notified yet. -errno, OUTBOX_E_FULL, OUTBOX_E_STORAGE.
 *
 * A draft with is_awaited survives a power loss only after it was submitted to oFono or
 * after outbox_sync(): the caller must not report it as accepted earlier. If it could be
 * submitted at once, its row says "submitting" from the beginning, and a crash before the
 * end of the loop turn makes it unknown.
 */
int outbox_accept(struct outbox *outbox, const struct store_message_draft *draft,
		  int64_t *message_id_out);
/* Waits until the disk has confirmed everything that was accepted. 0 or -errno. */
int outbox_sync(struct outbox *outbox);

/*
 * Notifies the observer of every later change (struct outbox_event) until observer_remove().
 * A sent message whose delivery report is awaited can be observed, too. False: there will be
 * no further event; read the store. The outbox removes the observer after the last event: a
 * final state or, where one is awaited, the delivery report (an event of its own: delivered,
 * or still sent).
 */
bool outbox_watch(struct outbox *outbox, int64_t message_id, struct observer *observer,
		  void (*notify)(void *data, const void *event), void *data);

/*
 * Observers of all messages. They are notified inside outbox_accept(), of every change, and
 * again when the disk takes a state that it refused at first.
 */
struct observers *outbox_observers(struct outbox *outbox);

/* Messages that wait in the gateway, including scheduled ones. queue_limit limits these. */
unsigned outbox_waiting(const struct outbox *outbox);
/* Those of them that wait for the owner's approval. */
unsigned outbox_waiting_for_approval(const struct outbox *outbox);
bool outbox_is_full(const struct outbox *outbox);
/*
 * How many messages of this client may wait: queue_limit divided by the number of paired
 * clients, so that no client can block the others. For the owner, and in an open gateway, it
 * is the whole limit.
 */
int64_t outbox_client_limit(const struct outbox *outbox, int64_t client_id);
bool outbox_has_room(const struct outbox *outbox, int64_t client_id);
/* The disk has room for another message, and the message store is intact. Logs changes. */
bool outbox_has_storage(struct outbox *outbox);
/* More than reserve_mib are free. Also true when the file system does not say. */
bool outbox_has_disk_space(const struct config *config);

/* ---- cancelling (src/sms/outbox_cancel.c) ------------------------------------------ */

struct outbox_cancellation; /* oFono is being asked to cancel a message */

/*
 * Cancels a message. 0: it is cancelled, and no restart sends it. OUTBOX_E_CANCELLING:
 * oFono has it and is being asked, see outbox_cancel_wait(); only then *cancellation_out is
 * written. OUTBOX_E_CANCEL_LATER: its modem is away; the request is on disk, and oFono is
 * asked as soon as it lists the message again (tests/integration/test_cancel_and_dry_run.py).
 * With OUTBOX_E_TOO_LATE, _STORAGE and -errno nothing has changed.
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
 * doc/errors.md). After 0 no restart sends it. OUTBOX_E_TOO_LATE, _STORAGE, -errno.
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

#endif
