/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ask question: what a person is asked, as data, and what MCP makes of it: an elicitation.
 * Asked by mcp/ask.h before a tool does anything, or by mcp/task.h while a task goes on.
 *
 * Source: MCP 2026-07-28, client/elicitation.
 */
#ifndef MCP_ASK_QUESTION_H
#define MCP_ASK_QUESTION_H

#include "mcp/ask_form.h"

struct ask_question {
	const char
		*key; /* tells this question of a tool, or of a task, from its others */
	const char *message;
	const struct ask_field *fields;
};

enum ask_action { ASK_ACCEPT, ASK_DECLINE, ASK_CANCEL };

/* The members of an elicitation/create: its method and its params. */
void ask_question_write(struct json_writer *writer, const struct ask_question *question,
			enum ask_form form);

/* The same as a member of inputRequests. */
void ask_question_put_input(struct json_writer *writer,
			    const struct ask_question *question);

/* An ElicitResult's action. False: it is none. */
bool ask_action_read(const struct json *result, enum ask_action *action_out);

#endif
