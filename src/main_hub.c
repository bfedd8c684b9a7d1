/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp-hub: one MCP address for the SIMs of many phones. It is the gateway's code with
 * src/remote behind the door to the radio, and with these tables in place of the gateway's.
 */
#include "cli/command.h"
#include "gateway/control.h"

const char command_list_subject[] = "the SIMs of many phones";

void (*const command_list_check_radio)(struct doctor *doctor) = NULL;

const struct command *const command_list_rows[] = {
	&cmd_enrol,    &cmd_phones,    &cmd_expel,    &cmd_pools,   &cmd_drain,
	&cmd_routes,   &cmd_resend,    &cmd_serve,    &cmd_pair,    &cmd_clients,
	&cmd_change,   &cmd_rotate,    &cmd_revoke,   &cmd_pause,   &cmd_resume,
	&cmd_reload,   &cmd_approvals, &cmd_approve,  &cmd_reject,  &cmd_agent,
	&cmd_backup,   &cmd_restore,   &cmd_audit,    &cmd_status,  &cmd_send,
	&cmd_list,     &cmd_show,      &cmd_contacts, &cmd_wait,    &cmd_tail,
	&cmd_tools,    &cmd_doctor,    &cmd_sims,     &cmd_balance, &cmd_stdio,
	&cmd_webhooks, &cmd_events,    &cmd_opt_outs, NULL,
};

const struct control_command *const command_table[] = {
	COMMAND_ROWS(COMMAND_ADDRESS) COMMAND_HUB_ROWS(COMMAND_ADDRESS) NULL,
};
