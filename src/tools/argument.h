/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Argument: what a caller gave by this name, read one way by all tools. The types have been
 * checked against the tool's schema.
 */
#ifndef TOOLS_ARGUMENT_H
#define TOOLS_ARGUMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "mcp/tool.h"

const char *argument_text(const struct tool_call *call,
			  const char *name); /* NULL: none */
int64_t argument_integer(const struct tool_call *call, const char *name,
			 int64_t fallback);
bool argument_boolean(const struct tool_call *call, const char *name);

/*
 * Of all arguments only this text is left, in the call's memory. False: no memory, and all are
 * as they were.
 */
bool argument_keep_text(struct tool_call *call, const char *name);

/*
 * The other end of messages as the store has it: a number without its separators, or a
 * name ("Bank", or "1-800-555" when messages are there) as it was written, given so or as
 * base/escape.h shows it. NULL: none was given, or no memory.
 */
const char *argument_party(const struct tool_call *call, const char *name);

/*
 * An RFC 3339 time; 0 when none was given. False: it is no such time, and the call has been
 * finished with a failure.
 */
bool argument_time(struct tool_call *call, const char *name, int64_t *wall_ms_out);

#endif
