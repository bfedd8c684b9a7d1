/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Usage: what a command says of arguments that make no sense: the same words everywhere, on
 * standard error, and with --json on standard output, too, as in cli/failing.h
 * (tests/integration/test_usage.py).
 */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

#include <getopt.h>

/* Of the command that this process runs, argv[0] its name: once, before all else. */
void usage_begin(int argc, char **argv);

/*
 * getopt_long() for options without letters: what it gives, -1 at the end, '?' where an option
 * makes no sense; that has been said then. The first call finds the first option.
 */
int usage_next_option(int argc, char **argv, const struct option *options);

/* `format`: what is wrong, a sentence without its full stop. Gives EXIT_CODE_USAGE. */
__attribute__((format(printf, 1, 2))) int usage_fail(const char *format, ...);

/* The same of a configuration, where no help tells more. */
int usage_fail_config(const char *message);

#endif
