/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ask: a tool asks the person who sits before the client.
 *
 * A tool that lacks an answer describes its question once, as data, and asks:
 *
 *	switch (ask_person(call, &question, &content)) {
 *	case ASK_ANSWERED:  ... content fits the form: go on with it
 *	case ASK_UNDER_WAY: return
 *	case ASK_DECLINED:
 *	case ASK_DISMISSED: fail, saying so
 *	case ASK_UNABLE:    fail as if nobody could be asked
 *	}
 *
 * There is no function to resume: when the answer is there, the tool's run() runs once
 * more from its start, and now ask_person() gives it. So everything that was checked before
 * the question is checked again after it, minutes later, by the same code in both eras: in
 * 2026 the client repeats the call (mcp/input_required.h), in 2025 the call waits
 * (mcp/elicitation.h). Nothing may have happened before a question is asked.
 *
 * An answer counts for exactly what the person saw: message and form. When they differ by
 * then, it is asked again. So an approval needs nothing more than a question whose message
 * tells all that is approved, with one boolean to fill in; the tool goes on only with
 * ASK_ANSWERED and true, and takes ask_order() as the key under which it is done once.
 */
#ifndef MCP_ASK_H
#define MCP_ASK_H

#include "mcp/ask_question.h"
#include "mcp/tool.h"

/* In 2025 one call asks so often; then it has to do without. */
enum { ASK_ROUNDS_MAX = 5 };

enum ask_outcome {
	ASK_ANSWERED,
	ASK_UNDER_WAY, /* the call is answered, or waits */
	ASK_DECLINED,  /* the person said no, now or before */
	ASK_DISMISSED, /* ... or closed the question */
	ASK_UNABLE,    /* this client cannot ask, or got no answer; it is none of MCP */
};

/* `question` lives as long as the call. *content_out: with ASK_ANSWERED only. */
enum ask_outcome ask_person(struct tool_call *call, const struct ask_question *question,
			    const struct json **content_out);

/*
 * An answer that fits the form was a no: whoever repeats the call with the same
 * requestState is told ASK_DECLINED.
 */
void ask_take_as_no(struct tool_call *call);

/* Can this client ask its person now? */
bool ask_can(const struct tool_call *call);

/* The call goes on after a question. */
bool ask_is_resumed(const struct tool_call *call);
/* ... this one among them: what it asks for must not be guessed any more. */
bool ask_was_about(const struct tool_call *call, const char *key);

/*
 * Names what the call asks for, over every question and however often the client repeats
 * it with the same requestState. A tool does what bears this name once: a replay is told
 * what became of it. NULL: the call is not one that was asked in before, or it waited for
 * its answers and cannot be repeated.
 */
const char *ask_order(const struct tool_call *call);

/*
 * Fails the call, for the client would have to declare that it can ask: for tools that
 * cannot do without.
 */
void ask_require(struct tool_call *call);

/* Do these ClientCapabilities (NULL: none) have elicitation in form mode? */
bool ask_is_declared(const struct json *capabilities);

/* For tool.c. False: what the call brings of an earlier question is refused, answered. */
bool ask_begin(struct tool_call *call);

#endif
