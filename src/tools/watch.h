/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watch: a call that waits for what becomes of a message, and not for ever.
 *
 * It ends, once, when the owner has heard enough, when nothing more can be told, when the
 * time is over or when the gateway stops; then the owner answers. A client that leaves ends
 * it without an answer: its message goes on, for it was accepted, and may be on the air,
 * unless leaving means to cancel and the owner knows how. Each change is told to the client
 * as progress.
 */
#ifndef TOOLS_WATCH_H
#define TOOLS_WATCH_H

#include "tools/services.h"
#include "tools/tool_wait.h"

/* Part of what lives in the call's arena. */
struct watch {
	bool (*hear)(void *data, const struct outbox_event *event); /* true: enough */
	void (*answer)(void *data);    /* finishes the call; the watch is over */
	void (*cancelled)(void *data); /* the watch is over; NULL: nothing to undo */
	void *data;
	struct tool_wait wait; /* its own */
};

/*
 * False: there is nothing to wait for, or no time, or no memory; answer with what is known.
 * Neither function is called before this one has returned.
 */
bool watch_start(struct watch *watch, struct tool_call *call, int64_t message_id,
		 uint64_t seconds);

#endif
