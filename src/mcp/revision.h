/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Revision: the protocol revisions that are served, and in what they differ within their
 * family.
 */
#ifndef MCP_REVISION_H
#define MCP_REVISION_H

#include <stdbool.h>

#include "base/json.h"
#include "mcp/form.h"

struct revision {
	const char *name; /* "2025-11-25"; names compare as strings */
	bool batches;	  /* one POST may carry an array of messages */
	bool resumes;	  /* the stream of a POST can be resumed, see mcp/reply.h */
	enum form_style form;
};

/* Newest first; end with a NULL name. */
extern const struct revision revision_family_2025[];
extern const struct revision revision_family_2026[];

/* The revision of this name, or NULL. */
const struct revision *revision_find(const struct revision *family, const char *name);

/* An array of the names of a family, or of all families, newest first. */
void revision_write_names(const struct revision *family, struct json_writer *writer);
void revision_write_all_names(struct json_writer *writer);

#endif
