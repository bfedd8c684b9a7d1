/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Message state: where an outgoing message is, and which way it may go.
 *
 *   queued -> handing -> handed -> sent | failed | cancelled
 *                |          |
 *                |          +-> held  (oFono or the modem went away with it) -> handed, ...
 *                +-> queued (it certainly did not reach oFono)
 *                +-> failed (oFono refuses it)
 *   handing, held -> unknown  (nobody can tell; never handed over again)
 *
 * Unknown is final for whoever waits, but late truth corrects it: oFono's answer may come
 * after we gave up (unknown -> handed, sent, failed, ...). Nothing but handing ever goes
 * back to queued, so nothing is handed over twice. From handing on a step may be left out:
 * the disk may refuse one state and take the next.
 *
 * The table in message_state.c is the only place that knows; an illegal move is refused
 * by the store.
 */
#ifndef SMS_MESSAGE_STATE_H
#define SMS_MESSAGE_STATE_H

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
	STATE_LAST = STATE_UNKNOWN,
};

const char *message_state_name(enum message_state state); /* "queued" */
bool message_state_is_final(enum message_state state);
/* False also for numbers that are no state. */
bool message_state_may_become(enum message_state from, enum message_state to);

#endif
