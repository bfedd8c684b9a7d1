/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Message state: where an outgoing message is, and which way it may go.
 *
 *   waiting_approval -> scheduled -> queued -> handing -> handed -> sent -> delivered
 *          |                |          |         |          |
 *          |                |          |         |          +-> failed | cancelled
 *          |                |          |         |          +-> held  (oFono or the modem
 *          |                |          |         |               went away with it)
 *          |                |          |         |               -> handed, ...; -> held
 *          |                |          |         |               (with another reason)
 *          |                |          |         +-> queued (it did not reach oFono)
 *          |                |          |         +-> failed (oFono refuses it)
 *          +----------------+----------+-> cancelled | expired
 *   waiting_approval -> queued | failed (the owner says yes, or no)
 *   handing, held -> unknown  (nobody can tell; never handed over again)
 *   held, unknown -> delivered (the report proves what nobody told us)
 *   whatever is not final -> unknown (the ledger is older than what was done: it was
 *                restored from a backup, or rescued from a damaged one)
 *
 * Unknown is final for whoever waits, but late truth corrects it: oFono's answer may come
 * after we gave up (unknown -> handed, sent, failed, ...). Nothing that was ever handed
 * goes back to queued, but from handing when it is certain that oFono has it not: so
 * nothing is handed over twice. From handing on a step may be left out: the disk may
 * refuse one state and take the next.
 *
 * A report that says "not delivered" changes no state: the network did take the message,
 * so it stays sent, and store/delivery.h tells the rest.
 *
 * The table in message_state.c is the only place that knows; an illegal move is refused
 * by the store.
 */
#ifndef STORE_MESSAGE_STATE_H
#define STORE_MESSAGE_STATE_H

#include <stdbool.h>

/* stored as these numbers: only append */
enum message_state {
	STATE_QUEUED = 1,
	STATE_HANDING, /* SendMessage is about to be, or has been, put on the bus */
	STATE_HANDED,  /* oFono has it under a UUID */
	STATE_HELD,    /* oFono keeps it on disk while modem, SIM or oFono are away */
	STATE_SENT,    /* the network took every segment */
	STATE_FAILED,
	STATE_CANCELLED,
	STATE_UNKNOWN,
	STATE_RECEIVED,		/* of an incoming message, for ever */
	STATE_SCHEDULED,	/* waits in the gateway for its time */
	STATE_WAITING_APPROVAL, /* ... for the owner's yes */
	STATE_DELIVERED,	/* a delivery report says so */
	STATE_EXPIRED,		/* its time was over before oFono had it */
	STATE_LAST = STATE_EXPIRED,
};

/*
 * For SQL: the states that message_state_is_final() denies
 * (tests/unit/test_store.c). With one more, the index message_unfinished is to be
 * made anew by a migration of the schema.
 */
#define STATE_IS_UNFINISHED "(state < 5 OR state IN (10, 11))"

const char *message_state_name(enum message_state state); /* "queued" */
bool message_state_is_final(enum message_state state);
/* It waits in the gateway, and oFono never had it: it can be taken back or expire. */
bool message_state_is_waiting(enum message_state state);
/* False also for numbers that are no state. */
bool message_state_may_become(enum message_state from, enum message_state to);

#endif
