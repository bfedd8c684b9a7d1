/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Schema: the fields of an object, declared once.
 *
 * One table yields both the JSON Schema that clients see and the check of what they send,
 * so every advertised keyword is enforced.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/json.h"

enum schema_type {
	SCHEMA_STRING,
	SCHEMA_INTEGER,
	SCHEMA_BOOLEAN,
	SCHEMA_OBJECT, /* only in an output: with `members`, or of any names */
	SCHEMA_ARRAY,  /* of `items`; in an output also of objects with `members` */
	SCHEMA_NUMBER, /* only in a form: integer or fraction */
};

struct services;
struct tool;
struct tool_call;

/* A table of these ends with a NULL name. */
struct schema_field {
	const char *name;
	enum schema_type type;
	bool required;
	const char *description;
	/* a number's value, a string's characters; both are 0 without bounds */
	int64_t minimum;
	int64_t maximum;
	/* string: allowed values, ends with NULL; NULL for any */
	const char *const *words;
	const struct schema_field *members;
	/* array of strings or integers; bounds and words apply to each */
	enum schema_type items;
	/*
	 * Appends what follows the description for now, such as what the owner allows. Code that
	 * changes it calls endpoint_review_tools(). If it is NULL, nothing follows.
	 */
	void (*describe)(const struct services *services, struct buffer *more);
	/* If it is NULL, the argument is always listed. Where it is not, the tool itself refuses
	 * the argument. */
	bool (*is_offered)(const struct services *services);
	/* Listed as required, but the tool itself judges a call without it. */
	bool tool_checks_absence;
	/* What models call it instead, for a refusal with the right name; separated by spaces. */
	const char *other_names;
	/*
	 * Returns what to do when the value does not fit; NULL if it has nothing to say. If the
	 * member is NULL, the fix is to match the inputSchema.
	 */
	const char *(*fix)(const struct tool_call *call);
	/* enum client_scope: clients without all of these neither see nor may use it */
	unsigned scopes;
};

enum schema_kind {
	SCHEMA_OPEN,   /* output: later versions may add members */
	SCHEMA_CLOSED, /* input: unknown members are refused */
};

/*
 * Tool text: a description, instruction or fix as one client reads it: without what names a tool
 * that this client does not have, so that a model is never sent to such a tool.
 *
 * What goes is a remark in parentheses, "SIM to send from (get_sms_subscriptions lists
 * them)", or else the whole sentence. So an author writes a sentence for each thought and
 * marks nothing; sentences end with a full stop and a space.
 */

struct schema_reader {
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
bool schema_put_text(struct json_writer *writer, const char *key, const char *text,
		     const struct schema_reader *reader);

/*
 * Writes {"type":"object","properties":{...},"required":[...]}. Descriptions are those for the
 * reader, see schema_put_text().
 */
void schema_write(struct json_writer *writer, const struct schema_field *fields,
		  enum schema_kind kind, const struct schema_reader *reader);

/* Writes the same with no more than the names and types of these members; `names` end with NULL. */
void schema_write_brief(struct json_writer *writer, const struct schema_field *fields,
			const char *const *names);

/* For form.c: the type's name in JSON Schema. */
const char *schema_type_name(enum schema_type type);

/*
 * Returns why `object`, from a client with these scopes, does not fit a closed schema, in words a
 * model can act on; NULL if it fits.
 */
const char *schema_check(const struct schema_field *fields, unsigned scopes,
			 const struct json *object, struct arena *arena);

/* The same for the value of one field, except the items of an array. */
const char *schema_check_value(const struct schema_field *field, const struct json *value,
			       struct arena *arena);

/* Does a client with these scopes see the field? */
bool schema_shows(const struct schema_field *field, unsigned scopes);
