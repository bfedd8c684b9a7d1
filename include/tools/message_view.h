/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Message view: a stored message as JSON, the same in every tool and resource, and what its
 * state means in words.
 *
 * One-time codes are masked (text/code_mask.h) for clients that may not read them, in both
 * directions, because a received code may have been passed on. Only a client's own messages
 * are not masked for it (tests/integration/test_masking.py).
 */
#pragma once

#include "tools/view.h"

extern const struct schema_field message_view_fields[]; /* of one message */
extern const char *const message_view_origins[];

/*
 * Reads a message into an arena of its own, so that a list has one at a time in memory. The caller
 * frees *arena_out in any case. Returns 0 or the store's error.
 */
int message_view_read(struct store *store, int64_t message_id, struct arena **arena_out,
		      struct message *message_out);

/* Members that would say nothing are left out: see message_view_fields. */
void message_view_write(const struct view *view, const struct message *message);
/* Writes "origin", where another program sent the message. */
void message_view_put_origin(struct json_writer *writer, int64_t client_id);
/* The same, and "client" for a reader who decides on other clients' messages. */
void message_view_put_sender(struct json_writer *writer, const struct services *services,
			     const struct client *reader, const struct message *message);

#define MESSAGE_VIEW_CLIENT_FIELD         \
	{ "client", SCHEMA_STRING, false, \
	  "out, for the owner and scope admin: who had it sent, as in list_approvals" }

/* The same without the number and what is known about it, for a row that has them. */
void message_view_write_without_party(const struct view *view,
				      const struct message *message);

/*
 * Writes what an incoming message tells about itself without its text, and with `has_text` the
 * text, into an open object: message_view_arrival_fields.
 */
extern const struct schema_field message_view_arrival_fields[];
void message_view_write_arrival(const struct view *view, const struct message *message,
				bool has_text);

struct message_view_findings;

/*
 * Writes "flags"; nothing if there are none. If `findings` is NULL, nothing is said about the text.
 */
void message_view_put_flags(struct json_writer *writer, const struct message *message,
			    const struct message_view_findings *findings);

/* Are one-time codes in this message masked for the reader? */
bool message_view_masks(const struct view *view, const struct message *message);

/*
 * Appends the text without its one-time codes, and without the rolling code of a command or the
 * number of an approval. Returns false if it has none, and nothing is appended. Without memory it
 * returns true, and the buffer has failed.
 */
bool message_view_mask(const struct services *services, const struct message *message,
		       struct buffer *masked);

/* Writes "command": the text of a command of the owner, without its word and code. */
void message_view_put_command(const struct view *view, const struct message *message);

/*
 * Does the text as this reader sees it contain these words? It always does if they are NULL. The
 * store searches the stored text, so it also finds words that are masked.
 */
bool message_view_contains(const struct view *view, const struct message *message,
			   const char *words);

/*
 * Returns why the message is in its state: "paused_by_owner" or "clock_unknown" while it waits for
 * that; what keeps its SIM from sending ("sim_absent", ...) while it is queued for no other reason;
 * else message->reason. The first three are never stored: one switch, one clock and one SIM hold
 * many messages.
 */
const char *message_view_reason(const struct services *services,
				const struct message *message);

/*
 * Does the message wait because the gateway does not know the time? Its clock was never set,
 * or runs behind a time that it has shown before (src/sms/outbox_deadline.c).
 */
bool message_view_waits_for_clock(const struct message *message);

/* May some segments of this failed message have arrived? */
bool message_view_may_be_sent_in_part(enum message_state state, const char *reason,
				      unsigned segments);

/*
 * Returns what the reason means for its state, or else, if it is unknown or empty, what the state
 * means.
 */
const char *message_view_meaning(enum message_state state, const char *reason,
				 unsigned segments);

/* Reports a message's state as progress of a waiting call. */
void message_view_report_progress(struct tool_call *call, int64_t message_id,
				  enum message_state state);

/*
 * Writes what the owner or an admin must know of a message that waits for approval, except its
 * number. Without a gateway `services` has only the store and the configuration.
 */
void message_view_put_approval(struct json_writer *writer,
			       const struct services *services,
			       const struct message *message);
