/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Status view: how the gateway is and what it lets a client do, as JSON; the same in
 * get_gateway_status, sms://status and the owner's command `status`.
 */
#ifndef TOOLS_STATUS_VIEW_H
#define TOOLS_STATUS_VIEW_H

#include "mcp/schema.h"
#include "tools/services.h"

extern const struct schema_field status_view_fields[];

struct status_view {
	const struct services *services;
	const struct client *client; /* who asks */
	struct arena *arena;
	int64_t *frees_ms; /* NULL: not asked for; see policy_view_write_limits() */
};

/* A whole object in either case. 0, or -errno: something of it could not be read. */
int status_view_write(struct json_writer *writer, const struct status_view *view);

/* The same as members of an object that is open. */
int status_view_put(struct json_writer *writer, const struct status_view *view);

#endif
