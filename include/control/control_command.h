/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control command: a row of the table of what the owner can have done.
 */
#ifndef CONTROL_CONTROL_COMMAND_H
#define CONTROL_CONTROL_COMMAND_H

#include "control/control_call.h"

struct control_command {
	const char *name;
	bool needs_gateway; /* it works on more than the store */
	void (*run)(struct control_call *call);
};

extern const struct control_command *const command_table[]; /* ends with NULL */

const struct control_command *control_command_find(const char *name); /* NULL: none */

extern const struct control_command control_clients;
extern const struct control_command control_unlock;

#endif
