/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Schema: the fields of an object, declared once.
 *
 * From one table come the JSON Schema that clients see and the check of what they send, so
 * only keywords that are enforced are advertised.
 */
#ifndef MCP_SCHEMA_H
#define MCP_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/json_writer.h"

enum schema_type {
	SCHEMA_STRING,
	SCHEMA_INTEGER,
	SCHEMA_BOOLEAN,
	SCHEMA_OBJECT, /* with `members` */
	SCHEMA_ARRAY,  /* of objects with `members`; without those, of `items` */
	SCHEMA_NUMBER, /* whole or not */
};

/* a table of these ends with a NULL name */
struct schema_field {
	const char *name;
	enum schema_type type;
	bool required;
	const char *description;
	int64_t minimum; /* number: its value; string: characters; both 0: no bound */
	int64_t maximum;
	const char *const *words; /* string: the only values, ends with NULL */
	const struct schema_field *members;
	enum schema_type
		items; /* a string or number; bounds and words are those of each */
};

enum schema_kind {
	SCHEMA_OPEN,   /* other members may follow in later versions (output) */
	SCHEMA_CLOSED, /* other members are refused (input) */
};

/* {"type":"object","properties":{...},"required":[...]} */
void schema_write(struct json_writer *writer, const struct schema_field *fields,
		  enum schema_kind kind);

/* For mcp/form_style.h, whose forms are schemas, too: JSON Schema's word for it. */
const char *schema_type_name(enum schema_type type);
/* "minimum" and "maximum", or what the type calls them; of an array its items. */
void schema_write_bounds(struct json_writer *writer, enum schema_type type,
			 int64_t minimum, int64_t maximum);

/* Why `object` does not fit a closed schema, in words a model can act on; NULL: it fits. */
const char *schema_check(const struct schema_field *fields, const struct json *object,
			 struct arena *arena);

#endif
