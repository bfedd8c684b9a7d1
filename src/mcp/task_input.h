/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task input: what a client answers to the questions of a task (tasks/update), held to
 * them. For task.c.
 */
#ifndef MCP_TASK_INPUT_H
#define MCP_TASK_INPUT_H

#include "mcp/task.h"

/*
 * What `responses`, an object, says to what `task` asks: all of it in *inputs_out, which may
 * be nothing. What it does not ask, or no longer, is passed over, and null is no answer yet.
 * An answer that does not fit spoils all; then it is said what is wrong. NULL: fine.
 */
const char *task_inputs_read(const struct task *task, const struct json *responses,
			     struct arena *arena, struct task_inputs *inputs_out);

#endif
