/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Status view: the gateway's state and what it lets a client do, as JSON; the same in
 * get_gateway_status, sms://status and the owner's command `status`.
 */
#ifndef TOOLS_STATUS_VIEW_H
#define TOOLS_STATUS_VIEW_H

#include "mcp/schema.h"
#include "tools/services.h"

extern const struct schema_field status_view_fields[];

struct status_view {
	const struct services *services;
	const struct client *client; /* whose permissions and limits are shown */
	struct arena *arena;
};

/* A JSON object, complete in either case. 0, or -errno: part of it could not be read. */
int status_view_write(struct json_writer *writer, const struct status_view *view);

/* The same as members of an object that is already open. */
int status_view_put(struct json_writer *writer, const struct status_view *view);

#endif
