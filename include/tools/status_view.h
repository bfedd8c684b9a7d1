/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Status view: the gateway's state and what it lets a client do, as JSON; the same in
 * get_gateway_status, sms://status and the owner's command `status`.
 */
#pragma once

#include "mcp/schema.h"
#include "tools/services.h"

extern const struct schema_field status_view_fields[];

struct status_view {
	const struct services *services;
	const struct client *client; /* whose permissions and limits are shown */
	struct arena *arena;
	bool is_brief; /* set by status_view_write_brief() */
};

/*
 * Writes a JSON object, complete in either case. Returns 0, or -errno if part of it could not be
 * read.
 */
int status_view_write(struct json_writer *writer, const struct status_view *view);

/*
 * Writes the short form of get_gateway_status: at most 700 octets with two SIMs. Members that say
 * nothing are left out.
 */
int status_view_write_brief(struct json_writer *writer, const struct status_view *view);

/* Writes the same as members of an object that is already open. */
int status_view_put(struct json_writer *writer, const struct status_view *view);
