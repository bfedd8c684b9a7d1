/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tool: one row of the tool table, and a call of it.
 *
 * A tool's run() finishes the call exactly once, at once or later, with
 * tool_call_succeed() or tool_call_fail(). After a question it runs once more (mcp/ask.h).
 *
 * Who calls is a client of MCP, or somebody in the gateway itself: a struct tool_caller.
 * Tools do not know which: they have `client`, and nobody but MCP can be asked.
 */
#ifndef MCP_TOOL_H
#define MCP_TOOL_H

#include "base/buffer.h"
#include "mcp/request.h"
#include "mcp/schema.h"

/* become MCP's annotations */
enum tool_flag {
	TOOL_READ_ONLY = 1 << 0,
	TOOL_DESTRUCTIVE = 1 << 1, /* what it does cannot be undone */
	TOOL_IDEMPOTENT = 1 << 2,
	TOOL_OPEN_WORLD = 1 << 3, /* reaches beyond this phone */
	/* For the page of an MCP App, and hidden from the model by hosts that know these. Who
	 * may call it its scopes alone decide. */
	TOOL_FOR_PAGES = 1 << 4,
};

struct ask;
struct tool_call;
struct tool_error;

/* Calls a tool without a request of MCP, and hears what becomes of the call. */
struct tool_caller {
	/* Just one of these, when the call is over; what they are given lives meanwhile. */
	void (*succeeded)(void *data, const struct buffer *structured);
	void (*failed)(void *data, const struct tool_error *error);
	/* Not over yet: `waiting` is how to end it before it is. */
	void (*waits)(void *data, const struct request_waiting *waiting,
		      void *waiting_data);
	void (*progressed)(void *data, const char *message);
};

struct tool {
	const char *name;
	const char *title;
	const char *description; /* what, when, cost, what the answer does not prove */
	const struct schema_field *input;
	const struct schema_field *output;
	unsigned flags;
	unsigned scopes;  /* enum client_scope: all that a client needs for it */
	const char *page; /* "ui://...", which shows what it does; NULL: none */
	/* Is it of use now? Whoever changes that calls endpoint_review_tools(). NULL: it is. */
	bool (*usable)(const void *services);
	void (*run)(struct tool_call *call);
};

struct tool_call {
	const struct tool *tool;
	const struct client *client;  /* who calls; NULL with `into` */
	struct request *request;      /* NULL with `caller` */
	const struct json *arguments; /* fits tool->input; NULL when absent */
	void *services;		      /* what endpoint_new() was given */
	struct arena *arena;	      /* lives as long as the call */
	struct ask *ask;	      /* see mcp/ask.h */
	/* The members of the result go here, and `request` is not needed; NULL: they are
	 * the request's answer. */
	struct json_writer *into;
	const struct tool_caller *caller; /* NULL: a client of MCP */
	void *caller_data;
};

/* An answer that is written, to be given once or often. */
struct tool_answer {
	struct buffer content;	  /* the array of blocks */
	struct buffer structured; /* the object */
};

struct tool_error {
	const char *code;    /* "sim_locked" */
	const char *message; /* what went wrong, one or two sentences */
	const char *fix;     /* what to do next */
	bool retryable; /* may the same call succeed later without anything being fixed? */
	int retry_after_seconds; /* 0: not told */
	/* NULL: nothing more. Writes members of the JSON block for this one case. */
	void (*more)(struct json_writer *writer, const void *data);
	const void *data;
};

/*
 * `text` is the first content block. `structured` is the JSON object for structuredContent
 * (taken); with `mirror` a second text block repeats it for hosts that show only text.
 */
void tool_call_succeed(struct tool_call *call, const char *text,
		       struct buffer *structured, bool mirror);
/* The same where nothing is said but the facts: the only block is `structured` itself. */
void tool_call_succeed_plainly(struct tool_call *call, struct buffer *structured);
/*
 * The same two, in advance. `structured` is taken; without memory a part of the answer has
 * failed, which tool_call_succeed_ready() tells.
 */
void tool_answer_make(struct tool_answer *answer, const char *text,
		      struct buffer *structured, bool mirror);
void tool_answer_deinit(struct tool_answer *answer);
/* The answer is copied. */
void tool_call_succeed_ready(struct tool_call *call, const struct tool_answer *answer);
/* isError: a text block to act on, and a JSON block with the same facts. */
void tool_call_fail(struct tool_call *call, const struct tool_error *error);

/* The call will be finished later; see struct request_waiting. */
void tool_call_wait(struct tool_call *call, const struct request_waiting *waiting,
		    void *data);

/* How far a call is that waits, in words; see mcp/progress.h. */
void tool_call_progress(struct tool_call *call, const char *message);

/* Writes the tools/list array for these scopes, of a table that ends with NULL. */
void tool_list_write(struct json_writer *writer, const struct tool *const *tools,
		     unsigned scopes);

/*
 * Runs the tool of a call that is filled in but for `ask`, when its arguments fit; for a
 * `caller`, whose call and arena live until it hears that it is over, or ends its waiting.
 */
void tool_call_run(struct tool_call *call);

/* tools/list, tools/call */
void tool_run_list(struct request *request);
void tool_run_call(struct request *request);

#endif
