/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tool set: the tools of the table that are offered now, and tools/list for them. A tool
 * that is not offered does not exist for clients: not listed, and unknown when called.
 *
 * The owner hides tools by name; others are unusable for a while (struct tool, `usable`).
 * Each client sees the offered tools that its scopes allow. The order is always that of
 * the table.
 */
#ifndef MCP_TOOL_SET_H
#define MCP_TOOL_SET_H

#include "base/buffer.h"
#include "base/client.h"
#include "mcp/tool.h"

struct config_list;

struct tool_set {
	const struct tool *const *table;  /* ends with NULL */
	const struct config_list *hidden; /* NULL: none; see tool_set_check_names() */
	const struct services *services;
	const struct tool **offered; /* ends with NULL */
	unsigned scopes;	     /* that any offered tool needs */
	/* tools/list arrays, by the client's scopes as far as they matter. Each is
	 * written on first use; empty: not yet. */
	struct buffer lists[CLIENT_SCOPES_ALL + 1];
};

/* The arguments outlive the set. 0 or -ENOMEM. */
int tool_set_init(struct tool_set *set, const struct tool *const *table,
		  const struct config_list *hidden, const struct services *services);
void tool_set_deinit(struct tool_set *set); /* fine when all zero */

/* Decides anew which tools are offered. 1: changed; 0: unchanged; -ENOMEM: unchanged. */
int tool_set_review(struct tool_set *set);

/* The tools/list array for these scopes, valid until the next review. NULL: no memory. */
const struct buffer *tool_set_list(struct tool_set *set, unsigned scopes);

/* Writes the tools/list array for these scopes, of tools that end with NULL. */
void tool_set_write_list(struct json_writer *writer, const struct tool *const *tools,
			 unsigned scopes);

/* Whether clients with these scopes see the same tools. */
bool tool_set_looks_same(const struct tool_set *set, unsigned scopes, unsigned others);

/*
 * Checks that all names in `hidden` are tools of the table. Each value holds names
 * separated by spaces or commas. False: *name_out is the first unknown one, inside its
 * value.
 */
bool tool_set_check_names(const struct tool *const *table,
			  const struct config_list *hidden, const char **name_out,
			  size_t *length_out);

#endif
