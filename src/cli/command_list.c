/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The subcommands of ofono-mcp; src/main_hub.c has those of ofono-mcp-hub. */
#include "cli/command.h"
#include "cli/doctor/doctor.h"

const char command_list_subject[] = "oFono's modems";

void (*const command_list_check_radio)(struct doctor *doctor) = doctor_ofono_check;

const struct command *const command_list_rows[] = {
	COMMAND_LIST_ROWS(COMMAND_LIST_ADDRESS) NULL,
};
