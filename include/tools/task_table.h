/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task table: every kind of task, and nothing else.
 */
#ifndef TOOLS_TASK_TABLE_H
#define TOOLS_TASK_TABLE_H

#include "mcp/task.h"

extern const struct task_kind *const task_table[]; /* ends with NULL */

#endif
