/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Secret: reads a line that must not be seen.
 *
 * On a terminal it prompts, without echo. Otherwise it reads one line of standard input: a secret
 * is never an argument or an environment variable, which other programs can read
 * (tests/integration/test_unlock.py).
 */
#ifndef CLI_SECRET_H
#define CLI_SECRET_H

#include <stdbool.h>

enum { SECRET_BYTES = 64 };

/* False: no input, too long, or the user gave up. */
bool secret_read(const char *prompt, char secret[SECRET_BYTES]);
bool secret_has_terminal(void);

#endif
