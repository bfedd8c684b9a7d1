/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control call: one command of the owner, from the request to the last line of its answer.
 *
 *   request   {"command":"revoke","arguments":{"name":"laptop"}}
 *   answer    {"item":{...}}                      any number, for commands that list items
 *             {"progress":{"message":"..."}}      any number, shown to the person who waits
 *             {"result":{...}}                    the last line; or, as the last line:
 *             {"error":{"code":"...","message":"...","fix":"..."}}
 *
 * Each is one line.  A command answers from its `run`, or later from the loop: then it sets
 * `abandoned` before `run` returns.  It answers exactly once, and never after `abandoned`
 * ran.
 */
#ifndef GATEWAY_CONTROL_CALL_H
#define GATEWAY_CONTROL_CALL_H

#include <systemd/sd-event.h>

#include "base/arena.h"
#include "base/json.h"
#include "gateway/control.h"

enum {
	CONTROL_REQUEST_MAX = 64 * 1024, /* bytes of the line */
	CONTROL_ARENA_MAX = 1024 * 1024,
	/* Bytes that the peer has not read yet. A command with many items answers in pages. */
	CONTROL_ANSWER_MAX = 1024 * 1024,
};

/* The one error code that ofono-mcp treats specially: it exits as after a wrong option. */
#define CONTROL_INVALID_ARGUMENT "invalid_argument"

/* Receives one line of the answer, without its line feed. `is_last`: the call is over. */
typedef void control_call_line(void *data, const char *line, size_t length, bool is_last);

struct control_call {
	const struct control *control;
	struct arena *arena;	      /* freed with the call */
	const struct json *arguments; /* an object */
	int64_t peer_uid;	      /* the user who runs the command */
	/* For a command that answers later: */
	void *state;
	/* The peer left, or the gateway stops: the command must forget the call. */
	void (*abandoned)(struct control_call *call);
	/* private */
	control_call_line *send_line;
	void *send_line_data;
	struct buffer line;
	struct json_writer *writer;
	bool is_last; /* of the line that is being written */
	bool is_over;
	bool is_cut; /* memory ran out midway: the call is over, but the command goes on */
};

/* For commands */

/* The text of an argument; NULL if it is missing or not a string. */
const char *control_call_argument(const struct control_call *call, const char *name);

/*
 * Open the object of the result, or of an item; control_call_close() ends it. NULL: out of
 * memory, which has been answered; whatever the command answers after that is dropped.
 */
struct json_writer *control_call_open_result(struct control_call *call);
struct json_writer *control_call_open_item(struct control_call *call);
void control_call_close(struct control_call *call);

/* Answers with a result that is already JSON. */
void control_call_answer(struct control_call *call, const struct buffer *result);

void control_call_progress(struct control_call *call, const char *message);

/* `message`: what went wrong; `fix`: what to do. Sentences without their full stops. */
__attribute__((format(printf, 4, 5))) void control_call_fail(struct control_call *call,
							     const char *code,
							     const char *fix,
							     const char *message, ...);
/* For an error of the store: -errno or STORE_E_FULL. */
void control_call_fail_store(struct control_call *call, int error);

/* For callers */

/* NULL: there is no such command. */
const struct control_command *control_call_find_command(const struct control *control,
							const char *name);

/* False: out of memory. */
bool control_call_init(struct control_call *call, const struct control *control,
		       control_call_line *send_line, void *data);
/* Runs the command that the line asks for. Call it once. */
void control_call_run(struct control_call *call, const char *request, size_t length);
/* Abandons the call if it is not over. Fine after a failed init. */
void control_call_deinit(struct control_call *call);

#endif
