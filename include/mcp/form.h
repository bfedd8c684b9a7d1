/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Form: the fields that a user fills in, declared once as a table.
 *
 * The table yields both the requestedSchema that clients show, as each revision writes
 * it, and the check of their answers. A default is what the client shows as already
 * filled in; an answer without the field stays without it.
 *
 * Source: MCP 2026-07-28, client/elicitation, "Requested Schema"; SEP-1034, SEP-1330.
 * Formats: MCP 2025-11-25, schema, StringSchema; JSON Schema 2020-12, "Defined Formats".
 */
#ifndef MCP_FORM_H
#define MCP_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"
#include "mcp/schema.h"

enum { FORM_TEXT_MAX = 1000 }; /* characters of a string that has no bounds of its own */

/* How a revision writes forms. */
enum form_style {
	FORM_STYLE_NONE, /* the revision has no forms */
	/* 2025-06-18: titles are enumNames; single choice only; defaults of booleans
	 * only */
	FORM_STYLE_ENUM_NAMES,
	FORM_STYLE_TITLES, /* each value has its title beside it */
};

/* Formats of strings. All are checked here, because clients may leave the check to us. */
enum form_format {
	FORM_FORMAT_ANY,
	FORM_FORMAT_EMAIL,     /* one address, without a name */
	FORM_FORMAT_URI,       /* absolute */
	FORM_FORMAT_DATE,      /* "2026-11-21" */
	FORM_FORMAT_DATE_TIME, /* RFC 3339 */
};

/* A table of these ends with a NULL value. */
struct form_choice {
	const char *value;
	const char *title; /* shown to the user; NULL in all choices: the value */
	bool preset;	   /* selected by default */
};

/* A table of these ends with a NULL name. */
struct form_field {
	const char *name;
	enum schema_type type; /* any but object; an array holds several choices */
	bool required;
	const char *title;
	const char *description; /* may be NULL */
	/* Bounds of a number's value, a string's characters, an array's choices. Both
	 * 0: no bounds. */
	int64_t minimum;
	int64_t maximum;
	const struct form_choice *choices; /* string, array: allowed values; NULL: any */
	enum form_format format;	   /* string without choices */
	/* The default: a string as is, a number or boolean as JSON text; NULL: none.
	 * Choices have defaults of their own. */
	const char *preset;
	/* Write titles as enumNames in every revision, for clients that know nothing else
	 * (deprecated by MCP). */
	bool is_named;
};

/* Whether a form of this style can show these fields. */
bool form_can_show(enum form_style style, const struct form_field *fields);

/* Writes the requestedSchema. */
void form_write(struct json_writer *writer, const struct form_field *fields,
		enum form_style style);

/* `text` is valid UTF-8. */
bool form_format_fits(enum form_format format, const char *text);

/*
 * Returns an object in `arena` with exactly the fields of the table. NULL: `content` (may
 * be NULL) does not fit the form, or no memory.
 */
const struct json *form_read(const struct form_field *fields, const struct json *content,
			     struct arena *arena);

#endif
