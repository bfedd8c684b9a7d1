/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Elicitation: a tool asks the user a question through the client.
 *
 * A tool that lacks an answer describes its question once, as data, and asks:
 *
 * 	switch (elicitation_ask(call, &question, &content)) {
 * 	case ELICITATION_ANSWERED:    content fits the form: continue
 * 	case ELICITATION_PENDING:     return
 * 	case ELICITATION_DECLINED:
 * 	case ELICITATION_DISMISSED:   fail and say so
 * 	case ELICITATION_UNAVAILABLE: fail as if no user could be asked
 * 	}
 *
 * No function is resumed. When the answer arrives, the tool's run() starts again from the
 * top, and this time elicitation_ask() returns the answer. The same code therefore
 * repeats every check minutes later, in both eras: in 2026 the client repeats the call
 * (mcp/elicitation_2026.c), in 2025 the call waits (mcp/elicitation_2025.c). A tool must
 * not change anything before it asks.
 *
 * An answer counts only for exactly what the user saw: message and form. If they differ
 * on the second run, the user is asked again. An approval is therefore just a question
 * whose message states everything to approve, with one boolean field. The tool continues
 * only on ELICITATION_ANSWERED with true, and uses elicitation_order() as its idempotency
 * key.
 *
 * Source: MCP 2026-07-28, client/elicitation.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"
#include "mcp/schema.h"

struct elicitation_call;
struct elicitation_calls;
struct tool_call;

/*
 * Form: the fields that a user fills in, declared once as a table.
 *
 * The table yields both the requestedSchema that clients show, as each revision writes
 * it, and the check of their answers. A default is what the client shows as already
 * filled in; an answer without the field stays without it.
 *
 * Source: MCP 2026-07-28, client/elicitation, "Requested Schema"; SEP-1034, SEP-1330.
 */

enum { FORM_TEXT_MAX = 1000 }; /* characters of a string */

/* How a revision writes forms. */
enum form_style {
	FORM_STYLE_NONE, /* the revision has no forms */
	/* 2025-06-18: titles are enumNames; no defaults. It has no several choices either, so
	 * a form for its clients must have no array. */
	FORM_STYLE_ENUM_NAMES,
	FORM_STYLE_TITLES, /* each value has its title beside it */
};

/* A table of these ends with a NULL value. */
struct form_choice {
	const char *value;
	const char *title; /* shown to the user; NULL in all choices: the value */
};

/* A table of these ends with a NULL name. */
struct form_field {
	const char *name;
	enum schema_type type; /* any but object; an array holds several choices */
	bool required;
	const char *title;
	/* string, array: allowed values; NULL for any */
	const struct form_choice *choices;
	/* The default: a string as is, anything else as JSON text; NULL if there is none. */
	const char *preset;
	/* Write titles as enumNames in every revision, for clients that know nothing else
	 * (deprecated by MCP). */
	bool is_named;
};

/* Writes the requestedSchema. */
void form_write(struct json_writer *writer, const struct form_field *fields,
		enum form_style style);

/*
 * Returns an object in `arena` with exactly the fields of the table. Returns NULL if `content` (may
 * be NULL) does not fit the form, or memory runs out.
 */
const struct json *form_read(const struct form_field *fields, const struct json *content,
			     struct arena *arena);

enum {
	/* After this many questions a call has to do without further answers. */
	ELICITATION_ROUNDS_MAX = 5,
	/* Nobody reads a question and answers it in less. */
	ELICITATION_READING_MS = 2000,
};

struct elicitation_question {
	const char *key; /* identifies the question within its tool or task */
	const char *message;
	const struct form_field *fields;
	/*
	 * Only somebody who read the question can answer it: an answer that comes sooner
	 * than ELICITATION_READING_MS was given by a program and becomes
	 * ELICITATION_DISMISSED, and so does a cancellation. Neither is final.
	 */
	bool needs_reader;
};

enum elicitation_action { ELICITATION_ACCEPT, ELICITATION_DECLINE, ELICITATION_CANCEL };

enum elicitation_outcome {
	ELICITATION_ANSWERED,
	ELICITATION_PENDING,   /* the call has been answered, or waits */
	ELICITATION_DECLINED,  /* the user declined, now or earlier */
	ELICITATION_DISMISSED, /* the question was closed, or nobody can have read it */
	/* the client cannot ask, gave no answer that fits the form, or is not MCP */
	ELICITATION_UNAVAILABLE,
};

/*
 * `question` lives as long as the call. *content_out is set with ELICITATION_ANSWERED
 * only.
 */
enum elicitation_outcome elicitation_ask(struct tool_call *call,
					 const struct elicitation_question *question,
					 const struct json **content_out);

/*
 * Call it when an accepted answer meant "no": a repetition of the call with the same requestState
 * gets ELICITATION_DECLINED.
 */
void elicitation_treat_as_declined(struct tool_call *call);

/* Returns whether this client can ask its user now. */
bool elicitation_is_available(const struct tool_call *call);

/* Returns how long the client has been waiting for this call since its first question. */
int64_t elicitation_waited_ms(const struct tool_call *call);
/* Returns whether the call continues after a question. */
bool elicitation_is_resumed(const struct tool_call *call);
/* Returns whether the question `key` was asked: the tool must no longer guess its answer. */
bool elicitation_was_about(const struct tool_call *call, const char *key);

/*
 * Identifies what the call asks for, across all its questions and however often the client repeats
 * it with the same requestState. A tool acts once per order; a replay gets the result of the first
 * run. Returns NULL if no question was asked before, or the call waited for its answers and cannot
 * be repeated.
 */
const char *elicitation_order(const struct tool_call *call);

/* Returns whether these ClientCapabilities (may be NULL) contain elicitation in form mode. */
bool elicitation_is_declared(const struct json *capabilities);

/*
 * Only tool.c calls it. Returns false if the call's answer to an earlier question was refused, and
 * the request has been answered.
 */
bool elicitation_begin(struct tool_call *call);

/* Writes the members of an elicitation/create request: method and params. */
void elicitation_write_question(struct json_writer *writer,
				const struct elicitation_question *question,
				enum form_style style);

/* Writes the question as a member of inputRequests. */
void elicitation_write_input_request(struct json_writer *writer,
				     const struct elicitation_question *question);

/* Reads the action of an ElicitResult. Returns false if it is missing or unknown. */
bool elicitation_read_action(const struct json *result,
			     enum elicitation_action *action_out);
