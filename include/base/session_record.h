/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Session record: the part of an MCP session that survives a restart. mcp fills it in, the
 * store keeps it.
 */
#pragma once

#include <stdint.h>

enum { SESSION_ID_BYTES = 33 }; /* 32 hex digits and NUL */

struct session_record { /* strings borrowed */
	const char *id;
	int64_t client_id;
	const char *revision; /* "2025-11-25" */
	int64_t capabilities; /* bits of mcp/session.h */
	int64_t used_ms;      /* last use, wall clock */
	/* two lines for each: its URI and what it stands for */
	const char *subscriptions;
};
