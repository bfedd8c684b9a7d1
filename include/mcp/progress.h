/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress: what a request that waits tells meanwhile, to clients that gave a token.
 *
 * The first one turns the answer into a stream, whose last event it then is.
 *
 * Source: MCP, basic/patterns/progress (2025 revisions: basic/utilities/progress).
 */
#ifndef MCP_PROGRESS_H
#define MCP_PROGRESS_H

#include "mcp/request.h"

bool progress_is_wanted(const struct request *request);
/* Nothing when no token was given, or the client takes no stream. Not after the answer. */
void progress_tell(struct request *request, const char *message);

#endif
