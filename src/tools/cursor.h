/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cursor: a position among messages, calls, contacts or changes, as a string that clients
 * pass back without reading it. It holds a row's ID, so it stays valid whatever arrives
 * meanwhile, also over a restart.
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
	CURSOR_CONVERSATIONS, /* list_sms_conversations, likewise */
	CURSOR_CALLS,	      /* list_calls, likewise */
	CURSOR_CONTACTS,      /* find_contact continues after this position */
	CURSOR_CHANGES,	      /* get_gateway_status waits for changes after this one */
	CURSOR_ARRIVALS,      /* wait_for_sms checks messages newer than this one */
};

enum { CURSOR_BYTES = 32 };

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
