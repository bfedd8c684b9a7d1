/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Elicitation: asking a person in 2025-06-18 and 2025-11-25. The call waits, the question
 * is a request of ours on the stream of its POST, and the client POSTs the answer.
 *
 * Who may be asked has said so in the handshake of a session. An answer counts when it
 * names our id in the same session with the same token. Without one in time, after an
 * error in its place, and when the gateway stops, the tool has to do without. A client that
 * leaves for good (see mcp/reply.h), or cancels the call, ends it: nothing has been done yet.
 *
 * Source: MCP 2025-11-25, client/elicitation; basic/transports.
 */
#ifndef MCP_ELICITATION_H
#define MCP_ELICITATION_H

#include "mcp/ask_front.h"

extern const struct ask_front elicitation_front;

/* A response to a request of ours; one that nobody waits for is passed over. */
void elicitation_hear(struct request *response);

#endif
