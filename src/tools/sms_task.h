/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMS task: a message that was to be delivered, as a task of MCP.
 *
 * The message is the task: its id is the message's number and a MAC over that and the
 * client, so that nobody makes one up, another client's is as good as none, and the same
 * message is the same task however often it is asked for. So a task lasts as long as the
 * ledger has its message, over any restart, but no longer than its ttlMs.
 *
 * It is over when its message is settled, and stays so: when late truth corrects what was
 * unknown, the result tells of it, and the status does not go back.
 */
#ifndef TOOLS_SMS_TASK_H
#define TOOLS_SMS_TASK_H

#include "mcp/task.h"
#include "tools/sending.h"

/* A message that is to be delivered, as a task. */
extern const struct task_kind sms_task_kind;

/*
 * Answers a call of send_sms that waits for delivery with a task, if its client knows tasks
 * and its message is not settled. False: nothing was answered.
 */
bool sms_task_begin(const struct sending *sending);

#endif
