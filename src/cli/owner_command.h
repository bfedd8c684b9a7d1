/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owner command: a subcommand that has a row of the control table run, here or in the
 * gateway, and shows what came of it.
 *
 * From its description come the options, the request and the exit code. All take --config,
 * --state-dir, --json and --help. What the options are given is checked where the command
 * runs; an "invalid_argument" ends like a wrong option. With --json the lines of the answer
 * are printed as they are, in place of show() and show_item(). What takes longer than a second
 * says on a terminal what it waits for (cli/progress.h).
 */
#ifndef CLI_OWNER_COMMAND_H
#define CLI_OWNER_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "config/config.h"
#include "base/json.h"

enum { OWNER_OPTIONS_MAX = 16 };

struct owner_option {
	const char *name;    /* "per-minute": the argument per_minute of the request */
	bool is_flag;	     /* true when given; else it has a value, which is a text */
	bool is_number;	     /* ... or a whole number from 0 on */
	int64_t least, most; /* ... between these; both 0: any */
	const char *const *words; /* ... or one of these, the last NULL; or NULL */
	bool is_local;		  /* for show() and add() alone: not in the request */
	const char *argument;	  /* of the request, where it has another name; or NULL */
};

struct owner_call; /* as it was given */

struct owner_command {
	const char *name; /* of the row, and the subcommand */
	const char *help;
	const struct owner_option *options; /* its own; the last has no name; or NULL */
	const char *operand; /* the argument that the operand becomes; NULL: takes none */
	bool operand_is_optional;
	bool operand_is_number;
	bool operands_are_many; /* one or more, for add() alone */
	/* NULL: goes on. Else what is wrong with what was given. */
	const char *(*flaw)(const struct owner_call *call);
	/* Adds to the arguments of the request; 0, or an exit code: all has been said. */
	int (*add)(const struct owner_call *call, struct json_writer *arguments);
	void (*show_item)(const struct owner_call *call, const struct json *item);
	int (*show)(const struct owner_call *call, const struct json *result);
	/* The exit code with --json; NULL: 0. */
	int (*judge)(const struct json *result);
	/* What it does meanwhile, "waiting for a message": told on a terminal, after a
	 * second. NULL: "asking the gateway". */
	const char *meanwhile;
	/* What to do when the gateway was asked and its answer is lost, so that nobody knows what
	 * came of it. NULL: as when it cannot be reached. */
	const char *when_lost;
	bool is_endless; /* nothing may be heard of the gateway for any time */
};

struct owner_call {
	const struct owner_command *command;
	struct config config;
	const char *operand; /* NULL: not given */
	char **operands;     /* of a command that takes many */
	int operand_count;
	const char *values[OWNER_OPTIONS_MAX]; /* of its options, in their order */
	bool json;
};

/* Of an option of the command: its value, "" for a flag, NULL: not given. */
const char *owner_call_value(const struct owner_call *call, const char *option);

/* The whole subcommand; returns the exit code. */
int owner_command_run(const struct owner_command *command, int argc, char **argv);

#endif
