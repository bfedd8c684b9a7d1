/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CLI failure: how a command that does its work itself reports a failure and what to do about it,
 * in the same form and the same JSON as cli/owner_command.h.
 */
#ifndef CLI_CLI_FAILURE_H
#define CLI_CLI_FAILURE_H

#include <stdbool.h>

struct cli_failure {
	const char *command; /* "modem" */
	const char *code;
	const char *fix; /* a sentence without its full stop */
	bool json; /* also prints {"error":{"code","message","fix"}} on standard output */
};

/* `format`: a sentence without its full stop. Returns EXIT_CODE_FAILED. */
__attribute__((format(printf, 2, 3))) int cli_failure_report(
	const struct cli_failure *error, const char *format, ...);

/* Prints {"error":{"code","message","fix"}} on standard output; all of it must be UTF-8. */
void cli_failure_write_json(const char *code, const char *message, const char *fix);

/*
 * The end of a sentence: "" after one of our commands that ends with the path of a modem, so
 * that it can be pasted; else ".".
 */
const char *cli_failure_full_stop(const char *sentence);

/* Replaces what is not ASCII if the text is not UTF-8, as a path may be. */
void cli_failure_make_valid(char *text);

#endif
