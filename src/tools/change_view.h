/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Change view: entries of the feed as the hub of many phones reads them (list_changes). Texts
 * are exact, not escaped, because the hub stores them and has views of its own. And the phone: its
 * SIMs and what each limit leaves. Unlike the views for agents these have the card's identity, and
 * times in milliseconds.
 */
#pragma once

#include "base/feed.h"
#include "mcp/schema.h"
#include "store/store_message.h"
#include "tools/view.h"

extern const struct schema_field change_view_fields[]; /* of one row */

/* Is the entry for this client: about the phone, or about a message of its own? */
bool change_view_is_for(const struct client *client, const struct feed_entry *entry);

/* Does it end a wait? That a message is under way does not: its outcome follows. */
bool change_view_ends_wait(const struct feed_entry *entry);

/*
 * Writes the entry as an object, also inside the visit of store_feed_read(). Returns 0;
 * STORE_E_NOT_FOUND if the row that it is about is deleted; or -errno. Then nothing was written.
 */
int change_view_write(const struct view *view, const struct feed_entry *entry);

/* Does a snapshot have it: is it incoming, or of the client's own and not final? */
bool change_view_is_in_snapshot(const struct client *client,
				const struct message *message);
/* Writes it as an object, like an entry about it, but without `id`. */
void change_view_write_message(const struct view *view, const struct message *message);

/* ---- the phone */

enum change_view_phone_detail {
	CHANGE_VIEW_PHONE_STEADY, /* what a waiting hub hears of at once */
	CHANGE_VIEW_PHONE_LEFT,	  /* also what each limit leaves */
	CHANGE_VIEW_PHONE_FULL, /* also what changes by itself: times, signal strength */
};

extern const struct schema_field change_view_phone_fields[];

/* Writes the object; limits are those of this client. */
void change_view_phone_write(struct json_writer *writer, const struct services *services,
			     const struct client *client,
			     enum change_view_phone_detail detail);

/* Returns the same for the same text of change_view_phone_write(); 0 if memory runs out. */
uint64_t change_view_phone_digest(const struct services *services,
				  const struct client *client,
				  enum change_view_phone_detail detail);
