/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options: reads a subcommand's options, and reports wrong ones: in the same words everywhere, on
 * standard error, and with --json on standard output too, as cli/cli_failure.h does
 * (tests/integration/test_usage.py).
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "config/config.h"

/* The help text of the options that nearly every command takes. */
#define OPTIONS_CONFIG_HELP                                                        \
	"  --config FILE    the gateway's configuration (default, if it exists:\n" \
	"                   " CONFIG_DEFAULT_PATH ")\n"
#define OPTIONS_STORE_HELP \
	OPTIONS_CONFIG_HELP "  --state-dir DIR  folder of the message store\n"
#define OPTIONS_HELP_HELP "  --help           show this help\n"

/* Call once, before anything else; argv[0] is the name of the command. */
void options_begin(int argc, char **argv);

/*
 * getopt_long() for long options only: its result, -1 at the end, '?' for a wrong option, which
 * has been reported.
 */
int options_next(int argc, char **argv, const struct option *options);

/* `format`: what is wrong, a sentence without its full stop. Returns EXIT_CODE_USAGE. */
__attribute__((format(printf, 1, 2))) int options_fail(const char *format, ...);

/* The same for a wrong configuration, without a reference to --help. */
int options_fail_config(const char *message);

/* True: `given` is probably a mistyped `word`: one or two letters differ or are swapped. */
bool options_are_similar(const char *given, const char *word);

/* Commands that work on the message store without the gateway */

/* The result of options_read_store(). */
struct options_store {
	struct config config;
	const char *argument; /* the operand; NULL: not given */
	bool force;
	bool json;
};

/* Values in the command's table of options. */
enum options_code {
	OPTIONS_CONFIG = 1,
	OPTIONS_STATE_DIR,
	OPTIONS_FORCE,
	OPTIONS_JSON,
	OPTIONS_HELP,
	OPTIONS_OTHER, /* from here on: the command's own */
};

struct options_command {
	const char *help;
	const struct option *options;
	bool argument_is_optional;
	/* Reads one of the command's own options. Returns what is wrong, or NULL. NULL: none. */
	const char *(*read)(void *data, int option, const char *value);
	void *data;
};

/* False: help or an error has been printed; exit with *code_out. */
bool options_read_store(const struct options_command *command, int argc, char **argv,
			struct options_store *store_out, int *code_out);

#endif
