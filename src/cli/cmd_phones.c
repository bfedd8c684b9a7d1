/* SPDX-License-Identifier: GPL-2.0-or-later */
/* enrol, phones, expel: the owner's commands for the phones of a hub. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/json_field.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"

#include <unistd.h>

static const char cmd_phones_enrol_help[] =
	"Usage: " PROGRAM_NAME " enrol [OPTION]... NAME\n"
	"Print a code with which one phone joins this hub. Enter it there:\n"
	"\n"
	"  sudo ofono-mcp join\n"
	"\n"
	"The code works once. The broker must know the phone as a user of that name.\n"
	"\n" OPTIONS_STORE_HELP
	"  --no-password    the broker lets phones in without one\n"
	"  --json           print JSON lines instead of text\n" OPTIONS_HELP_HELP "\n"
	"Exit codes: 0 done; 1 failed; 2 wrong options.\n";

static const struct owner_command_option cmd_phones_enrol_options[] = {
	{ .name = "no-password", .is_flag = true, .argument = "no_password" },
	{ 0 },
};

static int cmd_phones_print_code(const struct owner_command_call *call,
				 const struct json *result)
{
	const char *code = json_field_text(result, "code");
	const char *password = json_field_text(result, "password");
	const char *name = json_field_text(result, "name");
	unsigned needed = terminal_qr_columns(code);

	if (isatty(STDOUT_FILENO) && needed && needed <= terminal_columns(STDOUT_FILENO))
		terminal_print_qr(code);
	printf("On the phone, run\nsudo ofono-mcp join\nand enter this code, which works once:\n%s\n",
	       code);
	if (*password)
		printf("\nFirst, on the broker, for example with Mosquitto:\n"
		       "mosquitto_passwd -b PASSWORD_FILE %s %s\n",
		       name, password);
	return EXIT_CODE_OK;
}

const struct command cmd_enrol = {
	.name = "enrol",
	.group = COMMAND_SIMS,
	.summary = "print a code with which a phone joins",
	.example = "enrol shop-1",
	.owner = {
		.help = cmd_phones_enrol_help,
		.options = cmd_phones_enrol_options,
		.operand = "name",
		.print = cmd_phones_print_code,
	},
};

static const char cmd_phones_help[] =
	"Usage: " PROGRAM_NAME " phones [OPTION]...\n"
	"List the phones of this hub, whether each is present, and its SIMs.\n"
	"\n" OPTIONS_STORE_HELP
	"  --json           print JSON lines instead of text\n" OPTIONS_HELP_HELP "\n"
	"Exit codes: 0 done; 1 failed; 2 wrong options.\n";

static void cmd_phones_print_item(const struct owner_command_call *call,
				  const struct json *item)
{
	const struct json *sims = json_member(item, "subscription_ids");

	printf("%-20s %-9s", json_field_text(item, "name"),
	       json_field_text(item, "state"));
	if (sims && sims->first) {
		fputs(" SIM", stdout);
		json_foreach (sim, sims)
			printf(" %s", sim->text);
	}
	putchar('\n');
}

static int cmd_phones_print(const struct owner_command_call *call,
			    const struct json *result)
{
	int64_t count = 0;

	json_integer(json_member(result, "phones"), &count);
	if (!count)
		puts("No phone has joined. To enrol one: " PROGRAM_NAME " enrol NAME");
	printf("Broker: %s\n", json_field_text(result, "broker"));
	return EXIT_CODE_OK;
}

const struct command cmd_phones = {
	.name = "phones",
	.group = COMMAND_SIMS,
	.summary = "list the phones, and whether each is present",
	.example = "phones",
	.owner = {
		.help = cmd_phones_help,
		.print_item = cmd_phones_print_item,
		.print = cmd_phones_print,
	},
};

static const char cmd_phones_expel_help[] =
	"Usage: " PROGRAM_NAME " expel [OPTION]... NAME\n"
	"Forget a phone: its key no longer works. Remove its user from the broker, too.\n"
	"Its messages stay.\n"
	"\n" OPTIONS_STORE_HELP
	"  --json           print JSON lines instead of text\n" OPTIONS_HELP_HELP "\n"
	"Exit codes: 0 done; 1 failed; 2 wrong options.\n";

static int cmd_phones_print_expelled(const struct owner_command_call *call,
				     const struct json *result)
{
	printf("%s no longer belongs to this hub.\n", json_field_text(result, "name"));
	return EXIT_CODE_OK;
}

const struct command cmd_expel = {
	.name = "expel",
	.group = COMMAND_SIMS,
	.summary = "forget a phone",
	.example = "expel shop-1",
	.owner = {
		.help = cmd_phones_expel_help,
		.operand = "name",
		.print = cmd_phones_print_expelled,
	},
};
