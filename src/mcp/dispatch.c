/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/dispatch.h"

#include "mcp/cancellation.h"
#include "mcp/era.h"

static void run(struct request *request, const char *why_not)
{
	if (why_not)
		request_fail(request, RPC_INTERNAL_ERROR, why_not);
	else
		request_run(request);
	if (request->waiting && request->era->hear)
		cancellation_allow(request);
}

/* What it ends may be a request that came with it. */
void dispatch(struct request *message, const char *why_not)
{
	if (message->message.kind == RPC_REQUEST)
		run(message, why_not);
	else if (message->era->hear)
		message->era->hear(message);
}
