/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ask front: how the questions of mcp/ask.h reach a person, and the answers come back, in
 * one era. Private to ask.c and the fronts.
 */
#ifndef MCP_ASK_FRONT_H
#define MCP_ASK_FRONT_H

#include "mcp/ask.h"
#include "mcp/ask_state.h"
#include "mcp/asking.h"

/* what a person said; lives in the call's arena */
struct ask_reply {
	const char *key;
	const char *seen; /* digest of the question that was answered */
	enum ask_action action;
	const struct json *content; /* not checked; may be NULL */
	struct ask_reply *next;
};

/* one call and its questions; lives in its arena */
struct ask {
	struct tool_call *call;
	struct asking *asking;
	const char *order; /* see ask_order() */
	bool is_resumed;
	const char *about; /* key of the last question; NULL: none yet */
	bool is_alone;	   /* nobody answers any more */
	unsigned rounds;
	struct ask_reply *replies; /* latest first */
};

struct ask_front {
	/* Reads what the call brings along. False: refused, answered. NULL: nothing. */
	bool (*begin)(struct ask *ask);
	bool (*can)(const struct ask *ask);
	/* False: it did not go out. `seen` lives as long as the call. */
	bool (*put)(struct ask *ask, const struct ask_question *question,
		    const char *seen);
};

/* A reply that the call can live without; false: no memory, and nothing was changed. */
bool ask_add_reply(struct ask *ask, const struct ask_reply *reply);

/* The tool runs once more. */
void ask_resume(struct ask *ask);

#endif
