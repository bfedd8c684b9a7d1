/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMS task: a message that is to be delivered, as an MCP task.
 *
 * The message itself is the task. The task's ID is the message's ID and a MAC over it and the
 * client: nobody can guess one, another client's ID is worthless, and the same message always
 * has the same ID. A call that only repeats another gets a task of the same message with an ID
 * of its own, because its result says that nothing new was sent. So a task lives as long as its message is stored, over restarts, but no
 * longer than its ttlMs.
 *
 * A task that is over stays over. If an unknown outcome becomes known later, the result says
 * so, but the status does not go back.
 */
#pragma once

#include "mcp/task.h"
#include "tools/sms_answer.h"

/*
 * Answers a send_sms call that waits for delivery with a task, if the client knows tasks and the
 * outcome is still open. Returns false if nothing was answered.
 */
bool sms_task_begin(const struct sms_answer *answer);

/* ---- for many_task.c ----------------------------------------------------------------- */

enum { SMS_TASK_NAME_BYTES = 48 };

/*
 * Finds the task of this kind and name (the message ID here), if the call is to wait for delivery,
 * its client knows tasks, and the outcome is still open. Returns false otherwise.
 */
bool sms_task_open(const struct sms_order *order, const struct task_kind *kind,
		   const char *name, struct task *task_out);
/* Returns 0 if the ID is ours and the client's; otherwise TASK_E_NOT_FOUND or -errno. */
int sms_task_read_id(const struct task_query *query, char name_out[SMS_TASK_NAME_BYTES]);

/* What ends the name of a task whose call was such a repeat: "r", "d", or nothing. */
const char *sms_task_repeat_mark(enum policy_repeat repeat);
/* Returns false if `mark` is none of these. */
bool sms_task_read_repeat(const char *mark, enum policy_repeat *repeat_out);
/* Returns what ends a status message: a sentence that begins with a space, or nothing. */
const char *sms_task_repeat_note(enum policy_repeat repeat);

/* Reads the task that is this message, as task_kind.find() fills it in. */
int sms_task_read(const struct task_query *query, int64_t message_id,
		  enum policy_repeat repeat, struct task *task_out);
const struct message *sms_task_message(const struct task *task);
