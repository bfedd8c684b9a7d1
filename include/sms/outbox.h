/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox: messages on their way out.
 *
 * A message is on disk before outbox_submit() returns; nothing the network or a crash does
 * afterwards can lose it, and nothing sends it twice (tests/integration/test_crash.py).
 *
 * Per SIM one message at a time is in oFono's hands, the others wait in order of their
 * number. For each: state handing on disk -> SendMessage -> handed with its UUID on disk ->
 * oFono tells the state. At start: queued ones go on, handing ones become unknown, handed
 * ones become held until oFono lists them (handed) or does not (unknown).
 *
 * Those that need the owner's yes wait for it, first of all: outbox_approve().
 *
 * Scheduled ones wait for their time, and all that wait in the gateway may expire; both
 * survive a restart (tests/integration/test_outgoing_ledger.py).
 *
 * Unknown ends the waiting, but oFono's late answer still corrects the stored state.
 */
#ifndef SMS_OUTBOX_H
#define SMS_OUTBOX_H

#include <stdint.h>
#include <systemd/sd-event.h>

#include "config/config.h"
#include "base/observer.h"
#include "ofono/ofono.h"
#include "phone/sim.h"
#include "sms/tally.h"
#include "store/delivery.h"
#include "store/store.h"

/* outcomes */
enum {
	OUTBOX_E_FULL = 1,  /* outbox_has_room() says no */
	OUTBOX_E_STORAGE,   /* the disk takes nothing more, or its last is reserved */
	OUTBOX_E_TOO_LATE,  /* it is on its way, or its outcome is known */
	OUTBOX_E_ASKING,    /* oFono is being asked to cancel it */
	OUTBOX_E_LATER,	    /* oFono has it and cannot be asked yet: the wish is noted */
	OUTBOX_E_NO_ANSWER, /* oFono was asked and did not answer: nobody knows */
	OUTBOX_E_NOT_WAITING, /* it waits for no yes: never did, or not any more */
};

struct outbox;

/* how long, in milliseconds */
struct outbox_timing {
	uint64_t answer_ms;	/* until SendMessage counts as lost; 30 s */
	uint64_t retry_ms;	/* before handing over again, doubling; 1 s */
	uint64_t retry_most_ms; /* ... up to this; 60 s */
	uint64_t listing_ms;	/* before asking again what oFono holds; 1 s */
	uint64_t storage_ms;	/* before the disk is tried again; 5 s */
	/* before a registered modem with a message counts as stuck, as configured, 0 for
	 * never; and more for each of its parts but the first; 30 s */
	uint64_t stuck_ms;
	uint64_t stuck_part_ms;
};

/* to those who watch a message, and to outbox_observers() */
struct outbox_event {
	int64_t message_id;
	enum message_state state;
	const char
		*reason; /* "" none; a code of product errors: "network_refused", ... */
	enum delivery delivery; /* as it is stored */
	bool last;		/* nothing more can be told */
};

int outbox_new(sd_event *loop, const struct config *config, struct store *store,
	       struct sims *sims, struct ofono *ofono, struct outbox **outbox_out);
void outbox_free(struct outbox *outbox); /* NULL is fine; the rows stay as they are */

/*
 * While it is paused nothing is handed to oFono; what waits stays and may expire, and goes
 * on when the pause is over. What oFono has it has.
 */
void outbox_set_paused(struct outbox *outbox, bool paused);

/* From now on messages are counted there; it is borrowed. */
void outbox_set_tally(struct outbox *outbox, struct tally *tally);

void outbox_set_timing(struct outbox *outbox,
		       const struct outbox_timing *timing); /* tests */

/*
 * Takes a message over: it is on disk (in its draft's state) when 0 returns, and nobody who
 * watches it has been told anything yet. -errno, OUTBOX_E_FULL, OUTBOX_E_STORAGE.
 *
 * One that is_awaited is safe from a loss of power only when it is handed to oFono, or after
 * outbox_settle(): who submits it tells of it after one of these. When it could be handed over
 * at once its row says so from the beginning, and a crash before the turn's end makes it unknown.
 */
int outbox_submit(struct outbox *outbox, const struct message_draft *draft,
		  int64_t *message_id_out);
int outbox_settle(struct outbox *outbox); /* 0 or -errno */

