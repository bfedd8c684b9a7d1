/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kept answer: the last answer of a tool that tells how things are, given again while nothing
 * has happened since (base/event_count.h) and the ledger is as it was. One that shows what
 * the clock alone changes is good for KEPT_MS at most: not over the end of a second, where
 * hours, days and quiet hours begin, nor over the time at which a limit frees a place.
 *
 * So a member that is added to an answer needs nothing here
 * (tests/unit/test_kept_answer.c, and the fuzz target `mcp`, which writes each one anew).
 */
#ifndef TOOLS_KEPT_ANSWER_H
#define TOOLS_KEPT_ANSWER_H

#include "mcp/tool.h"
#include "tools/services.h"

enum kept_kind {
	KEPT_SUBSCRIPTIONS, /* the same for everybody, and no clock in it */
	KEPT_STATUS,
};

enum {
	KEPT_CLIENTS = 4, /* for so many there is a status at a time */
	KEPT_MS = 16,
	KEPT_BYTES_MAX = 128 * 1024, /* what is longer is written each time */
};

struct kept_answer {
	bool is_there;
	uint64_t events;
	uint64_t changes;	  /* of the ledger */
	int64_t wall_ms, boot_ms; /* when it was written */
	int64_t until_ms;	  /* wall clock: good before */
	struct client client;
	struct tool_answer answer;
};

struct kept_answers {
	struct kept_answer subscriptions;
	struct kept_answer status[KEPT_CLIENTS];
	unsigned next; /* of these to be given up for another client */
	/* For tests: what is kept is written anew, and must be the same. */
	bool distrusted;
};

/* All zero is empty. */
void kept_answers_deinit(struct kept_answers *answers);

/* How an answer is written. */
struct kept_writing {
	/*
	 * 0, or -errno: there is none. *until_ms, 0 before: wall clock, when it will be
	 * another by the clock alone.
	 */
	int (*write)(const struct tool_call *call, struct tool_answer *answer,
		     int64_t *until_ms);
	const char *unwritten; /* what the call fails with then; NULL: the usual */
};

/* Finishes the call, with what is kept or with what is written. */
void kept_answer_finish(struct tool_call *call, enum kept_kind kind,
			const struct kept_writing *writing);

#endif
