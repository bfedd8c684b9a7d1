/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Input required: asking a person in 2026-07-28. The call is answered with the question and
 * a state (mcp/ask_state.h); the client asks its person and repeats the call with both.
 *
 * A state counts for the same client, tool and arguments only; anything else is -32602.
 * Without a state what is called an answer is to no question of ours, and is not looked at.
 *
 * Source: MCP 2026-07-28, basic/patterns/mrtr.
 */
#ifndef MCP_INPUT_REQUIRED_H
#define MCP_INPUT_REQUIRED_H

#include "mcp/ask_front.h"

extern const struct ask_front input_required_front;

#endif
