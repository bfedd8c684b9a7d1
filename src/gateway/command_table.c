/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/control_command.h"

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

static const struct control_command *find(const struct control_command *const *command,
					  const char *name)
{
	while (*command && strcmp((*command)->name, name) != 0)
		command++;
	return *command;
}

const struct control_command *control_command_find(const struct control *control,
						   const char *name)
{
	const struct control_command *command = find(command_table, name);

	return command || !control->more ? command : find(control->more, name);
}
