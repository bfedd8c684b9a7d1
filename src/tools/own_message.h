/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Own message: an outgoing message of the calling client, for tools that change it.
 */
#pragma once

#include "mcp/tool.h"
#include "store/store_message.h"

/*
 * Reads it; its strings live in the call's arena. Returns false if the call has been finished.
 * Another client's message looks like none.
 */
bool own_message_read(struct tool_call *call, int64_t message_id,
		      struct message *message_out);

/*
 * Returns why a message in this state cannot be changed: "was already sent". Returns NULL if it
 * waits.
 */
const char *own_message_too_late(enum message_state state);
