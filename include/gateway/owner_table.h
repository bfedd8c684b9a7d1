/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owner table: the commands of the owner that use what agents use: tools and their views.
 * They are rows as those of gateway/control_command.h, and need a gateway that runs.
 */
#ifndef GATEWAY_OWNER_TABLE_H
#define GATEWAY_OWNER_TABLE_H

#include "gateway/control_command.h"

extern const struct control_command *const owner_table[]; /* ends with NULL */

extern const struct control_command owner_status;
extern const struct control_command owner_send;
extern const struct control_command owner_list;
extern const struct control_command owner_show;
extern const struct control_command owner_contacts;
extern const struct control_command owner_wait;
extern const struct control_command owner_tail;
extern const struct control_command owner_balance;

#endif
