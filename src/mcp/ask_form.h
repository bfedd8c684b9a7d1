/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ask form: what a person is to fill in, declared once as a table.
 *
 * From it come the requestedSchema that clients show, as each revision writes it, and the
 * check of what they send, which nothing else is taken from. A preset is what the client
 * shows as filled in already; an answer without it is without it.
 *
 * Source: MCP 2026-07-28, client/elicitation, "Requested Schema"; SEP-1034, SEP-1330.
 */
#ifndef MCP_ASK_FORM_H
#define MCP_ASK_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "mcp/ask_format.h"
#include "mcp/schema.h"

enum { ASK_TEXT_MAX = 1000 }; /* characters of a string without bounds of its own */

/* how a revision writes forms */
enum ask_form {
	ASK_FORM_NONE, /* it has none */
	/* 2025-06-18: titles are enumNames; one choice at most; presets of booleans only */
	ASK_FORM_NAMES,
	ASK_FORM_TITLES, /* titles stand beside the values */
};

/* a table of these ends with a NULL value */
struct ask_choice {
	const char *value;
	const char *title; /* what the person sees; NULL in all of them: the value */
	bool preset;
};

/* a table of these ends with a NULL name */
struct ask_field {
	const char *name;
	enum schema_type type; /* all but objects; an array is of several choices */
	bool required;
	const char *title;
	const char *description; /* NULL: none */
	/* Number: its value; string: characters; array: choices. Both 0: no bound. */
	int64_t minimum;
	int64_t maximum;
	const struct ask_choice *choices; /* string, array: the only values; NULL: any */
	enum ask_format format;		  /* string without choices */
	/* A string as it is, a number or boolean as JSON writes it; NULL: none. Choices have
	 * presets of their own. */
	const char *preset;
	/* Titles are enumNames in every revision: deprecated, for clients that know no other. */
	bool is_named;
};

/* Can a form of this kind show these fields? */
bool ask_form_can_show(enum ask_form form, const struct ask_field *fields);

void ask_form_write(struct json_writer *writer, const struct ask_field *fields,
		    enum ask_form form);

/*
 * The object that holds what the table asks for, and nothing else, made in `arena`. NULL:
 * `content` (which may be NULL) does not fit, or no memory.
 */
const struct json *ask_form_read(const struct ask_field *fields,
				 const struct json *content, struct arena *arena);

#endif
