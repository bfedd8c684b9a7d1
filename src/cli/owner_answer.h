/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owner answer: the row of an owner command is asked for, here or in the gateway, and each line
 * of the answer shown as it comes.
 */
#ifndef CLI_OWNER_ANSWER_H
#define CLI_OWNER_ANSWER_H

#include "cli/owner_command.h"

typedef int owner_answer_show(const struct owner_call *call, const struct json *result);

/*
 * `show` NULL: its lines are printed as they are. Gives the exit code. Also for add(), where it
 * has to know something first: the same row with other arguments, a whole request.
 */
int owner_answer_await(const struct owner_call *call, const struct buffer *request,
		       owner_answer_show *show);

#endif