/*
 * Hears every later change (struct outbox_event) until observer_remove(). A message that
 * was sent and whose delivery report is awaited can be watched, too. False: nothing more
 * can be told of it (ask the store). The observer is removed by itself after the last that
 * can be told: a final state, or, where one is awaited, the report (an event of its own,
 * delivered or still sent).
 */
bool outbox_watch(struct outbox *outbox, int64_t message_id, struct observer *observer,
		  void (*notify)(void *data, const void *event), void *data);

/*
 * Hear of every message: that it was taken over, inside outbox_submit(), and every change;
 * and of one that the disk refused once more when it is there.
 */
struct observers *outbox_observers(struct outbox *outbox);

/* Messages that wait in the gateway, scheduled ones too; queue_limit is about these. */
unsigned outbox_waiting(const struct outbox *outbox);
unsigned outbox_approvals(const struct outbox *outbox); /* ... for the owner's yes */
bool outbox_is_full(const struct outbox *outbox);
/*
 * How many messages of a client may wait: queue_limit divided by the number of paired clients.
 * The owner, and an open gateway, has all of it for itself. So nobody's messages, waiting for
 * approval or for a time, keep others out.
 */
int64_t outbox_share(const struct outbox *outbox, int64_t client_id);
bool outbox_has_room(const struct outbox *outbox, int64_t client_id);
/* The disk has room for one more, and the ledger is sound. */
bool outbox_has_storage(struct outbox *outbox);

/*
 * Who asked for the message left before anything was told of it, and wants it no more. One
 * that waits in the gateway is cancelled ("client_left") and frees its idempotency key: asked
 * for again, it is a new message. One that oFono was handed, or that was kept, goes on.
 */
void outbox_withdraw(struct outbox *outbox, int64_t message_id);
/* It was asked for again, and that call relies on it: it is not withdrawn any more. */
void outbox_keep(struct outbox *outbox, int64_t message_id);

/*
 * Until when a message that waits for a yes waits, by the wall clock as it is now; `outbox` NULL:
 * as the row has it.
 */
int64_t outbox_awaited_until(const struct outbox *outbox, const struct config *config,
			     const struct message *row);

/*
 * The owner says yes to a message that waits for it: as it stands, with its number, text
 * and SIM, once, for ten minutes (sms/approval.h); then, or when its own validity is over,
 * it expires. Or the owner says no, with words for whoever asked ("" none). 0: decided, on
 * disk. Else nothing has changed: OUTBOX_E_NOT_WAITING (the store tells what it is
 * instead), OUTBOX_E_STORAGE, -errno. `who` is for log and audit.
 */
int outbox_approve(struct outbox *outbox, int64_t message_id, const char *who);
int outbox_reject(struct outbox *outbox, int64_t message_id, const char *who,
		  const char *words);

/*
 * One that waits in the gateway is not to go out any more, for `reason` (static, a row of
 * doc/errors.md): after 0 no restart sends it. OUTBOX_E_TOO_LATE, _STORAGE, -errno.
 */
int outbox_drop(struct outbox *outbox, int64_t message_id, const char *reason);

struct outbox_recall; /* oFono is being asked to cancel a message */

/*
 * Takes a message back. 0: it is cancelled, and no restart sends it. OUTBOX_E_ASKING:
 * oFono has it and is being asked, see outbox_recall_wait(); only then *recall_out is
 * written. OUTBOX_E_LATER: its modem is away; the wish is on disk, and oFono is asked as
 * soon as it tells again that it has the message
 * (tests/integration/test_cancel_and_dry_run.py). Else nothing has happened:
 * OUTBOX_E_TOO_LATE, _STORAGE, -errno.
 */
int outbox_cancel(struct outbox *outbox, int64_t message_id,
		  struct outbox_recall **recall_out);

/*
 * `done` hears, once and later, what became of it: 0, OUTBOX_E_TOO_LATE, _LATER, _STORAGE or
 * _NO_ANSWER; the recall is gone then. To be called in the same turn as outbox_cancel().
 */
void outbox_recall_wait(struct outbox_recall *recall,
			void (*done)(void *data, int outcome), void *data);
/* Nobody waits any more; oFono is asked all the same. NULL is fine. */
void outbox_recall_leave(struct outbox_recall *recall);

#endif
