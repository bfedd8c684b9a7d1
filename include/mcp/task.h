/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task: the work that continues after a tools/call was answered, for clients that declare
 * the extension io.modelcontextprotocol/tasks. Clients poll or subscribe to it by its ID.
 *
 * Nothing of a task is remembered here. A row of the table of kinds looks it up by its ID
 * each time, so it lives as long as the thing it stands for, across restarts
 * (tests/integration/test_tasks.py). A kind guarantees that a task is durable before its
 * ID is returned, that IDs cannot be guessed, and that a client sees only its own.
 *
 * Source: MCP ext-tasks, specification/draft/tasks.
 */
#pragma once

#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "mcp/elicitation.h"
#include "mcp/request.h"

#define TASK_EXTENSION "io.modelcontextprotocol/tasks"

enum {
	TASK_ID_MAX = 128, /* bytes; a longer one is not ours */
	TASK_ELICITATIONS_MAX = 8,
};

enum { TASK_E_NOT_FOUND = 1 }; /* unknown, expired, or another client's */

enum task_status {
	TASK_WORKING,
	TASK_INPUT_REQUIRED, /* waits for answers of the user */
	TASK_COMPLETED,	     /* has a result, which may be a failure of the tool */
	TASK_FAILED,	     /* no result: the call itself broke, with a JSON-RPC error */
	TASK_CANCELLED,
};

/* The state of a task at this moment; the strings live as long as the query's. */
struct task {
	const struct task_kind *kind;
	const char *id;
	enum task_status status;
	const char *status_message; /* NULL if memory runs out */
	int64_t created_ms;	    /* wall clock */
	int64_t changed_ms;
	int64_t ttl_ms; /* from created_ms */
	int64_t poll_ms;
	const char *subject; /* of its changes, see struct resource_change */
	/* Wall clock: the task changes then without an event; 0 if it does not. */
	int64_t due_ms;
	const void *data; /* the kind's own */
	/* With TASK_INPUT_REQUIRED all open questions, at most TASK_ELICITATIONS_MAX; ends with
	 * a NULL key. A task never reuses a key. */
	const struct elicitation_question *questions;
	struct rpc_error error; /* TASK_FAILED */
};

/* The user's answer to one question of a task. */
struct task_input {
	const struct elicitation_question *question;
	enum elicitation_action action;
	const struct json *content; /* fits the question's form; NULL if not accepted */
};

struct task_inputs {
	struct task_input items[TASK_ELICITATIONS_MAX];
	size_t count;
};

struct task_query {
	const char *id;
	int64_t client_id;	   /* who asks */
	struct services *services; /* see struct endpoint_options */
	struct arena *arena;
};

/* A row of the table: something that can be a task. */
struct task_kind {
	/* Fills in *task_out except `kind` and `id`. Returns 0, TASK_E_NOT_FOUND or -errno. */
	int (*find)(const struct task_query *query, struct task *task_out);
	/* Writes the members of the CallToolResult of a completed task. */
	void (*write_result)(const struct task_query *query, const struct task *task,
			     struct json_writer *writer);
	/* Stores answers to some or all questions, so that the next find() sees them. Returns 0,
	 * or -errno if nothing was stored. May be NULL: then it never asks. */
	int (*take)(const struct task_query *query, const struct task *task,
		    const struct task_inputs *inputs);
	/* Requests that a running task ends; it may be too late. Returns 0, or -errno if the
	 * request was not recorded. */
	int (*cancel)(const struct task_query *query, const struct task *task);
};

/* Returns, for tools, whether this call may be answered with a task. */
bool task_is_welcome(const struct request *request);
/* Answers the call with a task that `query` found. */
void task_answer(struct request *request, const struct task *task);

/*
 * Returns 0 with all of *task_out, TASK_E_NOT_FOUND or -errno. `kinds` ends with NULL, or is NULL.
 */
int task_find(const struct task_kind *const *kinds, const struct task_query *query,
	      struct task *task_out);
/* Writes the members of a DetailedTask. */
void task_write(const struct task_query *query, const struct task *task,
		struct json_writer *writer);

/* Returns false if the client does not declare the extension, and the request has been answered. */
bool task_admit(struct request *request);

/* tasks/get, tasks/update, tasks/cancel */
void task_run_get(struct request *request);
void task_run_update(struct request *request);
void task_run_cancel(struct request *request);

/*
 * Timers for tasks that change because time passes, without an event. One sd-event timer,
 * on the wall clock, serves the earliest of them.
 */
struct task_timer { /* embedded in its owner; due_ms is 0 if it is not set */
	/* The timer has expired and is not set any more; may set it again. */
	void (*expired)(struct task_timer *timer);
	int64_t due_ms;
	TAILQ_ENTRY(task_timer) link;
};

struct task_timers {
	/* NULL if no timer ever expires */
	sd_event_source *timer;
	TAILQ_HEAD(task_timer_list, task_timer) list; /* earliest first */
};

/* `loop` may be NULL. Returns 0 or -errno. */
int task_timers_init(struct task_timers *timers, sd_event *loop);
void task_timers_deinit(struct task_timers *timers); /* none is set */

/* Sets or replaces the time by the wall clock; 0 clears it. A time in the past means soon. */
void task_timer_set(struct task_timers *timers, struct task_timer *timer, int64_t due_ms);
/* The timer expires in the next turn of the event loop. */
void task_timer_set_now(struct task_timers *timers, struct task_timer *timer);
