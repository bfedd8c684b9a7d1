/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cancellation: notifications/cancelled of the 2025 family, for requests that wait.
 *
 * It counts when it names the id of a request of the same session with the same token: ids
 * of clients without a session are nobody's in particular. What has not begun is undone, as
 * when a client of 2026 leaves; the request gets no answer, and its POST ends without one.
 *
 * Source: MCP 2025-11-25, basic/utilities/cancellation.
 */
#ifndef MCP_CANCELLATION_H
#define MCP_CANCELLATION_H

#include "mcp/request.h"

/* A request that waits may be cancelled from now on. */
void cancellation_allow(struct request *request);

void cancellation_hear(struct request *notification);

#endif
