/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call watch: a call of a tool that waits for what becomes of a placed call (tool_wait.h): to
 * its end at most. The placed call goes on when the client leaves, unless leaving means to
 * cancel and the owner knows how. Each change is told to the client as progress.
 */
#ifndef TOOLS_CALL_WATCH_H
#define TOOLS_CALL_WATCH_H

#include "phone/dialler.h"
#include "tools/services.h"
#include "tools/tool_wait.h"

/* Part of what lives in the call's arena. */
struct call_watch {
	int64_t id;
	bool (*hear)(void *data, const struct placed_call *placed); /* true: enough */
	struct tool_wait wait; /* its functions and data are the owner's */
};

/*
 * False: there is no time, or no memory; answer with what is known. No function is called
 * before this one has returned.
 */
bool call_watch_start(struct call_watch *watch, struct tool_call *call, int64_t seconds);

#endif
