/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many task: the messages of one call of send_sms to several recipients, as one MCP task.
 */
#pragma once

#include "tools/sms_batch.h"

/*
 * Answers a call that waits for delivery with a task, if the client knows tasks, every recipient
 * was accepted, and the outcome is still open. Returns false if nothing was answered.
 */
bool many_task_begin(const struct sms_batch *batch);
