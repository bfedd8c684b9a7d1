/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMS task: a message that is to be delivered, as an MCP task.
 *
 * The message itself is the task. The task's ID is the message's ID and a MAC over it and the
 * client: nobody can guess one, another client's ID is worthless, and the same message always
 * has the same ID. So a task lives as long as its message is stored, over restarts, but no
 * longer than its ttlMs.
 *
 * A task that is over stays over. If an unknown outcome becomes known later, the result says
 * so, but the status does not go back.
 */
#ifndef TOOLS_SMS_TASK_H
#define TOOLS_SMS_TASK_H

#include "tools/sms_answer.h"

/*
 * Answers a send_sms call that waits for delivery with a task, if the client knows tasks and
 * the outcome is still open. False: nothing was answered.
 */
bool sms_task_begin(const struct sms_answer *answer);

#endif
