/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call watch: a call of a tool that waits for what becomes of a placed call, and not for
 * ever.
 *
 * It ends, once, when the owner has heard enough, when the placed call or the time is over or
 * when the gateway stops; then the owner answers. A client that leaves ends it without an
 * answer: the placed call goes on, unless leaving means to cancel and the owner knows how.
 */
#ifndef TOOLS_CALL_WATCH_H
#define TOOLS_CALL_WATCH_H

#include "mcp/tool.h"
#include "sms/dialler.h"
#include "tools/services.h"

/* Part of what lives in the call's arena. */
struct call_watch {
	bool (*hear)(void *data, const struct placed_call *placed); /* true: enough */
	void (*answer)(void *data);    /* finishes the call; the watch is over */
	void (*cancelled)(void *data); /* the watch is over; NULL: nothing to undo */
	void *data;
	int64_t id;
	/* its own */
	struct tool_call *call;
	struct observer observer;
	sd_event_source *timer;
};

/*
 * False: there is no time, or no memory; answer with what is known. Neither function is
 * called before this one has returned.
 */
bool call_watch_start(struct call_watch *watch, struct tool_call *call, int64_t seconds);

#endif
