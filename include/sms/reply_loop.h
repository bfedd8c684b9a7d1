/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reply loop: do an agent and another machine answer each other's messages? This is decided
 * from the stored messages with the number, so a restart forgets nothing
 * (tests/unit/test_reply_loop.c, tests/integration/test_loop.py).
 *
 * Messages with less than loop_minutes from each to the next are a loop if loop_exchanges
 * incoming ones were answered within loop_minutes, or if a text comes again and again although
 * it was answered. The loop ends when no message was exchanged for loop_minutes: a machine
 * that gets no answer falls silent.
 */
#ifndef SMS_REPLY_LOOP_H
#define SMS_REPLY_LOOP_H

#include "store/store_party.h"

struct config;
struct reply_loop_question {
	const struct config *config;
	struct store *store;
	struct store_party_address end; /* in any spelling */
	int64_t now_ms;			/* wall clock */
};

/* If true, *until_ms_out is the time (wall clock) when it ends if no more messages come. */
bool reply_loop_suspected(const struct reply_loop_question *question,
			  int64_t *until_ms_out);

#endif
