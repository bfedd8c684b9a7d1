/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tool wait: a tool call that waits for events, with a time limit.
 *
 * It ends exactly once: when the waiting tool has what it wants, when the time is over, or
 * when the gateway stops. Then the tool answers the call. If the client disconnects, the wait
 * ends without an answer; what was accepted (a message, a placed call) goes on, unless the
 * protocol revision says that disconnecting means to cancel and the tool has `cancelled`.
 *
 * All waiting calls share one timer, which exists only while there is one of them: a timer for
 * each would cost more memory than the wait itself.
 */
#pragma once

#include <stdint.h>
#include <sys/queue.h>

#include "base/observer.h"
#include "mcp/tool.h"
#include "phone/dialler.h"
#include "sms/outbox.h"

/* Lives in the call's arena. */
struct tool_wait {
	void (*answer)(void *data); /* finishes the call; the wait is over */
	/* the wait is over; NULL if there is nothing to undo */
	void (*cancelled)(void *data);
	void *data;
	struct observer observer; /* added before the start; removed at the end */
	struct tool_call *call;	  /* set by tool_wait_start() */
	/* private */
	uint64_t due_us; /* monotonic clock; 0 if it does not wait */
	TAILQ_ENTRY(tool_wait) link;
};

/*
 * Returns zeroed memory of the call's arena for what a tool keeps of a call while it waits. Returns
 * NULL if there is none, and the call has been finished.
 */
void *tool_wait_alloc(struct tool_call *call, size_t size);

/*
 * Returns false if `seconds` is 0, the client has as many waiting calls as it may
 * (REQUEST_WAITS_PER_CLIENT), or there is no memory, and the observer has been removed: answer with
 * what is known. No function of the wait is called before this returns. This holds for all three
 * functions that start a wait.
 */
bool tool_wait_start(struct tool_wait *wait, struct tool_call *call, uint64_t seconds);
/*
 * For calls that do nothing but wait: answered at once again and again, a client would ask again
 * and again. Returns true if the client has as many waiting calls as it may, and the call has been
 * answered with an error.
 */
bool tool_wait_is_refused(struct tool_call *call);
/* Answers now. */
void tool_wait_finish(struct tool_wait *wait);
/* Answers after `us` microseconds instead of at the end of the time. */
void tool_wait_finish_after(struct tool_wait *wait, uint64_t us);

/* Waits for a message's state changes; each is reported to the client as progress. */
struct tool_wait_message {
	/* Returns true if the call is to be answered now. */
	bool (*changed)(void *data, const struct outbox_event *event);
	struct tool_wait wait; /* answer, cancelled and data are set by the tool */
};

/* Returns false also if the message is not in the outbox any more, so nothing will change. */
bool tool_wait_for_message(struct tool_wait_message *message_wait, struct tool_call *call,
			   int64_t message_id, uint64_t seconds);

/*
 * A text is not judged before the received codes have been read. Returns true if that is under way,
 * and the tool will be run again, from the top, when it is done.
 */
bool tool_wait_for_codes(struct tool_call *call);

/* Waits for a placed call's state changes; each is reported to the client as progress. */
struct tool_wait_call {
	int64_t call_id;
	/* Returns true if the call is to be answered now. */
	bool (*changed)(void *data, const struct dialler_call *placed);
	struct tool_wait wait; /* answer, cancelled and data are set by the tool */
};

bool tool_wait_for_call(struct tool_wait_call *call_wait, struct tool_call *call,
			uint64_t seconds);
