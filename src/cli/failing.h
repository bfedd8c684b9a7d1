/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failing: how a command that does its work itself says what went wrong and what to do next;
 * the same words and the same JSON as those of cli/owner_command.h.
 */
#ifndef CLI_FAILING_H
#define CLI_FAILING_H

#include <stdbool.h>

struct failing {
	const char *command; /* "modem" */
	const char *code;
	const char *fix; /* a sentence without its full stop */
	bool json; /* on standard output as {"error":{"code","message","fix"}}, too */
};

/* `format`: a sentence without its full stop. Gives the exit code, EXIT_CODE_FAILED. */
__attribute__((format(printf, 2, 3))) int failing_tell(const struct failing *failing,
						       const char *format, ...);

/* {"error":{"code","message","fix"}} on standard output; all of it UTF-8. */
void failing_write(const char *code, const char *message, const char *fix);

/*
 * What ends the sentence: nothing behind a command of ours that ends
 * with the path of a modem, for that is there to be pasted.
 */
const char *failing_stop(const char *sentence);

/* A path need not be UTF-8, JSON has to be. */
void failing_make_valid(char *text);

#endif
