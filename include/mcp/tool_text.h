/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tool text: a description, instruction or fix as one client reads it: without what names a tool
 * that this client does not have, so that a model is never sent to such a tool.
 *
 * What goes is a remark in parentheses, "SIM to send from (get_sms_subscriptions lists
 * them)", or else the whole sentence. So an author writes a sentence for each thought and
 * marks nothing; sentences end with a full stop and a space.
 */
#pragma once

#include "base/json.h"

struct services;
struct tool;

struct tool_text_reader {
	/* the tools that a text may name; ends with NULL */
	const struct tool *const *table;
	/* those of them that there are now; likewise */
	const struct tool *const *offered;
	unsigned scopes; /* of the client */
	const struct services *services;
};

/*
 * Writes the member `key`, unless nothing is left of the text; returns whether anything is. If
 * `reader` is NULL, it is one that has all tools.
 */
bool tool_text_put(struct json_writer *writer, const char *key, const char *text,
		   const struct tool_text_reader *reader);
