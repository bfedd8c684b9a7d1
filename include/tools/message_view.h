/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Message view: a stored message as JSON, the same in every tool and resource, and what its
 * state means in words.
 *
 * One-time codes are masked (sms/code_mask.h) for clients that may not read them, in both
 * directions, because a received code may have been passed on. Only a client's own messages
 * are not masked for it (tests/integration/test_masking.py).
 */
#ifndef TOOLS_MESSAGE_VIEW_H
#define TOOLS_MESSAGE_VIEW_H

#include "tools/view.h"

extern const struct schema_field message_view_fields[]; /* of one message */

void message_view_write(const struct view *view, const struct message *message);

/* Are one-time codes in this message masked for the reader? */
bool message_view_masks(const struct view *view, const struct message *message);

/*
 * Does the text as this reader sees it contain these words (NULL: always true)? The store
 * searches the stored text, so it also finds words that are masked.
 */
bool message_view_contains(const struct view *view, const struct message *message,
			   const char *words);

/*
 * Why the message is in its state: "paused_by_owner" or "clock_unknown" while it waits for
 * that, else message->reason. These two are never stored: one switch and one clock hold all
 * waiting messages.
 */
const char *message_view_reason(const struct services *services,
				const struct message *message);

/*
 * Does the message wait because the gateway does not know the time? Its clock was never set,
 * or runs behind a time that it has shown before (sms/outbox_clock.h).
 */
bool message_view_waits_for_clock(const struct message *message);

enum { MESSAGE_VIEW_MEANING_BYTES = 512 };

/* State and reason in plain words. An unknown or empty reason adds nothing. */
void message_view_format_meaning(char text[MESSAGE_VIEW_MEANING_BYTES],
				 enum message_state state, const char *reason);
/* The same as the member "meaning". */
void message_view_put_meaning(struct json_writer *writer, enum message_state state,
			      const char *reason);

/* Reports a message's state as progress of a waiting call. */
void message_view_report_progress(struct tool_call *call, int64_t message_id,
				  enum message_state state);

#endif
