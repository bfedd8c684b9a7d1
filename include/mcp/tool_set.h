/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tool set: which tools of the table are offered now, and tools/list as it is written. A
 * tool that is not offered is not there: not listed, and unknown when it is called.
 *
 * The owner hides tools by name; others are of no use for a while (struct tool, `usable`).
 * Of those that are offered each client sees the ones that its scopes allow. Order is the
 * table's, always.
 */
#ifndef MCP_TOOL_SET_H
#define MCP_TOOL_SET_H

#include "base/buffer.h"
#include "base/client.h"
#include "config/config.h"
#include "mcp/tool.h"

struct tool_set {
	const struct tool *const *table;  /* ends with NULL */
	const struct config_list *hidden; /* NULL: none; see tool_set_knows() */
	const void *services;
	const struct tool **offered; /* ends with NULL */
	unsigned scopes;	     /* that any of these needs */
	/* The tools/list array by the scopes of who asks, as far as they matter. One is
	 * written when it is first asked for; empty: it was not. */
	struct buffer lists[CLIENT_SCOPES_ALL + 1];
};

/* All that is given outlives it. 0 or -ENOMEM. */
int tool_set_init(struct tool_set *set, const struct tool *const *table,
		  const struct config_list *hidden, const void *services);
void tool_set_deinit(struct tool_set *set); /* fine when all zero */

/* Looks again which are offered. 1: others than before; 0: the same; -ENOMEM: as before. */
int tool_set_review(struct tool_set *set);

/* The tools/list array for these scopes, as long as there is no review. NULL: no memory. */
const struct buffer *tool_set_list(struct tool_set *set, unsigned scopes);

/* Is it the same for both? */
bool tool_set_is_same(const struct tool_set *set, unsigned scopes, unsigned others);

/*
 * Are all names in `hidden` tools of the table? Each value holds names, with blanks or commas
 * between them. If not, *name_out with its length is the first that is none, in its value.
 */
bool tool_set_knows(const struct tool *const *table, const struct config_list *hidden,
		    const char **name_out, size_t *length_out);

#endif
