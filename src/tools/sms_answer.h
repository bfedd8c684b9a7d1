/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMS answer: what send_sms returns about its message, now or later as the result of a task.
 */
#ifndef TOOLS_SMS_ANSWER_H
#define TOOLS_SMS_ANSWER_H

#include "tools/sms_order.h"

struct sms_answer {
	struct sms_order *order;
	enum policy_repeat repeat;
	struct message message; /* as far as it is known here */
	bool is_task;		/* the result of a task, long after its call */
};

/* Finishes the call: a success or a failure, by the state of `message`. */
void sms_answer_finish(const struct sms_answer *answer);

#endif
