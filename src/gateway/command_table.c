/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands of ofono-mcp; src/main_hub.c has those of ofono-mcp-hub. */
#include "gateway/control.h"

const struct control_command *const command_table[] = {
	COMMAND_ROWS(COMMAND_ADDRESS) COMMAND_PHONE_ROWS(COMMAND_ADDRESS) NULL,
};
