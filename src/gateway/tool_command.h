/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tool command: a command of the owner that is a tool. Its arguments are the tool's, and its
 * result is what the tool gives agents as structuredContent
 * (tests/integration/test_owner_tools.py).
 *
 * The owner is a client as any, for whom every scope and SIM is there, who has no limits of
 * his own and whose yes is not waited for: he has just said it. All else that the
 * configuration lets nobody do it does not let him either: the pause, numbers that cost extra,
 * what a SIM may send in a day.
 */
#ifndef GATEWAY_TOOL_COMMAND_H
#define GATEWAY_TOOL_COMMAND_H

#include "base/client.h"
#include "gateway/control_call.h"
#include "mcp/tool.h"

extern const struct client owner_client;

/* Runs it, to the end of the call. */
void tool_command_run(struct control_call *control_call, const struct tool *tool);

#endif
