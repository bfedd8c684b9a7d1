/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drain: what the owner of a hub decides about the routing of messages. */
#include <stdio.h>

#include "cli/json_field.h"
#include "cli/owner_command.h"

/* drain */

static const char cmd_routing_drain_help[] =
	"Usage: " PROGRAM_NAME " drain [OPTION]... PHONE|SIM\n"
	"Route no new message to a SIM, by its ID, or to the SIMs of a phone. What waits\n"
	"for them moves to other SIMs, unless it names its SIM; without another SIM it\n"
	"goes out from its own. A message that names the SIM is still sent.\n"
	"\n"
	"  --undo           route messages to it again\n" OPTIONS_STORE_HELP
	"  --json           print JSON lines instead of text\n" OPTIONS_HELP_HELP "\n"
	"Exit codes: 0 done; 1 failed; 2 wrong options.\n";

static const struct owner_command_option cmd_routing_drain_options[] = {
	{ .name = "undo", .is_flag = true },
	{ 0 },
};

static int cmd_routing_print_drained(const struct owner_command_call *call,
				     const struct json *result)
{
	json_foreach (sim, json_field_list(result, "subscription_ids"))
		printf("SIM %s gets %s.\n", sim->text,
		       json_field_is_true(result, "drained") ? "no new messages"
							     : "messages again");
	return EXIT_CODE_OK;
}

const struct command cmd_drain = {
	.name = "drain",
	.group = COMMAND_SIMS,
	.summary = "route no new messages to a phone or SIM",
	.example = "drain shop-1",
	.owner = {
		.help = cmd_routing_drain_help,
		.options = cmd_routing_drain_options,
		.operand = "target",
		.print = cmd_routing_print_drained,
	},
};
