/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cursor: a place among the messages, calls or changes, in a form that clients hand back and do
 * not read. It is the number of a message: so it holds whatever arrives meanwhile, and over a
 * restart.
 *
 * A check sum tells one that was made up or mixed up from one of ours. It guards against
 * mistakes, not against anybody: a cursor opens nothing that is closed without it.
 */
#ifndef TOOLS_CURSOR_H
#define TOOLS_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "mcp/tool.h"

enum cursor_kind {
	CURSOR_MESSAGES,      /* list_sms goes on with what is older than this message */
	CURSOR_CONVERSATIONS, /* ... list_sms_conversations */
	CURSOR_CALLS,	      /* ... get_recent_calls, than this call */
	CURSOR_CONTACTS,      /* ... find_contact, than this place among them */
	CURSOR_CHANGES,	 /* get_gateway_status waits for what is newer than this change */
	CURSOR_ARRIVALS, /* wait_for_sms looks at what is newer than this message */
};

enum { CURSOR_BYTES = 32 };

void cursor_write(enum cursor_kind kind, int64_t message_id, char text[CURSOR_BYTES]);
bool cursor_read(enum cursor_kind kind, const char *text, int64_t *message_id_out);

/*
 * The cursor that was given as argument `name`; 0 in *message_id_out when none was. False:
 * it is none of this kind, and the call has been finished with a failure.
 */
bool cursor_argument(struct tool_call *call, const char *name, enum cursor_kind kind,
		     int64_t *message_id_out);
void cursor_put(struct json_writer *writer, const char *key, enum cursor_kind kind,
		int64_t message_id);

#endif
