/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command table: the owner's commands, one row each (struct control_command).
 */
#ifndef GATEWAY_COMMAND_TABLE_H
#define GATEWAY_COMMAND_TABLE_H

#include "gateway/control.h"

extern const struct control_command *const command_table[]; /* ends with NULL */

/* command_clients.c */
extern const struct control_command command_pair;
extern const struct control_command command_clients;
extern const struct control_command command_change;
extern const struct control_command command_revoke;
extern const struct control_command command_rotate;

/* command_pause.c */
extern const struct control_command command_pause;
extern const struct control_command command_resume;
extern const struct control_command command_reload;

/* command_approvals.c */
extern const struct control_command command_approvals;
extern const struct control_command command_approve;
extern const struct control_command command_reject;

/* command_unlock.c */
extern const struct control_command command_unlock;

/* command_status.c */
extern const struct control_command command_status;
extern const struct control_command command_balance;

/* command_messages.c: they run the tools that agents use */
extern const struct control_command command_send;
extern const struct control_command command_list;
extern const struct control_command command_show;
extern const struct control_command command_contacts;
extern const struct control_command command_wait;
extern const struct control_command command_tail;

#endif
