/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Argument: reads the caller's arguments the same way in all tools. Their types have been
 * checked against the tool's schema.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"
#include "mcp/tool.h"

/* NULL if it is not given */
const char *argument_text(const struct tool_call *call, const char *name);
/* The same for what is never empty: "" counts as not given. */
const char *argument_filled_text(const struct tool_call *call, const char *name);
int64_t argument_integer(const struct tool_call *call, const char *name,
			 int64_t fallback);
bool argument_boolean(const struct tool_call *call, const char *name);

/*
 * Reads the other end of messages as the store spells it: a phone number without separators, or a
 * sender's name ("Bank", or "1-800-555" if messages from it are stored). The caller may pass a name
 * as it was written or escaped (base/escape.h). NULL if it is not given, or memory runs out.
 */
const char *argument_party(const struct tool_call *call, const char *name);
/*
 * Returns why `party`, which argument_party() returned, is neither a number nor a name that a
 * message can come from, so that nothing would ever be found. Returns NULL if it is one of them, or
 * is not given.
 */
const char *argument_party_problem(const struct tool_call *call, const char *name,
				   const char *party);
/* Returns false if it has a problem, and the call has been finished with a failure that says so. */
bool argument_check_party(struct tool_call *call, const char *name, const char *party);
/*
 * Returns a hint for an answer that found nothing: `party` is a name that no stored message has, most
 * likely that of a contact. Returns NULL if there is nothing to say.
 */
const char *argument_party_hint(const struct tool_call *call, const char *party);

/*
 * Reads an RFC 3339 time; *wall_ms_out is 0 if it is not given. Returns false if it is not a valid
 * time, and the call has been finished with a failure.
 */
bool argument_time(struct tool_call *call, const char *name, int64_t *wall_ms_out);

/*
 * Is it what a program or model writes where it has no value: "null", "N/A", "<uuid>", "{{key}}",
 * "your-unique-key-here"? As an idempotency key it would make one message of many. `text` is valid
 * UTF-8. Returns true also for "" and blanks.
 */
bool argument_is_placeholder(const char *text);
/*
 * Reads idempotency_key; *key_out is NULL if it is not given. Returns false if it is a placeholder,
 * which other messages would share, and *refusal_out says so.
 */
bool argument_key(const struct tool_call *call, const char **key_out,
		  struct refusal *refusal_out);

/*
 * Drops all arguments but this text, which is copied to the call's arena. Returns false if memory
 * runs out, and nothing changed.
 */
bool argument_keep_text(struct tool_call *call, const char *name);
