/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Permission: what a client may ask for, by the scopes that the owner gave it.
 *
 * What it may not see is left out of lists; what it asks for all the same is refused as RFC
 * 6750 says: HTTP status 403 with insufficient_scope. The challenge names no
 * resource_metadata: there is no authorization server, and clients would look for one
 * (tests/clients/test_missing_scope.py).
 *
 * Source: MCP 2026-07-28, basic/authorization, "Runtime Insufficient Scope Errors".
 */
#ifndef MCP_PERMISSION_H
#define MCP_PERMISSION_H

#include "mcp/request.h"

/* Are all scopes that are needed among these? */
bool permission_covers(unsigned scopes, unsigned needed);

/*
 * May the client of this request do what needs these scopes? If not, it has been answered;
 * `what` is the subject of the sentence: "send_sms", "This resource".
 */
bool permission_admit(struct request *request, unsigned needed, const char *what);

#endif
