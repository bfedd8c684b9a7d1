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

#include "config/config_list.h"

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

#endif
