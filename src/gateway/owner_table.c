/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table, and those of its rows that are tools.
 */
#include "gateway/owner_table.h"

#include "gateway/tool_command.h"
#include "tools/tool_table.h"

static void run_send(struct control_call *call)
{
	tool_command_run(call, &tool_send_sms);
}

static void run_list(struct control_call *call)
{
	tool_command_run(call, &tool_list_sms);
}

static void run_contacts(struct control_call *call)
{
	tool_command_run(call, &tool_find_contact);
}

static void run_wait(struct control_call *call)
{
	tool_command_run(call, &tool_wait_for_sms);
}

const struct control_command owner_send = {
	.name = "send",
	.needs_gateway = true,
	.asks_ofono = true,
	.run = run_send,
};

const struct control_command owner_list = {
	.name = "list",
	.needs_gateway = true,
	.run = run_list,
};

const struct control_command owner_contacts = {
	.name = "contacts",
	.needs_gateway = true,
	.run = run_contacts,
};

const struct control_command owner_wait = {
	.name = "wait",
	.needs_gateway = true,
	.run = run_wait,
};

const struct control_command *const owner_table[] = {
	&owner_status, &owner_send, &owner_list,    &owner_show, &owner_contacts,
	&owner_wait,   &owner_tail, &owner_balance, NULL,
};
