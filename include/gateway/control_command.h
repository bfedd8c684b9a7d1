/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control command: a row of the table of what the owner can have done.
 */
#ifndef GATEWAY_CONTROL_COMMAND_H
#define GATEWAY_CONTROL_COMMAND_H

#include "gateway/control_call.h"

struct control_command {
	const char *name;
	bool needs_gateway; /* it works on more than the store */
	bool may_be_first;  /* it makes sense where no gateway has run yet */
	bool asks_ofono;    /* it waits while the bus may still let the gateway in */
	void (*run)(struct control_call *call);
};

extern const struct control_command *const command_table[]; /* ends with NULL */

/* NULL: there is none, nor in the rows that this control has besides. */
const struct control_command *control_command_find(const struct control *control,
						   const char *name);

extern const struct control_command control_pair;
extern const struct control_command control_clients;
extern const struct control_command control_approvals;
extern const struct control_command control_approve;
extern const struct control_command control_reject;
extern const struct control_command control_unlock;
extern const struct control_command control_change;
extern const struct control_command control_revoke;
extern const struct control_command control_rotate;
extern const struct control_command control_pause;
extern const struct control_command control_resume;
extern const struct control_command control_reload;

#endif
