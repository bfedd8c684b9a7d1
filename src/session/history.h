/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * History: outgoing messages in the phone's own messaging app, by the history service of Lomiri
 * (Ubuntu Touch), under its present or its former name.
 *
 * An event has an ID of ours, so writing a message again changes its state and never adds
 * another one. Nothing is ever removed.
 *
 * Source: lomiri-history-service 0.4, src/types.h and its D-Bus interface.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct bus;
struct history;

/* Stored by the service as these numbers. */
enum history_status {
	HISTORY_UNKNOWN = 0,
	HISTORY_DELIVERED = 1,
	HISTORY_FAILED = 3,
	HISTORY_SENT = 4,
};

/* Valid UTF-8; borrowed until `done`. */
struct history_message {
	const char *event_id;	  /* the same for each state of a message */
	const char *phone_number; /* of the recipient */
	const char *text;
	const char *time; /* RFC 3339, the phone's own time with its offset */
	int slot;	  /* of the SIM: 0 is the first */
	enum history_status status;
};

/* `session` is borrowed. Returns 0 or -ENOMEM. */
int history_new(struct bus *session, struct history **history_out);
void history_free(struct history *history); /* NULL is fine; drops what is under way */

/* Returns false once the session's bus has said that there is no such service. */
bool history_may_exist(const struct history *history);

/*
 * Writes a message; one at a time. `done` is called later, once: `written` is false if it was not
 * written. Returns 0 or -ENOMEM, and then `done` is not called.
 */
int history_write(struct history *history, const struct history_message *message,
		  void (*done)(void *data, bool written), void *data);
