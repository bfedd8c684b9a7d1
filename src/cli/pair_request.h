/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pair request: the owner's side of a computer that asks to be paired (policy/pairing.h):
 *   waits for one, with --wait -> the owner types the code that the computer shows -> who asks,
 *   and what it would get -> yes or no
 */
#pragma once

#include "cli/owner_command.h"

/*
 * The add() of `pair`: without NAME and --code it asks on the terminal. Returns 0, or an exit code
 * after printing why nothing is paired.
 */
int pair_request_add(const struct owner_command_call *call,
		     struct json_writer *arguments);
