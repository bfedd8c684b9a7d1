/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Message state: the state machine of an outgoing message.
 *
 *   waiting_approval -> scheduled -> queued -> submitting -> submitted -> sent -> delivered
 *          |                |          |          |             |
 *          |                |          |          |             +-> failed | cancelled
 *          |                |          |          |             +-> held (oFono or the modem
 *          |                |          |          |                  disappeared with it)
 *          |                |          |          |                  -> submitted, ...
 *          |                |          |          |                  -> held (another reason)
 *          |                |          |          +-> queued (it never reached oFono)
 *          |                |          |          +-> failed (oFono refused it)
 *          +----------------+----------+-> cancelled | expired
 *   waiting_approval -> queued | failed (the owner approves or rejects it)
 *   submitting, held -> unknown  (the outcome is lost; it is never submitted again)
 *   held, unknown -> delivered (a delivery report proves it)
 *   any state that is not final -> unknown (the message store was restored from a backup or
 *                rescued after damage, so it may be older than what was done)
 *
 * Callers treat unknown as final, but late news corrects it: oFono may answer after we gave
 * up (unknown -> submitted, sent, failed, ...). A message that was submitted never returns
 * to queued, so nothing is submitted twice. The one exception: submitting -> queued, when
 * oFono certainly never accepted it. From submitting on, a step may be left out, because the
 * disk may refuse one state and accept the next.
 *
 * A report of failed delivery changes no state: the network did accept the message, so it
 * stays sent; enum delivery (store/store_message.h) holds the report.
 *
 * The table in message_state.c is the only definition; the store refuses an illegal change.
 */
#ifndef STORE_MESSAGE_STATE_H
#define STORE_MESSAGE_STATE_H

#include <stdbool.h>

/* stored as these numbers: only append */
enum message_state {
	STATE_QUEUED = 1,
	STATE_SUBMITTING, /* SendMessage is about to be, or was, written to the bus */
	STATE_SUBMITTED,  /* oFono has it under a UUID */
	STATE_HELD, /* oFono keeps it on disk while the modem, SIM or oFono is away */
	STATE_SENT, /* the network accepted every segment */
	STATE_FAILED,
	STATE_CANCELLED,
	STATE_UNKNOWN,
	STATE_RECEIVED,		/* the only state of an incoming message */
	STATE_SCHEDULED,	/* waits in the gateway for its time */
	STATE_WAITING_APPROVAL, /* waits in the gateway for the owner's approval */
	STATE_DELIVERED,	/* a delivery report confirms it */
	STATE_EXPIRED,		/* its validity ended before it was submitted */
	STATE_LAST = STATE_EXPIRED,
};

/*
 * The SQL condition for states that are not final; it agrees with message_state_is_final()
 * (tests/unit/test_store.c). A new state that is not final needs a migration that makes the
 * index message_unfinished anew.
 */
#define STATE_IS_UNFINISHED "(state < 5 OR state IN (10, 11))"

const char *message_state_name(enum message_state state); /* "queued" */
bool message_state_is_final(enum message_state state);
/* It waits in the gateway and oFono never had it: it can be cancelled or expire. */
bool message_state_is_waiting(enum message_state state);
/* False also for numbers that are no state. */
bool message_state_may_become(enum message_state from, enum message_state to);

#endif
