/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owner arguments: what was given to an owner command, read and checked as far as that can be
 * told without the gateway.
 */
#ifndef CLI_OWNER_ARGUMENTS_H
#define CLI_OWNER_ARGUMENTS_H

#include <stdbool.h>

#include "cli/owner_command.h"

unsigned owner_options_count(const struct owner_command *command);

/* The command of `call` is set. False: all has been said, and the exit code is given. */
bool owner_arguments_read(struct owner_call *call, int argc, char **argv, int *code_out);

#endif
