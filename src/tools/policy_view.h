/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Policy view: what the owner lets a client send, in words and numbers, as JSON.
 */
#ifndef TOOLS_POLICY_VIEW_H
#define TOOLS_POLICY_VIEW_H

#include "mcp/schema.h"
#include "tools/services.h"

extern const struct schema_field policy_view_limit_fields[]; /* of one limit */

/* "policy": an array of sentences. */
void policy_view_write_words(struct json_writer *writer, const struct services *services,
			     const struct client *client);

/*
 * "limits": of the client, and of each SIM that it may use. *frees_ms_out: wall clock, when the
 * first of them has more left; 0: all are free. 0, or -errno: not all.
 */
int policy_view_write_limits(struct json_writer *writer, const struct services *services,
			     const struct client *client, int64_t *frees_ms_out);

#endif
