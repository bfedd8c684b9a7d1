/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owner command: a call of a subcommand that runs a command of the gateway (cli/command.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/json.h"
#include "cli/command.h"

struct config;
struct progress;
struct explanation;

struct owner_command_call {
	const char *name; /* of the gateway's command */
	const struct owner_command *command;
	struct config *config;
	const char *operand; /* NULL if not given */
	char **operands;     /* with takes_operands */
	int operand_count;
	/* in the order of the options */
	const char *values[OWNER_COMMAND_OPTIONS_MAX];
	bool flags[OWNER_COMMAND_OPTIONS_MAX];
	struct options_store store;
};

/* Returns the value of an option, "" for a flag; NULL if it is not given. */
const char *owner_command_value(const struct owner_command_call *call,
				const char *option);

/* An argument of a request: a text, or true; left out if it is neither. */
struct owner_command_argument {
	const char *name, *text;
	bool is_true;
};

/*
 * Sends another request first, for an add() that needs to know something. `arguments` end with a
 * NULL name. The result goes to `handler`; NULL if nothing is done with it. Returns the exit code.
 */
typedef int owner_command_handler(const struct owner_command_call *call,
				  const struct json *result);
int owner_command_ask(const struct owner_command_call *call, const char *name,
		      const struct owner_command_argument *arguments,
		      owner_command_handler *handler);

/* Prints one of the numbers for commands by SMS (cmd_agent.c), on a line. */
void cmd_agent_print_number(const struct json *number);

/*
 * The add() of `pair`: without NAME and --code it asks on the terminal. Returns 0, or an exit code
 * after printing why nothing is paired.
 */
int pair_request_add(const struct owner_command_call *call,
		     struct json_writer *arguments);

/*
 * Control client: has the gateway run one of the owner's commands.
 *
 * If no gateway runs, this program runs the command itself, on the message store and under its
 * lock (tests/integration/test_control.py). A gateway that is starting or stopping holds the
 * lock without serving its socket: this waits for it, CONTROL_CLIENT_LOCK_WAIT_MS at most.
 */

enum {
	CONTROL_CLIENT_LOCK_WAIT_MS = 5000,
	CONTROL_CLIENT_TIMEOUT_S = 180, /* tools take 120 s at most */
};

struct control_client_request {
	const struct config *config;
	const char *command; /* "status" */
	const char *line;    /* gateway/control.h; without a line feed */
	size_t length;
	/* Receives each line of the answer, without its line feed. Returns false to stop. */
	bool (*on_line)(void *data, const char *line, size_t length);
	struct progress *progress; /* ticks for each second without a line; or NULL */
	void *data;
	unsigned timeout_s; /* for the next line; 0 for CONTROL_CLIENT_TIMEOUT_S */
	bool is_endless;    /* no timeout */
	bool *was_sent;	    /* set when the gateway may have begun the command; or NULL */
	bool *timed_out;    /* set after a timeout; or NULL */
};

/* Returns false if there is no complete answer; the error's text says why. */
bool control_client_run(const struct control_client_request *request,
			struct explanation *error);

/*
 * Makes root act as the owner of the state folder, until the process ends: the gateway could not
 * open files that root creates there. Does nothing for other users or without such a folder.
 * Returns false, with the error's text, if that failed.
 */
bool control_client_become_owner(const char *folder, struct explanation *error);
