/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tool: one row of the tool table, and a call of it.
 *
 * A tool's run() finishes the call exactly once, immediately or later, with
 * tool_call_succeed() or tool_call_fail(). After a question to the user it runs again
 * (mcp/elicitation.h).
 *
 * The caller is an MCP client or the gateway itself (struct tool_caller). Tools do not
 * know which: both have a `client`, but only an MCP client can ask its user.
 */
#pragma once

#include "base/buffer.h"
#include "base/failure.h"
#include "mcp/request.h"
#include "mcp/schema.h"

/* Written as MCP's annotations. */
enum tool_flag {
	TOOL_READ_ONLY = 1 << 0,
	TOOL_DESTRUCTIVE = 1 << 1, /* its effect cannot be undone */
	TOOL_IDEMPOTENT = 1 << 2,
	TOOL_OPEN_WORLD = 1 << 3, /* reaches beyond this phone */
	/* For the page of an MCP App; hosts that know MCP Apps hide it from the model.
	 * Only the scopes decide who may call it. */
	TOOL_FOR_PAGES = 1 << 4,
};

struct audit;
struct elicitation_call;
struct services;
struct tool_call;
struct tool_error;

/* Calls a tool without an MCP request. */
struct tool_caller {
	/* Exactly one of these, when the call ends; the arguments live until it
	 * returns. */
	void (*succeeded)(void *data, const struct buffer *structured);
	void (*failed)(void *data, const struct tool_error *error);
	/* The call goes on; `waiting` can end it early. */
	void (*waits)(void *data, const struct request_waiting *waiting,
		      void *waiting_data);
	void (*progressed)(void *data, const char *message);
};

struct tool {
	const char *name;
	/* In configurations and programs of older versions, still understood; NULL if there is
	 * none. */
	const char *former_name;
	const char *title;
	const char *description; /* purpose, use, cost, what the answer does not prove */
	const struct schema_field *input;
	const struct schema_field *output;
	/* Members of `output` that tools/list shows, because a program that calls the tool reads
	 * them. A model reads the whole schema in every conversation, so these are few. The list
	 * ends with NULL. If it is NULL itself, tools/list shows all. */
	const char *const *listed;
	unsigned flags;
	unsigned scopes;  /* enum client_scope: all that a client needs */
	const char *page; /* "ui://...", shows its result; NULL if there is none */
	/* Returns whether it is of use now. Code that changes this calls
	 * endpoint_review_tools(). If it is NULL, the tool is always of use. */
	bool (*usable)(const struct services *services);
	void (*run)(struct tool_call *call);
	/* "Nothing was sent.": the end of the message of each refusal; NULL if there is none */
	const char *nothing_done;
	/* Records a refused call in the audit log; NULL if its refusals are not recorded. */
	void (*audit_refusal)(struct audit *audit, const struct client *client,
			      const char *number, const char *code);
};

struct tool_call {
	const struct tool *tool;
	const struct client *client;  /* the caller; NULL with `into` */
	struct request *request;      /* NULL with `caller` */
	const struct json *arguments; /* fits tool->input; NULL when absent */
	const struct json
		/* names that the client sent beside them; NULL if there is none */
		*ignored;
	struct services *services;	      /* see struct endpoint_options */
	struct arena *arena;		      /* lives as long as the call */
	struct elicitation_call *elicitation; /* NULL if there is no user to ask */
	const char *on_behalf_of; /* whom a hub calls for, escaped; NULL for nobody */
	/* Receives the members of the result, without a request; if it is NULL, they answer
	 * `request`. */
	struct json_writer *into;
	const struct tool_caller *caller; /* NULL for an MCP client */
	void *caller_data;
};

struct tool_error {
	const char *code;	 /* "sim_locked" */
	const char *message;	 /* what went wrong, one or two sentences */
	const char *fix;	 /* what to do next */
	bool is_refusal;	 /* the tool did nothing, and `message` is to say so */
	bool retryable;		 /* the same call may succeed later without any fix */
	int retry_after_seconds; /* 0 if unknown */
	/* Writes more members of the JSON block; NULL if there is none. */
	void (*more)(struct json_writer *writer, const void *data);
	const void *data;
};

/*
 * `text` is the first content block. `structured` is the JSON object of structuredContent
 * (used up); with `mirror` a second text block repeats it for hosts that show only text.
 */
void tool_call_succeed(struct tool_call *call, const char *text,
		       struct buffer *structured, bool mirror);
/* The same with `structured` as the only block. */
void tool_call_succeed_with_json(struct tool_call *call, struct buffer *structured);
/*
 * Answers with isError and one block: a JSON object that says each thing once. There is no
 * structuredContent: it would have to fit the tool's outputSchema.
 */
void tool_call_fail(struct tool_call *call, const struct tool_error *error);
/*
 * Puts the member "fix", for errors that stand within an answer. A fix that names a tool which this
 * client does not have is no fix, and is replaced.
 */
void tool_call_put_fix(const struct tool_call *call, struct json_writer *writer,
		       const char *fix);

/* The call will finish later; see struct request_waiting. */
void tool_call_wait(struct tool_call *call, const struct request_waiting *waiting,
		    void *data);

/* Reports the progress of a waiting call, in words; see request_send_progress(). */
void tool_call_progress(struct tool_call *call, const char *message);

/*
 * Checks the arguments and runs the tool. All members but `elicitation` are set. With a
 * `caller` the call and its arena live until the call has ended or its waiting was ended.
 */
void tool_call_run(struct tool_call *call);

/* Runs the tool again from the top, with the same arguments. */
void tool_call_run_again(struct tool_call *call);

/* tools/list, tools/call */
void tool_run_list(struct request *request);
void tool_run_call(struct request *request);
