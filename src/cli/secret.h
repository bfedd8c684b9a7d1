/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Secret: a line that nobody sees, from whoever runs the program.
 *
 * On a terminal it is asked for, and not echoed. Where standard input is something else one
 * line of it is read: a secret is never an argument or in the environment, which other
 * programs can read (tests/integration/test_unlock.py).
 */
#ifndef CLI_SECRET_H
#define CLI_SECRET_H

#include <stdbool.h>

enum { SECRET_BYTES = 64 };

/* False: there is none, it is too long, or who was asked gave up. */
bool secret_read(const char *prompt, char secret[SECRET_BYTES]);
bool secret_is_asked_for(void); /* there is a terminal */

#endif
