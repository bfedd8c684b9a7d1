/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control call: one command of the owner, from its request to the end of its answer.
 *
 *   request   {"command":"revoke","arguments":{"name":"laptop"}}
 *   answer    {"item":{...}}                                     any number, where a command has them
 *             {"progress":{"message":"..."}}                     likewise: how far it is, for a person
 *             {"result":{...}}                                   or, as the last line,
 *             {"error":{"code":"...","message":"...","fix":"..."}}
 *
 * Each is one line. A command answers in its `run`, or later from the loop: then it sets
 * `abandoned` before it returns. It answers exactly once, and not after `abandoned` ran.
 */
#ifndef GATEWAY_CONTROL_CALL_H
#define GATEWAY_CONTROL_CALL_H

#include "base/arena.h"
#include "base/json.h"
#include "gateway/control.h"

enum {
	CONTROL_REQUEST_MAX = 64 * 1024, /* bytes of the line */
	CONTROL_ARENA_MAX = 1024 * 1024,
	/* What waits for the asker to read it. A command with many items answers in pages. */
	CONTROL_ANSWER_MAX = 1024 * 1024,
};

/* Codes that the program of the owner knows; others just are told. */
#define CONTROL_INVALID_ARGUMENT "invalid_argument" /* it ends as after a wrong option */

struct control_carrier {
	/* One line of the answer, without a line feed. `last`: the call is over. */
	void (*told)(void *data, const char *line, size_t length, bool last);
};

struct control_call {
	const struct control *control;
	struct arena *arena;	      /* ends with the call */
	const struct json *arguments; /* an object */
	int64_t asker_uid;	      /* whose program asks */
	/* of a command that answers later */
	void *state;
	/* The asker left, or the gateway stops: forget the call. */
	void (*abandoned)(struct control_call *call);
	/* private */
	const struct control_carrier *carrier;
	void *carrier_data;
	struct buffer line;
	struct json_writer *writer;
	bool is_last; /* the line that is being written */
	bool is_over;
	bool is_cut; /* out of memory midway: it is over, and the command has not ended */
};

/* For commands */

/* The text of an argument; NULL: it is not there, or is no text. */
const char *control_argument(const struct control_call *call, const char *name);

/*
 * Into the object of the result, or of an item. NULL: out of memory, and that has been
 * answered; what a command says after that goes nowhere. Closed with control_close().
 */
struct json_writer *control_result_open(struct control_call *call);
struct json_writer *control_item_open(struct control_call *call);
void control_close(struct control_call *call);

/* The whole result at once: the object as JSON. */
void control_answer(struct control_call *call, const struct buffer *result);

void control_progress(struct control_call *call, const char *message);

/* `message` what went wrong, `fix` what to do; sentences without their full stops. */
__attribute__((format(printf, 4, 5))) void control_fail(struct control_call *call,
							const char *code, const char *fix,
							const char *message, ...);
/* For an error of the store: -errno or STORE_E_FULL. */
void control_fail_store(struct control_call *call, int error);

/* For those who bring calls */

/* False: no memory. */
bool control_call_init(struct control_call *call, const struct control *control,
		       const struct control_carrier *carrier, void *carrier_data);
/* Runs the command that the line asks for, once. */
void control_call_run(struct control_call *call, const char *request, size_t length);
/* Abandons it when it is not over; fine after a failed init. */
void control_call_deinit(struct control_call *call);

#endif
