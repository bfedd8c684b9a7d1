/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pools: the pools of SIMs of a hub, and their rules. */
#include <stdio.h>
#include <string.h>

#include "cli/json_field.h"
#include "cli/owner_command.h"

static const char cmd_pools_help[] =
	"Usage: " PROGRAM_NAME " pools [OPTION]... [list]\n"
	"       " PROGRAM_NAME " pools [OPTION]... set NAME\n"
	"       " PROGRAM_NAME " pools [OPTION]... remove NAME\n"
	"List the pools, add or change one, or remove one. An agent that names a pool\n"
	"gets one of its SIMs: send_sms has the parameter pool while there is one. What\n"
	"is not given to set stays as it was; a new pool needs --sims.\n"
	"\n"
	"  --sims ID,...    the SIMs of the pool, instead of those it had\n"
	"  --sticky RULE    the SIM that wrote to the recipient last: prefer (default)\n"
	"                   it, require it, or off\n"
	"  --country RULE   a SIM of the recipient's country: prefer (default) it,\n"
	"                   require it, or off\n"
	"  --recipients-per-month N\n"
	"                   each SIM writes to at most N different numbers in a month;\n"
	"                   0 (default) for any number\n"
	"  --failover yes|no\n"
	"                   whether a message may move to another SIM of the pool\n"
	"                   (default yes)\n" OPTIONS_STORE_HELP
	"  --json           print JSON lines instead of text\n" OPTIONS_HELP_HELP "\n"
	"Exit codes: 0 done; 1 failed; 2 wrong options.\n";

static const char *const cmd_pools_rules[] = { "prefer", "require", "off", NULL };
static const char *const cmd_pools_answers[] = { "yes", "no", NULL };

static const struct owner_command_option cmd_pools_options[] = {
	{ .name = "sims" },
	{ .name = "sticky", .words = cmd_pools_rules },
	{ .name = "country", .words = cmd_pools_rules },
	{ .name = "recipients-per-month", .is_number = true },
	{ .name = "failover", .words = cmd_pools_answers },
	{ 0 },
};

static const char *cmd_pools_check(const struct owner_command_call *call)
{
	const char *verb = call->operand_count ? call->operands[0] : "list";
	bool sets = strcmp(verb, "set") == 0;

	for (const struct owner_command_option *option = cmd_pools_options; option->name;
	     option++) {
		if (!sets && owner_command_value(call, option->name))
			return "only set takes a rule or SIMs";
	}
	if (!sets && strcmp(verb, "remove") != 0 && strcmp(verb, "list") != 0)
		return "the argument is list, set or remove";
	if (strcmp(verb, "list") == 0)
		return call->operand_count > 1 ? "list takes no NAME" : NULL;
	if (call->operand_count < 2)
		return "NAME is missing";
	return call->operand_count == 2 ? NULL : "give one NAME";
}

static int cmd_pools_add(const struct owner_command_call *call,
			 struct json_writer *arguments)
{
	if (call->operand_count == 2)
		json_put_string(arguments, call->operands[0], call->operands[1]);
	return 0;
}

/* Prints "alerts    SIM 1 2, sticky prefer, country off" */
static void cmd_pools_print_item(const struct owner_command_call *call,
				 const struct json *pool)
{
	const char *recipients = json_field_text(pool, "recipients_per_month");

	printf("%-16s SIM", json_field_text(pool, "name"));
	json_foreach (sim, json_field_list(pool, "subscription_ids"))
		printf(" %s", sim->text);
	printf(", sticky %s, country %s", json_field_text(pool, "sticky"),
	       json_field_text(pool, "country"));
	if (*recipients)
		printf(", %s recipients a month", recipients);
	puts(json_field_is_true(pool, "failover") ? "" : ", no failover");
}

static int cmd_pools_print(const struct owner_command_call *call,
			   const struct json *result)
{
	const char *removed = json_field_text(result, "removed");

	if (*removed)
		printf("%s is removed. Messages that it was to send stay with their SIMs.\n",
		       removed);
	else if (*json_field_text(result, "name"))
		cmd_pools_print_item(call, result);
	else if (strcmp(json_field_text(result, "pools"), "0") == 0)
		puts("There is no pool. To add one: " PROGRAM_NAME
		     " pools set NAME --sims ID,...");
	return EXIT_CODE_OK;
}

const struct command cmd_pools = {
	.name = "pools",
	.verbs = "list|set|remove",
	.group = COMMAND_SIMS,
	.summary = "list, set or remove pools of SIMs",
	.example = "pools set alerts --sims 1,2 --country require",
	.owner = {
		.help = cmd_pools_help,
		.options = cmd_pools_options,
		.takes_operands = true,
		.operand_is_optional = true,
		.check = cmd_pools_check,
		.add = cmd_pools_add,
		.print_item = cmd_pools_print_item,
		.print = cmd_pools_print,
	},
};
