/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tool failure: finishes a tool call with an error. base/failure.h has the codes and the
 * advice that goes with each.
 */
#pragma once

#include "base/failure.h"
#include "mcp/tool.h"
#include "phone/sim.h"

/* `message` says what went wrong this time; NULL if memory runs out. */
void tool_failure_answer(struct tool_call *call, enum failure failure,
			 const char *message);

/* `more` (may be NULL) adds members to the JSON block; see struct tool_error. */
void tool_failure_answer_with(struct tool_call *call, const struct refusal *refusal,
			      void (*more)(struct json_writer *writer, const void *data),
			      const void *data);

/*
 * Records a refusal in the audit log, if the tool's are recorded. tool_failure_answer() does
 * this by itself; call it for one of several recipients.
 */
void tool_failure_audit(const struct tool_call *call, enum failure failure,
			const char *recipient);

/* Returns why this SIM cannot send. Not for SIM_READY. */
enum failure tool_failure_of_sim(const struct sim *sim);
