/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loop: are we and the other end two machines that answer each other? Told from the ledger's
 * last messages with that number, so a restart forgets nothing
 * (tests/unit/test_loop.c, tests/integration/test_loop.py).
 *
 * One row of messages, with less than loop_minutes from each to the next, is a loop when
 * loop_exchanges of those that came in were answered within loop_minutes of it, or when a
 * text of it came again and again although it was answered. It lasts until nothing came or
 * went for loop_minutes: a machine that gets no answer falls silent.
 */
#ifndef SMS_LOOP_H
#define SMS_LOOP_H

#include "store/store_party.h"

struct config;

struct loop_question {
	const struct config *config;
	struct store *store;
	struct store_party_address end; /* however it is spelt */
	int64_t now_ms;			/* wall clock */
};

/* *until_ms_out: when it is over if nothing more comes; not written when it is none. */
bool loop_suspected(const struct loop_question *question, int64_t *until_ms_out);

#endif
