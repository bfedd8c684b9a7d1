/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ask form: what a person is to fill in, declared once as a table.
 *
 * From it come the requestedSchema that clients show, as each revision writes it, and the
 * check of what they send, which nothing else is taken from.
 *
 * Source: MCP 2026-07-28, client/elicitation, "Requested Schema".
 */
#ifndef MCP_ASK_FORM_H
#define MCP_ASK_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "mcp/schema.h"

enum { ASK_TEXT_MAX = 1000 }; /* characters of a string without bounds of its own */

/* how a revision writes forms */
enum ask_form {
	ASK_FORM_NONE,	 /* it has none */
	ASK_FORM_NAMES,	 /* 2025-06-18: choices are enum and enumNames */
	ASK_FORM_TITLES, /* choices are const and title */
};

/* a table of these ends with a NULL value */
struct ask_choice {
	const char *value;
	const char *title; /* what the person sees */
};

/* a table of these ends with a NULL name */
struct ask_field {
	const char *name;
	enum schema_type type; /* string, integer or boolean: forms are flat */
	bool required;
	const char *title;
	const char *description; /* NULL: none */
	int64_t minimum; /* integer: its value; string: characters; both 0: no bound */
	int64_t maximum;
	const struct ask_choice *choices; /* string: the only values; NULL: any */
};

void ask_form_write(struct json_writer *writer, const struct ask_field *fields,
		    enum ask_form form);

/*
 * The object that holds what the table asks for, and nothing else, made in `arena`. NULL:
 * `content` (which may be NULL) does not fit, or no memory.
 */
const struct json *ask_form_read(const struct ask_field *fields,
				 const struct json *content, struct arena *arena);

#endif
