/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp agent: the owner's numbers whose commands by SMS need a rolling code. enrol prints
 * the secret, once, as a URL and a QR code for an authenticator app.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/json_field.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"

static const char cmd_agent_help[] =
	"Usage: " PROGRAM_NAME " agent [OPTION]... enrol [NUMBER]\n"
	"       " PROGRAM_NAME " agent [OPTION]... list\n"
	"       " PROGRAM_NAME " agent [OPTION]... remove NUMBER\n"
	"Text the agent: commands by SMS from your own numbers, which [agent] in the\n"
	"configuration names. enrol gives a number a new secret for rolling codes, and\n"
	"prints it once, for an authenticator app; list shows the numbers; remove takes\n"
	"the secret back.\n"
	"\n"
	"  --qr             print a QR code even if the output is not a terminal\n" OPTIONS_STORE_HELP
	"  --json           print as JSON\n" OPTIONS_HELP_HELP "\n"
	"The gateway may run. Exit codes: 0 done; 1 failed; 2 wrong options.\n";

static const char *cmd_agent_action(const struct owner_command_call *call)
{
	return call->operand_count ? call->operands[0] : "list";
}

static bool cmd_agent_is(const struct owner_command_call *call, const char *action)
{
	return strcmp(cmd_agent_action(call), action) == 0;
}

static const char *cmd_agent_check(const struct owner_command_call *call)
{
	bool is_list = cmd_agent_is(call, "list"),
	     is_remove = cmd_agent_is(call, "remove");

	if (!is_list && !is_remove && !cmd_agent_is(call, "enrol"))
		return "the argument is list, enrol or remove";
	if (is_remove && call->operand_count < 2)
		return "NUMBER is missing";
	return call->operand_count > (is_list ? 1 : 2) ? "too many arguments" : NULL;
}

static int cmd_agent_add_arguments(const struct owner_command_call *call,
				   struct json_writer *writer)
{
	json_put_string(writer, "action", cmd_agent_action(call));
	if (call->operand_count > 1)
		json_put_string(writer, "number", call->operands[1]);
	return 0;
}

/* "+36201234567  enrolled at 21 Nov 08:30, last used ..., locked until ..." */
void cmd_agent_print_number(const struct json *number)
{
	const char *used = json_field_text(number, "used_at");
	const char *refusal = json_field_text(number, "refusal");
	const char *locked = json_field_text(number, "locked_until");

	fputs(json_field_text(number, "number"), stdout);
	if (!json_field_is_true(number, "enrolled")) {
		printf(": no secret; to make one: " PROGRAM_NAME " agent enrol %s\n",
		       json_field_text(number, "number"));
		return;
	}
	printf(": enrolled at %s",
	       terminal_time(json_field_text(number, "enrolled_at")).text);
	if (*used)
		printf(", last used %s", terminal_when(used).text);
	if (*refusal)
		printf(", last refused %s (%s)",
		       terminal_when(json_field_text(number, "refused_at")).text,
		       refusal);
	if (*locked)
		printf("; %slocked until %s%s", terminal_colour_on(COLOUR_BAD),
		       terminal_time(locked).text, terminal_colour_off());
	putchar('\n');
}

static void cmd_agent_print_list(const struct json *result)
{
	const struct json *numbers = json_field_list(result, "numbers");

	if (!numbers->count)
		puts("No commands by SMS: owner_numbers under [agent] is empty.");
	json_foreach (number, numbers)
		cmd_agent_print_number(number);
	if (numbers->count && !json_field_is_true(result, "needs_code"))
		puts("No code is needed (code = none under [agent]): anybody who forges "
		     "one of these\nnumbers can give commands.");
}

static void cmd_agent_print_secret(const struct owner_command_call *call,
				   const struct json *result)
{
	const char *url = json_field_text(result, "url");
	unsigned columns = terminal_columns(STDOUT_FILENO),
		 needed = terminal_qr_columns(url);

	printf("Commands from %s now need the codes of this "
	       "secret, which is shown only once:\n\n  %s\n",
	       json_field_text(result, "number"), url);
	if (!owner_command_value(call, "qr") && !isatty(STDOUT_FILENO))
		needed = 0;
	if (needed && columns && columns < needed)
		printf("\nThe QR code needs a terminal %u columns wide; this one has %u.\n",
		       needed, columns);
	else if (needed)
		puts("\nFor an authenticator app on your own phone:\n");
	if (needed && (!columns || columns >= needed))
		terminal_print_qr(url);
	if (!json_field_is_true(result, "needs_code"))
		puts("\nCodes are not asked for yet: set code = "
		     "totp under [agent] in the configuration.");
}

static int cmd_agent_print(const struct owner_command_call *call,
			   const struct json *result)
{
	if (cmd_agent_is(call, "list"))
		cmd_agent_print_list(result);
	else if (cmd_agent_is(call, "remove"))
		printf("The secret of %s is removed.\n",
		       json_field_text(result, "number"));
	else
		cmd_agent_print_secret(call, result);
	return EXIT_CODE_OK;
}

static const struct owner_command_option cmd_agent_options[] = {
	{ .name = "qr", .is_flag = true, .is_local = true },
	{ NULL },
};

const struct command cmd_agent = {
	.name = "agent",
	.verbs = "list|enrol|remove",
	.group = COMMAND_APPROVALS,
	.summary = "enrol the numbers from which you text the agent",
	.example = "agent enrol +36201234567",
	.owner = {
		.help = cmd_agent_help,
		.options = cmd_agent_options,
		.takes_operands = true,
		.operand_is_optional = true,
		.check = cmd_agent_check,
		.add = cmd_agent_add_arguments,
		.print = cmd_agent_print,
		.fix_if_lost = "The number may have a new secret that was never shown: run it again",
	},
};
