/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMS answer: what send_sms returns about its message, now or later as the result of a task.
 */
#pragma once

#include "tools/sms_order.h"

struct sms_answer {
	struct sms_order *order;
	enum policy_repeat repeat;
	struct message message; /* as far as it is known here */
	bool is_task;		/* the result of a task, long after its call */
};

/* Is there nothing to wait for: it got as far as wanted, never will, or not soon? */
bool sms_answer_is_settled(const struct sms_order *order, const struct message *message);

/* Finishes the call: outbox_accept() returned this error. */
void sms_answer_not_accepted(struct tool_call *call, int error);

/* Finishes the call: a success or a failure, by the state of `message`. */
void sms_answer_finish(const struct sms_answer *answer);
