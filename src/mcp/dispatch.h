/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dispatch: a message whose era is decided goes to where it is carried out.
 */
#ifndef MCP_DISPATCH_H
#define MCP_DISPATCH_H

#include "mcp/request.h"

#define DISPATCH_STOPPING "not run: the gateway stops; ask for it again when it is back"

/*
 * A request is run, or fails with `why_not` (NULL: nothing keeps it from being run); from
 * then on it may be cancelled, if it waits. A notification or a response is heard.
 */
void dispatch(struct request *message, const char *why_not);

#endif
