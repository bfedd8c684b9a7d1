/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tool command: a command of the owner that runs a tool.  It takes the tool's arguments, and
 * its result is what the tool gives agents as structuredContent
 * (tests/integration/test_owner_tools.py).
 *
 * The owner is a client with every scope and every SIM, without limits, whose messages need no
 * approval.  What the configuration forbids to everybody it also forbids to the owner: sending
 * while paused, premium numbers, more than the SIM's limits.
 */
#ifndef GATEWAY_TOOL_COMMAND_H
#define GATEWAY_TOOL_COMMAND_H

#include "base/client.h"
#include "gateway/control_call.h"
#include "mcp/tool.h"

extern const struct client tool_command_owner;

/* Runs the tool and answers the call. */
void tool_command_run(struct control_call *control_call, const struct tool *tool);

#endif
