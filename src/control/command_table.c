/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "control/control_command.h"

#include <string.h>

const struct control_command *const command_table[] = {
	&control_pair,
	&control_clients,
	&control_change,
	&control_revoke,
	&control_rotate,
	&control_pause,
	&control_resume,
	&control_reload,
	&control_approvals,
	&control_approve,
	&control_reject,
	&control_unlock,
	NULL,
};

const struct control_command *control_command_find(const char *name)
{
	const struct control_command *const *command = command_table;

	while (*command && strcmp((*command)->name, name) != 0)
		command++;
	return *command;
}
