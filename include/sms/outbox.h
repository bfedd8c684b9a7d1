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
 * Unknown ends the waiting, but oFono's late answer still corrects the stored state.
 */
#ifndef SMS_OUTBOX_H
#define SMS_OUTBOX_H

#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/config.h"
#include "base/observer.h"
#include "ofono/ofono.h"
#include "sms/sim.h"
#include "sms/store.h"

/* outcomes of outbox_submit() */
enum {
	OUTBOX_E_FULL = 1, /* queue_limit messages wait already */
	OUTBOX_E_STORAGE,  /* the disk takes nothing more */
};

struct outbox;

/* how long, in milliseconds */
struct outbox_timing {
	uint64_t answer_ms;	/* until SendMessage counts as lost; 30 s */
	uint64_t retry_ms;	/* before handing over again, doubling; 1 s */
	uint64_t retry_most_ms; /* ... up to this; 60 s */
	uint64_t listing_ms;	/* before asking again what oFono holds; 1 s */
	uint64_t storage_ms;	/* before the disk is tried again; 5 s */
};

/* to those who watch a message */
struct outbox_event {
	int64_t message_id;
	enum message_state state;
	const char
		*reason; /* "" none; a code of product errors: "network_refused", ... */
};

int outbox_new(sd_event *loop, const struct config *config, struct store *store,
	       struct sims *sims, struct ofono *ofono, struct outbox **outbox_out);
void outbox_free(struct outbox *outbox); /* NULL is fine; the rows stay as they are */

void outbox_set_timing(struct outbox *outbox,
		       const struct outbox_timing *timing); /* tests */

/*
 * Takes a message over: it is on disk (queued) when 0 returns, and no event of it has been
 * told yet. -errno, OUTBOX_E_*.
 */
int outbox_submit(struct outbox *outbox, const struct message_draft *draft,
		  int64_t *message_id_out);

/*
 * Hears every later change (struct outbox_event) until observer_remove(). False: no such
 * message is under way (it may be final: ask the store). The observer is removed by itself
 * after a final state was told.
 */
bool outbox_watch(struct outbox *outbox, int64_t message_id, struct observer *observer,
		  void (*notify)(void *data, const void *event), void *data);

unsigned outbox_waiting(const struct outbox *outbox); /* queued and not yet handed over */

#endif
