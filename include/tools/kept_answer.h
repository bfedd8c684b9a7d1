/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kept answer: the last answer of a tool that tells how things are, given again while nothing
 * has happened since (base/event_count.h) and the ledger is as it was. One that shows the
 * clock, or what the clock alone changes, is good within its millisecond, which is the
 * grain of every time that is shown.
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
	KEPT_CLIENTS = 4,	     /* for so many there is a status at a time */
	KEPT_BYTES_MAX = 128 * 1024, /* what is longer is written each time */
};

struct kept_answer {
	bool is_there;
	uint64_t events;
	uint64_t changes; /* of the ledger */
	int64_t wall_ms, boot_ms;
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

/*
 * Finishes the call, with what is kept or with what `write` makes: 0, or -errno, and then the
 * call fails with these words (NULL: the usual).
 */
struct kept_writing {
	int (*write)(const struct tool_call *call, struct tool_answer *answer);
	const char *unwritten;
};
void kept_answer_finish(struct tool_call *call, enum kept_kind kind,
			const struct kept_writing *writing);

#endif
