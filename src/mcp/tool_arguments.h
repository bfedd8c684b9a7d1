/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tool arguments: what a host sent, as the tool sees it.
 *
 * Hosts send every optional parameter as null or "", and add members of their own to every
 * call (toolCallId, sessionId, chatInput). Neither fails a call: null counts as not given, and so
 * does "" where the schema allows no empty text, for a number, and for one of several words; a member that resembles no parameter is
 * ignored and named in the answer. A parameter that is misspelt, or that other tools call like
 * this, is refused with the right name, because a call without it might do something else than
 * was meant (tests/unit/test_tool_arguments.c).
 */
#pragma once

#include "mcp/schema.h"

struct tool_arguments {
	const struct json *object; /* fits the schema; NULL if absent */
	/* an array of strings, escaped; NULL if there is none */
	const struct json *ignored;
};

/*
 * Reads `given` (NULL if absent), which is not changed; what is new lives in the arena. Returns why
 * it does not fit, in words a model can act on, or NULL. `*arguments_out` is written in either
 * case.
 */
const char *tool_arguments_read(const struct schema_field *fields, unsigned scopes,
				const struct json *given, struct arena *arena,
				struct tool_arguments *arguments_out);
