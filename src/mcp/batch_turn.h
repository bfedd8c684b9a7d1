/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Batch turn: a batch may ask for as much as a hundred POSTs. It runs for BATCH_TURN_MS at a
 * time, one batch after the other, so that however many are at work everybody else waits for
 * one such turn (tests/unit/test_endpoint.c::test_batches_take_turns).
 */
#ifndef MCP_BATCH_TURN_H
#define MCP_BATCH_TURN_H

#include <stdbool.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

enum { BATCH_TURN_MS = 2 };

struct batch_turn {				/* embedded in its owner, zeroed */
	void (*go_on)(struct batch_turn *turn); /* it does not wait any more */
	struct batch_turns *turns;		/* NULL: it does not wait */
	TAILQ_ENTRY(batch_turn) link;
};

struct batch_turns {
	sd_event_source *timer; /* NULL: nobody can wait */
	TAILQ_HEAD(batch_turn_list, batch_turn) waiting;
};

/* `loop` may be NULL. 0 or -errno. */
int batch_turns_init(struct batch_turns *turns, sd_event *loop);
void batch_turns_deinit(struct batch_turns *turns); /* nobody waits */

/* Behind those that wait already. False: it cannot, and has to go on at once. */
bool batch_turn_wait(struct batch_turns *turns, struct batch_turn *turn);
void batch_turn_leave(struct batch_turn *turn); /* fine when it does not wait */

#endif
