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
#ifndef MCP_ELICITATION_H
#define MCP_ELICITATION_H

#include "mcp/form.h"

struct elicitation_call;
struct elicitation_calls;
struct tool_call;

/* After this many questions a call has to do without further answers. */
enum { ELICITATION_ROUNDS_MAX = 5 };

struct elicitation_question {
	const char *key; /* identifies the question within its tool or task */
	const char *message;
	const struct form_field *fields;
};

enum elicitation_action { ELICITATION_ACCEPT, ELICITATION_DECLINE, ELICITATION_CANCEL };

enum elicitation_outcome {
	ELICITATION_ANSWERED,
	ELICITATION_PENDING,   /* the call has been answered, or waits */
	ELICITATION_DECLINED,  /* the user declined, now or earlier */
	ELICITATION_DISMISSED, /* the user closed the question */
	ELICITATION_UNAVAILABLE, /* the client cannot ask or did not answer, or is not MCP */
};

/*
 * `question` lives as long as the call. *content_out is set with ELICITATION_ANSWERED
 * only.
 */
enum elicitation_outcome elicitation_ask(struct tool_call *call,
					 const struct elicitation_question *question,
					 const struct json **content_out);

/*
 * An accepted answer meant "no": a repetition of the call with the same requestState gets
 * ELICITATION_DECLINED.
 */
void elicitation_treat_as_declined(struct tool_call *call);

/* Whether this client can ask its user now. */
bool elicitation_is_available(const struct tool_call *call);

/* Whether the call continues after a question. */
bool elicitation_is_resumed(const struct tool_call *call);
/* Whether the question `key` was asked: the tool must no longer guess its answer. */
bool elicitation_was_about(const struct tool_call *call, const char *key);

/*
 * Identifies what the call asks for, across all its questions and however often the
 * client repeats it with the same requestState. A tool acts once per order; a replay gets
 * the result of the first run. NULL: no question was asked before, or the call waited for
 * its answers and cannot be repeated.
 */
const char *elicitation_order(const struct tool_call *call);

/*
 * Fails the call because the client does not declare elicitation, which the tool needs.
 */
void elicitation_require(struct tool_call *call);

/* Whether these ClientCapabilities (may be NULL) contain elicitation in form mode. */
bool elicitation_is_declared(const struct json *capabilities);

/*
 * For tool.c. False: the call's answer to an earlier question was refused, and the
 * request has been answered.
 */
bool elicitation_begin(struct tool_call *call);

/* Writes the members of an elicitation/create request: method and params. */
void elicitation_write_question(struct json_writer *writer,
				const struct elicitation_question *question,
				enum form_style style);

/* Writes the question as a member of inputRequests. */
void elicitation_write_input_request(struct json_writer *writer,
				     const struct elicitation_question *question);

/* Reads the action of an ElicitResult. False: missing or unknown. */
bool elicitation_read_action(const struct json *result,
			     enum elicitation_action *action_out);

#endif
