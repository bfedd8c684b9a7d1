/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ofono-mcp opt-outs: who may not be texted, because they texted STOP. */
#include <stdio.h>
#include <string.h>

#include "cli/json_field.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"

static const char cmd_opt_outs_help[] =
	"Usage: " PROGRAM_NAME " opt-outs [OPTION]... [list]\n"
	"       " PROGRAM_NAME " opt-outs [OPTION]... add|remove NUMBER\n"
	"List the recipients that texted STOP: no agent can text them until they text\n"
	"START. Senders can be forged, so you can remove one, or add one. A STOP from\n"
	"one of your own numbers (owner_numbers) is not in force until you add it.\n"
	"\n" OPTIONS_STORE_HELP "  --json           as JSON: one line per number, then "
	"the counts\n" OPTIONS_HELP_HELP "\n"
	"The gateway may run. Exit codes: 0 listed or changed; 1 failed; 2 wrong\n"
	"options.\n";

static const char *cmd_opt_outs_check(const struct owner_command_call *call)
{
	const char *verb = call->operand_count ? call->operands[0] : "list";

	if (strcmp(verb, "list") == 0)
		return call->operand_count > 1 ? "list takes no NUMBER" : NULL;
	if (strcmp(verb, "add") != 0 && strcmp(verb, "remove") != 0)
		return "the argument is list, add or remove";
	if (call->operand_count < 2)
		return "NUMBER is missing";
	return call->operand_count == 2 ? NULL : "one NUMBER at a time";
}

static int cmd_opt_outs_add(const struct owner_command_call *call,
			    struct json_writer *writer)
{
	if (call->operand_count == 2)
		json_put_string(writer, call->operands[0], call->operands[1]);
	return 0;
}

static void cmd_opt_outs_print_item(const struct owner_command_call *call,
				    const struct json *item)
{
	const char *number = json_field_text(item, "phone_number");
	const char *word = json_field_text(item, "word");

	printf("%s  %s", number, terminal_time(json_field_text(item, "at")).text);
	if (*word)
		printf(", texted \"%s\"", word);
	if (json_field_is_true(item, "asking"))
		printf(", not in force: " PROGRAM_NAME " opt-outs add %s", number);
	putchar('\n');
}

static int cmd_opt_outs_print(const struct owner_command_call *call,
			      const struct json *result)
{
	const char *added = json_field_text(result, "added");
	const char *removed = json_field_text(result, "removed");

	if (*added)
		printf("Agents can no longer text %s.\n", added);
	else if (*removed)
		printf("Agents can text %s again.\n", removed);
	else if (strcmp(json_field_text(result, "opt_outs"), "0") == 0 &&
		 strcmp(json_field_text(result, "asking"), "0") == 0)
		puts("Nobody has opted out.");
	return EXIT_CODE_OK;
}

const struct command cmd_opt_outs = {
	.name = "opt-outs",
	.verbs = "add|remove",
	.group = COMMAND_APPROVALS,
	.summary = "list, add or remove recipients that texted STOP",
	.example = "opt-outs remove +36201234567",
	.owner = {
		.help = cmd_opt_outs_help,
		.takes_operands = true,
		.operand_is_optional = true,
		.check = cmd_opt_outs_check,
		.add = cmd_opt_outs_add,
		.print_item = cmd_opt_outs_print_item,
		.print = cmd_opt_outs_print,
	},
};
