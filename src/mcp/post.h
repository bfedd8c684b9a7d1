/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Post: one HTTP POST and its message, or its array of messages.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "http/exchange.h"
#include "mcp/request.h"

struct post;
struct request_context;

/*
 * Batch: the messages of one JSON array (MCP 2025-03-26, basic, "Batching").
 *
 * The messages run in order. Each request may wait on its own; the batch is answered when
 * its last request is.
 *
 * A batch may cost as much as a hundred POSTs. It therefore runs for BATCH_TURN_MS at a
 * time, in turn with the other batches, so that all other work waits for one turn only
 * (tests/unit/test_endpoint.c::test_batches_take_turns).
 */

enum {
	BATCH_MESSAGES_MAX = 100,
	/* When its answers exceed this many bytes, no further request of the batch
	 * runs. */
	BATCH_ANSWERS_MAX = 1024 * 1024,
	BATCH_TURN_MS = 2,
};

/* The batches that wait for their turn. */
struct batch_queue {
	sd_event_source *timer; /* NULL: no batch can wait */
	TAILQ_HEAD(batch_list, batch) waiting;
};

/* `loop` may be NULL. 0 or -errno. */
int batch_queue_init(struct batch_queue *queue, sd_event *loop);
void batch_queue_deinit(struct batch_queue *queue); /* no batch waits */

struct batch { /* embedded in its owner, zeroed */
	struct exchange *exchange;
	struct batch_queue *queue;
	struct request *requests; /* one for each message, of any kind */
	size_t count;		  /* 0: not running */
	/* All requests are answered. `answers` is their array, or empty; the callee
	 * may use it up. batch.c does not know post.c. */
	void (*answered)(struct batch *batch, struct buffer *answers);
	/* Private: */
	size_t next;	 /* message to run */
	bool is_waiting; /* in the queue */
	TAILQ_ENTRY(batch) link;
	size_t unanswered;
	size_t answer_bytes; /* so far */
	bool is_crowded;     /* the answers of all batches exceed their memory */
	bool is_stopping;
};

/* The first five members are set, and the eras of all messages decided. */
void batch_run(struct batch *batch);

/* For the owner's request.answered: accepts the answer of one of its requests. */
void batch_accept_answer(struct batch *batch, struct request *request);

void batch_stop(struct batch *batch);	 /* messages that have not run are refused */
void batch_abandon(struct batch *batch); /* no further message runs */

/* Lives in the exchange's arena until post_end(). NULL: no memory. */
struct post *post_begin(const struct request_context *context, struct exchange *exchange);
void post_receive(struct post *post, const char *piece, size_t length);
void post_complete(struct post *post); /* answers now or later */
void post_abandon(struct post *post);  /* the client left */
void post_stop(struct post *post);     /* answers waiting requests */
void post_end(struct post *post);
