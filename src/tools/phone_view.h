/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phone view: a phone as the hub of many phones keeps it: its SIMs and what each limit leaves.
 * Unlike the views for agents it has the card's identity, and times in milliseconds.
 */
#pragma once

#include "mcp/schema.h"
#include "tools/services.h"

enum phone_view_detail {
	PHONE_VIEW_STEADY, /* what a waiting hub hears of at once */
	PHONE_VIEW_LEFT,   /* also what each limit leaves */
	PHONE_VIEW_FULL,   /* also what changes by itself: times, signal strength */
};

extern const struct schema_field phone_view_fields[];

/* Writes the object; limits are those of this client. */
void phone_view_write(struct json_writer *writer, const struct services *services,
		      const struct client *client, enum phone_view_detail detail);

/* Returns the same for the same text of phone_view_write(); 0 if memory runs out. */
uint64_t phone_view_digest(const struct services *services, const struct client *client,
			   enum phone_view_detail detail);
