/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Schema: the fields of an object, declared once.
 *
 * One table yields both the JSON Schema that clients see and the check of what they send,
 * so every advertised keyword is enforced.
 */
#ifndef MCP_SCHEMA_H
#define MCP_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"

enum schema_type {
	SCHEMA_STRING,
	SCHEMA_INTEGER,
	SCHEMA_BOOLEAN,
	SCHEMA_OBJECT, /* with `members` */
	SCHEMA_ARRAY,  /* of objects with `members`, else of `items` */
	SCHEMA_NUMBER, /* integer or fraction */
};

/* A table of these ends with a NULL name. */
struct schema_field {
	const char *name;
	enum schema_type type;
	bool required;
	const char *description;
	int64_t minimum; /* number: its value; string: characters; both 0: no bounds */
	int64_t maximum;
	const char *const *words; /* string: allowed values, ends with NULL; NULL: any */
	const struct schema_field *members;
	enum schema_type
		items; /* array of strings or numbers; bounds and words apply to each */
};

enum schema_kind {
	SCHEMA_OPEN,   /* output: later versions may add members */
	SCHEMA_CLOSED, /* input: unknown members are refused */
};

/* {"type":"object","properties":{...},"required":[...]} */
void schema_write(struct json_writer *writer, const struct schema_field *fields,
		  enum schema_kind kind);

/* For form.c: the type's name in JSON Schema. */
const char *schema_type_name(enum schema_type type);
/* "minimum" and "maximum", or "minLength", "minItems" and so on. */
void schema_write_bounds(struct json_writer *writer, enum schema_type type,
			 int64_t minimum, int64_t maximum);

/*
 * Why `object` does not fit a closed schema, in words a model can act on; NULL: it fits.
 */
const char *schema_check(const struct schema_field *fields, const struct json *object,
			 struct arena *arena);

#endif
