/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reply loop: do an agent and another machine answer each other's messages? This is decided
 * from the stored messages with the number, so a restart forgets nothing
 * (tests/unit/test_reply_loop.c, tests/integration/test_loop.py).
 *
 * loop_exchanges exchanges that look like machines, within loop_minutes, are a loop. Machines
 * answer within seconds, faster than anybody types, and repeat their texts; a conversation of
 * people, however fast, does not. It ends when no message was exchanged for loop_minutes,
 * because a machine that gets no answer falls silent, and when a person takes part: the count
 * begins anew with each message that somebody approved, or that the owner sent.
 */
#pragma once

#include "store/store_party.h"

struct config;
struct reply_loop_question {
	const struct config *config;
	struct store *store;
	struct store_party_address end; /* in any spelling */
	int64_t now_ms;			/* wall clock */
};

struct reply_loop {
	int64_t until_ms; /* wall clock, when it ends if no more messages come */
	/* a message that waits for approval because of it; 0 if there is none */
	int64_t waiting_id;
	/* one that the owner rejected meanwhile; 0 if there is none */
	int64_t rejected_id;
};

/* The reason of that message, as an error code. */
extern const char reply_loop_reason[];

/* Writes to *loop_out only if true. */
bool reply_loop_suspected(const struct reply_loop_question *question,
			  struct reply_loop *loop_out);
