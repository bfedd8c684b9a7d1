/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tool set: the tools of the table that are offered now, and tools/list for them. A tool
 * that is not offered does not exist for clients: not listed, and unknown when called.
 *
 * The owner hides tools by name; others are unusable for a while (struct tool, `usable`).
 * Each client sees the offered tools that its scopes allow. The order is always that of
 * the table.
 */
#pragma once

#include "base/buffer.h"
#include "base/client.h"
#include "mcp/tool.h"

struct config_list;

enum { TOOL_SET_LISTS_MAX = 1 << 6 };

struct tool_set {
	const struct tool *const *table; /* ends with NULL */
	/* NULL if there is none; see tool_set_check_names() */
	const struct config_list *hidden;
	const struct services *services;
	const struct tool **offered; /* ends with NULL */
	unsigned scopes;	     /* that any offered tool needs */
	struct buffer described;     /* what their fields describe() */
	/* tools/list arrays, one for each set of the scopes that matter. Each is written on
	 * first use, and empty before. */
	struct buffer lists[TOOL_SET_LISTS_MAX];
};

/* The arguments outlive the set. Returns 0 or -ENOMEM. */
int tool_set_init(struct tool_set *set, const struct tool *const *table,
		  const struct config_list *hidden, const struct services *services);
void tool_set_deinit(struct tool_set *set); /* fine when all zero */

/*
 * Decides anew which tools are offered, and how they are described. Returns 1 if they changed, 0 if
 * not; -ENOMEM, also unchanged.
 */
int tool_set_review(struct tool_set *set);

/*
 * Returns the tools/list array for these scopes, valid until the next review; NULL if memory runs
 * out.
 */
const struct buffer *tool_set_list(struct tool_set *set, unsigned scopes);

/* Who reads texts about these tools with these scopes; valid until the next review. */
struct schema_reader tool_set_reader(const struct tool_set *set, unsigned scopes);

/*
 * Writes an array like that of tools/list for programs and people: all of these tools, which
 * end with NULL, and what every member of their answers means.
 */
void tool_set_write_catalogue(struct json_writer *writer,
			      const struct tool *const *tools);

/* By its present or former name; `tools` end with NULL. Returns NULL if there is none. */
const struct tool *tool_set_find(const struct tool *const *tools, const char *name,
				 size_t length);

/* Returns whether clients with these scopes see the same tools. */
bool tool_set_looks_same(const struct tool_set *set, unsigned scopes, unsigned others);

/*
 * Checks that all names in `hidden` are tools of the table. Each value holds names separated by
 * spaces or commas. Returns false if one is unknown: then *name_out is the first such, inside its
 * value.
 */
bool tool_set_check_names(const struct tool *const *table,
			  const struct config_list *hidden, const char **name_out,
			  size_t *length_out);
