/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gap view: the times in which the gateway could not hear, as JSON.
 */
#ifndef TOOLS_GAP_VIEW_H
#define TOOLS_GAP_VIEW_H

#include "mcp/tool.h"
#include "store/store.h"

extern const struct schema_field gap_view_fields[]; /* for output schemas */

void gap_view_write(struct json_writer *writer, const struct gap *gap);

/* "gaps": those from that time on. 0 or -errno. */
int gap_view_put(struct json_writer *writer, struct store *store, int64_t since_ms);

#endif
