/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sending: a call of send_sms whose message is on disk: it waits for what was asked for,
 * then answers.
 *
 * The message goes its way whatever becomes of the call, unless the client leaves in a
 * revision where that means to cancel, and oFono was not handed it yet. Many calls may wait
 * for one message, each with its own patience. A call may be answered with a task, and then
 * nothing of it waits (tools/sms_task.h).
 */
#ifndef TOOLS_SENDING_H
#define TOOLS_SENDING_H

#include "tools/sms_order.h"
#include "tools/watch.h"

/* one call; lives in the call's arena */
struct sending {
	struct sms_order *order;
	enum policy_repeat repeat;
	struct message message; /* as far as it is known here */
	bool is_task;		/* it is answered for as a task, long after its call */
	struct watch watch;
};

/* Finishes the call, now or later. `sending` is filled but for `watch`. */
void sending_follow(struct sending *sending);

/* Finishes the call with what `message` says. */
void sending_answer(const struct sending *sending);

#endif
