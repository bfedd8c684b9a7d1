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
	&cmd_enrol,   &cmd_phones,   &cmd_expel,     &cmd_serve,    &cmd_pair,
	&cmd_clients, &cmd_change,   &cmd_rotate,    &cmd_revoke,   &cmd_pause,
	&cmd_resume,  &cmd_reload,   &cmd_approvals, &cmd_approve,  &cmd_reject,
	&cmd_agent,   &cmd_backup,   &cmd_restore,   &cmd_audit,    &cmd_status,
	&cmd_send,    &cmd_list,     &cmd_show,	     &cmd_contacts, &cmd_wait,
	&cmd_tail,    &cmd_tools,    &cmd_doctor,    &cmd_sims,	    &cmd_balance,
	&cmd_stdio,   &cmd_webhooks, &cmd_events,    NULL,
};

const struct control_command *const command_table[] = {
	&command_enrol,	   &command_phones,
	&command_expel,	   &command_pair,
	&command_clients,  &command_change,
	&command_revoke,   &command_rotate,
	&command_pause,	   &command_resume,
	&command_reload,   &command_approvals,
	&command_approve,  &command_reject,
	&command_status,   &command_send,
	&command_list,	   &command_show,
	&command_contacts, &command_wait,
	&command_tail,	   &command_balance,
	&command_agent,	   &command_webhooks,
	&command_events,   NULL,
};
