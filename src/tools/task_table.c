/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/task_table.h"

#include "tools/sms_task.h"

const struct task_kind *const task_table[] = { &sms_task_kind, NULL };
