/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task: what a tools/call goes on with after it was answered, for clients that declare the
 * extension io.modelcontextprotocol/tasks. It is asked for, or listened to, by its id.
 *
 * Nothing of a task is remembered here: a row of the table of kinds finds it by its id,
 * each time, wherever it is kept. So it lives as long as what it stands for, over restarts
 * (tests/integration/test_tasks.py). That a task is durable before its id is told, that ids
 * cannot be guessed and that a client sees its own alone, is what a kind promises.
 *
 * Source: MCP ext-tasks, specification/draft/tasks.
 */
#ifndef MCP_TASK_H
#define MCP_TASK_H

#include "mcp/ask_question.h"
#include "mcp/request.h"

#define TASK_EXTENSION "io.modelcontextprotocol/tasks"

enum {
	TASK_ID_MAX = 128, /* bytes; a longer one is none of ours */
	TASK_QUESTIONS_MAX = 8,
};

enum { TASK_E_NOT_FOUND = 1 }; /* never there, no longer there, or another client's */

enum task_status {
	TASK_WORKING,
	TASK_INPUT_REQUIRED, /* a person is asked, and it goes on with the answers */
	TASK_COMPLETED,	     /* has a result, which may be a failure of the tool */
	TASK_FAILED, /* has no result: the call itself broke, as with a JSON-RPC error */
	TASK_CANCELLED,
};

/* What is true of a task at this moment; its strings live as long as the query's. */
struct task {
	const struct task_kind *kind;
	const char *id;
	enum task_status status;
	const char *status_message; /* NULL: no memory */
	int64_t created_ms;	    /* wall clock */
	int64_t changed_ms;
	int64_t ttl_ms; /* from created_ms on */
	int64_t poll_ms;
	const char *subject; /* what changes when it does, see struct change */
	/* Wall clock: then it will be another without any change; 0: it will not. */
	int64_t due_ms;
	const void *data; /* the kind's own */
	/* TASK_INPUT_REQUIRED: all that are open, at most TASK_QUESTIONS_MAX; ends with a NULL
	 * key. A key is never used again in the life of a task. */
	const struct ask_question *questions;
	struct rpc_error error; /* TASK_FAILED */
};

/* what a person said to one question of a task */
struct task_input {
	const struct ask_question *question;
	enum ask_action action;
	const struct json *content; /* fits the question's form; NULL: not accepted */
};

struct task_inputs {
	struct task_input items[TASK_QUESTIONS_MAX];
	size_t count;
};

/* who asks for which */
struct task_query {
	const char *id;
	int64_t client_id;
	void *services; /* what endpoint_new() was given */
	struct arena *arena;
};

/* One row of the table: what can be a task. */
struct task_kind {
	/* All of *task_out but `kind` and `id`. 0, TASK_E_NOT_FOUND or -errno. */
	int (*find)(const struct task_query *query, struct task *task_out);
	/* The members of the CallToolResult of one that is completed. */
	void (*write_result)(const struct task_query *query, const struct task *task,
			     struct json_writer *writer);
	/* Notes answers to some or all of its questions, before it is asked for again. 0, or
	 * -errno: nothing was noted. NULL: it never asks. */
	int (*take)(const struct task_query *query, const struct task *task,
		    const struct task_inputs *inputs);
	/* Wants one that is not over to end; it may be too late. 0, or -errno: it is not known. */
	int (*cancel)(const struct task_query *query, const struct task *task);
};

/* For tools: may this call be answered with a task? */
bool task_is_welcome(const struct request *request);
/* Answers it with one, which `query` found. */
void task_answer(struct request *request, const struct task *task);

/* 0 with all of *task_out, TASK_E_NOT_FOUND or -errno. `kinds`: NULL at its end, or NULL. */
int task_find(const struct task_kind *const *kinds, const struct task_query *query,
	      struct task *task_out);
/* The members of a DetailedTask. */
void task_write(const struct task_query *query, const struct task *task,
		struct json_writer *writer);

/* False: its client does not declare the extension, and it has been answered so. */
bool task_admit(struct request *request);

/* tasks/get, tasks/update, tasks/cancel */
void task_run_get(struct request *request);
void task_run_update(struct request *request);
void task_run_cancel(struct request *request);

#endif
