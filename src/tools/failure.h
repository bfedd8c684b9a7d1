/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failure: how a tool call is finished that ends badly; the words are in base/failure.h.
 */
#ifndef TOOLS_FAILURE_H
#define TOOLS_FAILURE_H

#include "base/failure.h"
#include "mcp/tool.h"
#include "phone/sim.h"

/* Finishes the call with more members in the JSON block, see struct tool_error. */
void failure_answer_with(struct tool_call *call, const struct refusal *refusal,
			 void (*more)(struct json_writer *writer, const void *data),
			 const void *data);

/* Finishes the call. `message` says what went wrong this time; NULL: out of memory. */
void failure_answer(struct tool_call *call, enum failure failure, const char *message);

/* Why this SIM cannot send. Not for SIM_READY. */
enum failure failure_of_sim(const struct sim *sim);

#endif
