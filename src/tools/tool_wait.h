/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tool wait: a call of a tool that waits to hear of something, and not for ever.
 *
 * It ends, once, when whoever waits has heard enough, when the time is over or when the gateway
 * stops; then it is answered. A client that leaves ends it without an answer.
 *
 * All that wait share one timer of the loop, which is there while there is one of them.
 */
#ifndef TOOLS_TOOL_WAIT_H
#define TOOLS_TOOL_WAIT_H

#include <stdint.h>
#include <sys/queue.h>

#include "base/observer.h"
#include "mcp/tool.h"

/* Part of what lives in the call's arena. */
struct tool_wait {
	void (*answer)(void *data);    /* finishes the call; the wait is over */
	void (*cancelled)(void *data); /* the wait is over; NULL: nothing to undo */
	void *data;
	struct observer observer; /* added before the start; removed at the end */
	/* its own */
	struct tool_call *call;
	uint64_t due_us; /* 0: it does not wait */
	TAILQ_ENTRY(tool_wait) link;
};

/*
 * False: there is no time, or no memory, and the observer is removed; answer with what is
 * known. Neither function is called before this one has returned.
 */
bool tool_wait_start(struct tool_wait *wait, struct tool_call *call, uint64_t seconds);
/* Enough was heard: it is answered. */
void tool_wait_finish(struct tool_wait *wait);

#endif
