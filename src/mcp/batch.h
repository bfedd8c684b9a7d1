/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Batch: the messages of one JSON array (MCP 2025-03-26, basic, "Batching").
 *
 * They are run in their order, and in turns with other batches. Each request of it has a life
 * of its own; when the last is answered, so are all.
 */
#ifndef MCP_BATCH_H
#define MCP_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "mcp/batch_turn.h"
#include "mcp/request.h"

enum {
	BATCH_MESSAGES_MAX = 100,
	/* Once the answers fill this many bytes, no other request of it is run. */
	BATCH_ANSWERS_MAX = 1024 * 1024,
};

struct batch { /* embedded in its owner, zeroed */
	struct exchange *exchange;
	struct batch_turns *turns;
	struct request *requests; /* one for each message, of any kind */
	size_t count;		  /* 0: it is not at work */
	/* Every request has its answer: an array of them, or nothing. Its body is the
	 * hearer's to use up. */
	void (*answered)(struct batch *batch, struct buffer *answers);
	/* Its own: */
	size_t run; /* of them, the first ones */
	struct batch_turn turn;
	size_t unanswered;
	size_t answer_bytes; /* so far */
	bool is_crowded;     /* there was no room for them among those of all batches */
	bool is_stopping;
};

/* The five above are set, the eras of all messages decided. */
void batch_run(struct batch *batch);

/* Takes the answer of one of its requests, as request->answered is told of it. */
void batch_take_answer(struct batch *batch, struct request *request);

void batch_stop(struct batch *batch); /* what has not been run is answered, and why not */
void batch_leave(struct batch *batch); /* nothing of it is run any more */

#endif
