/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Session record: what of an MCP session survives a restart; mcp makes it, the store keeps
 * it.
 */
#ifndef BASE_SESSION_RECORD_H
#define BASE_SESSION_RECORD_H

#include <stdint.h>

enum { SESSION_ID_BYTES = 33 }; /* 32 hex digits and NUL */

/* strings borrowed */
struct session_record {
	const char *id;
	int64_t client_id;
	const char *revision;	   /* "2025-11-25" */
	int64_t capabilities;	   /* bits of mcp/session.h */
	int64_t used_ms;	   /* wall clock */
	const char *subscriptions; /* lines, two for each: its URI and what that means */
};

#endif
