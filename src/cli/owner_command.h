/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owner command: a subcommand that runs a command of the gateway (gateway/control.h) and prints
 * the answer.
 *
 * The options, the request and the exit code follow from a description.  Every such command
 * takes --config, --state-dir, --json and --help.  The gateway checks the values of options; an
 * "invalid_argument" ends like a wrong option.  With --json the lines of the answer are printed as
 * they are, instead of by print() and print_item().  On a terminal, a command that takes longer
 * than a second shows what it waits for (cli/progress.h).
 */
#ifndef CLI_OWNER_COMMAND_H
#define CLI_OWNER_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/json.h"
#include "config/config.h"

enum { OWNER_COMMAND_OPTIONS_MAX = 16 };

/* An option takes a text, unless one of these says otherwise. */
struct owner_command_option {
	const char *name;	  /* "per-minute" becomes the argument per_minute */
	bool is_flag;		  /* true if given */
	bool is_number;		  /* a whole number */
	int64_t least, most;	  /* of the number; both 0: any */
	const char *const *words; /* the allowed words, ending with NULL; or NULL */
	bool is_local;		  /* not sent: for print() and add() only */
	const char *argument;	  /* the argument's name, if it differs; or NULL */
};

struct owner_command_call;

struct owner_command {
	const char *name; /* of the subcommand and of the gateway's command */
	const char *help;
	const struct owner_command_option *options; /* ends with an empty row; or NULL */
	const char *operand; /* the argument that the operand becomes; NULL: takes none */
	bool operand_is_optional;
	bool operand_is_number;
	bool takes_operands; /* one or more, for add() only */
	/* Returns what is wrong with the command line, or NULL. */
	const char *(*check)(const struct owner_command_call *call);
	/* Adds arguments to the request. 0, or an exit code after reporting an error. */
	int (*add)(const struct owner_command_call *call, struct json_writer *arguments);
	void (*print_item)(const struct owner_command_call *call,
			   const struct json *item);
	/* Returns the exit code. NULL: prints nothing. */
	int (*print)(const struct owner_command_call *call, const struct json *result);
	/* The exit code with --json; NULL: 0. */
	int (*judge)(const struct json *result);
	const char *waiting_for; /* "waiting for a message"; NULL: "asking the gateway" */
	/* What to do when the answer is lost, so that the outcome is unknown; or NULL. */
	const char *fix_if_lost;
	bool is_endless; /* no timeout */
};

struct owner_command_call {
	const struct owner_command *command;
	struct config config;
	const char *operand; /* NULL: not given */
	char **operands;     /* with takes_operands */
	int operand_count;
	const char *values[OWNER_COMMAND_OPTIONS_MAX]; /* in the order of the options */
	bool json;
};

/* The value of an option, "" for a flag; NULL: not given. */
const char *owner_command_value(const struct owner_command_call *call,
				const char *option);

/* Runs the whole subcommand; returns the exit code. */
int owner_command_run(const struct owner_command *command, int argc, char **argv);

/*
 * Sends a complete request for the same command and passes the result to `handler`, for an add()
 * that needs to know something first. Returns the exit code. NULL: prints the lines as they are.
 */
typedef int owner_command_handler(const struct owner_command_call *call,
				  const struct json *result);
int owner_command_request(const struct owner_command_call *call,
			  const struct buffer *request, owner_command_handler *handler);

#endif
