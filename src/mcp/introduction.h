/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Introduction: what the server says of itself, whatever the revision.
 */
#ifndef MCP_INTRODUCTION_H
#define MCP_INTRODUCTION_H

#include "base/json_writer.h"

/* The same for whoever reads it. */
struct introduction {
	const char *name;
	const char *qualified_name; /* as a server card wants it, with a slash */
	const char *title;
	const char *version;
	const char *description; /* at most 100 characters */
};

extern const struct introduction introduction;

/* {"name":...,"title":...,"version":...} */
void introduction_put_server(struct json_writer *writer, const char *key);
/* "capabilities": what there is to ask for; `extension`: its name, NULL none */
void introduction_put_capabilities(struct json_writer *writer, const char *extension);
/* "instructions": for the model */
void introduction_put_instructions(struct json_writer *writer);

#endif
