/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cursor: a position among messages, calls, contacts or changes, as a string that clients
 * pass back without reading it. It holds a row's ID, so it stays valid whatever arrives
 * meanwhile, also over a restart; that of CURSOR_SCHEDULED also holds the time that the message
 * waited for, which may change.
 *
 * Its checksum detects mistakes, not attacks: a cursor gives no access that a client does
 * not have without it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "mcp/tool.h"

enum cursor_kind {
	CURSOR_MESSAGES,      /* list_sms continues with messages older than this one */
	CURSOR_SCHEDULED,     /* list_sms continues with messages that wait for later */
	CURSOR_CONVERSATIONS, /* list_sms_conversations, likewise */
	CURSOR_CALLS,	      /* list_calls, likewise */
	CURSOR_CONTACTS,      /* find_contact continues after this position */
	CURSOR_CHANGES,	      /* get_gateway_status waits for changes after this one */
	CURSOR_ARRIVALS,      /* wait_for_sms checks messages newer than this one */
};

enum { CURSOR_BYTES = 48 };

void cursor_write(enum cursor_kind kind, int64_t id, char text[CURSOR_BYTES]);
/* Returns false if it is not a cursor of this kind. */
bool cursor_read(enum cursor_kind kind, const char *text, int64_t *id_out);

/*
 * Reads the cursor in argument `name`; *id_out is 0 if there is none, or "". Returns false if it is
 * not one of this kind, and the call has been finished with a failure.
 */
bool cursor_argument(struct tool_call *call, const char *name, enum cursor_kind kind,
		     int64_t *id_out);
void cursor_put(struct json_writer *writer, const char *key, enum cursor_kind kind,
		int64_t id);

/* The same for CURSOR_SCHEDULED; both are 0 without a cursor. */
bool cursor_argument_scheduled(struct tool_call *call, const char *name,
			       int64_t *send_at_ms_out, int64_t *id_out);
void cursor_put_scheduled(struct json_writer *writer, const char *key, int64_t send_at_ms,
			  int64_t id);
