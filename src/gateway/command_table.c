/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/control.h"

const struct control_command *const command_table[] = {
	&command_pair,	   &command_pairings, &command_pair_check, &command_pair_reject,
	&command_clients,  &command_change,   &command_revoke,	   &command_rotate,
	&command_pause,	   &command_resume,   &command_reload,	   &command_approvals,
	&command_approve,  &command_reject,   &command_unlock,	   &command_status,
	&command_send,	   &command_list,     &command_show,	   &command_contacts,
	&command_wait,	   &command_tail,     &command_balance,	   &command_agent,
	&command_webhooks, &command_events,   &command_opt_outs,   NULL,
};
