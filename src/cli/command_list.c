/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The subcommands of ofono-mcp; src/main_hub.c has those of ofono-mcp-hub. */
#include "cli/command.h"
#include "cli/doctor/doctor.h"

const char command_list_subject[] = "oFono's modems";

void (*const command_list_check_radio)(struct doctor *doctor) = doctor_ofono_check;

const struct command *const command_list_rows[] = {
	&cmd_demo,     &cmd_serve,   &cmd_doctor,   &cmd_reload,   &cmd_pair,
	&cmd_clients,  &cmd_change,  &cmd_rotate,   &cmd_revoke,   &cmd_stdio,
	&cmd_webhooks, &cmd_events,  &cmd_tools,    &cmd_send,	   &cmd_list,
	&cmd_show,     &cmd_wait,    &cmd_tail,	    &cmd_contacts, &cmd_approvals,
	&cmd_approve,  &cmd_reject,  &cmd_opt_outs, &cmd_agent,	   &cmd_sims,
	&cmd_unlock,   &cmd_balance, &cmd_modem,    &cmd_status,   &cmd_pause,
	&cmd_resume,   &cmd_audit,   &cmd_backup,   &cmd_restore,  &cmd_join,
	&cmd_leave,    NULL,
};
