/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp sim list, sim balance: the SIM cards, and their known balances. cmd_status.c also shows
 * both.
 */
#include <stdio.h>
#include <string.h>

#include "cli/json_field.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"

enum { CMD_SIMS_LABEL_COLUMNS = 10, CMD_SIMS_LABEL_BYTES = 32 };

/* sim list */

static const char cmd_sims_help[] =
	"Usage: " PROGRAM_NAME " sim list [OPTION]...\n"
	"List the SIM cards with their IDs, which --sim takes: whether each can send now,\n"
	"operator, slot, phone number and signal.\n"
	"\n" OPTIONS_STORE_HELP "  --json           as a JSON object: what "
	"get_sms_subscriptions gives agents\n" OPTIONS_HELP_HELP "\n"
	"The gateway must run. Exit codes: 0 listed; 1 failed; 2 wrong options.\n";

/* Prints "SIM 1     ready: Telekom HU, slot 0, +36201234567, signal 60 %, roaming" */
void cmd_sims_print_sim(const struct json *sim)
{
	enum terminal_colour colour =
		json_field_is_true(sim, "can_send") ? COLOUR_GOOD : COLOUR_BAD;
	const char *name = json_field_text(sim, "display_name");
	const char *number = json_field_text(sim, "own_number");
	const char *signal = json_field_text(sim, "signal_percent");
	char head[CMD_SIMS_LABEL_BYTES];

	snprintf(head, sizeof(head), "SIM %s ", json_field_text(sim, "subscription_id"));
	printf("%-*s", CMD_SIMS_LABEL_COLUMNS, head);
	printf("%s%s%s: ", terminal_colour_on(colour), json_field_text(sim, "state"),
	       terminal_colour_off());
	terminal_print_escaped(stdout, *name ? name : "no name");
	printf(", slot %s", json_field_text(sim, "sim_slot_index"));
	if (*number)
		printf(", %s", number);
	if (strcmp(signal, "0") != 0)
		printf(", signal %s %%", signal);
	if (json_field_is_true(sim, "default"))
		fputs(", default for sending", stdout);
	puts(json_field_is_true(sim, "roaming") ? ", roaming" : "");
}

static int cmd_sims_print(const struct owner_command_call *call, const struct json *sims)
{
	const struct json *list = json_field_list(sims, "subscriptions");

	if (!list->count)
		puts("No SIM card is known. To see the modems: " PROGRAM_NAME " modem");
	json_foreach (sim, list)
		cmd_sims_print_sim(sim);
	return EXIT_CODE_OK;
}

const struct command cmd_sims = {
	.name = "sims",
	.title = "sim list",
	.group = COMMAND_SIMS,
	.summary = "list the SIM cards",
	.example = "sim list",
	.owner = {
		.help = cmd_sims_help,
		.print = cmd_sims_print,
		.request = "status",
		.member = "sims",
	},
};

/* sim balance */

static const char cmd_sims_balance_help[] =
	"Usage: " PROGRAM_NAME " sim balance [OPTION]...\n"
	"List the SIM balances that agents last read with send_ussd, by the gateway's\n"
	"balance_pattern. Nothing is dialled.\n"
	"\n"
	"  --forget ID      delete the balance of the SIM with this subscription_id, so\n"
	"                   that it no longer prevents sending\n" OPTIONS_STORE_HELP
	"  --json           as a JSON object\n" OPTIONS_HELP_HELP "\n"
	"The gateway must run. Exit codes: 0 listed; 1 failed; 2 wrong options.\n";

void cmd_sims_print_balance(const struct json *balance)
{
	bool is_low = json_field_is_true(balance, "is_low");
	const char *currency = json_field_text(balance, "currency");

	fputs(is_low ? terminal_colour_on(COLOUR_BAD) : "", stdout);
	printf("%s%s", json_field_text(balance, "amount"), *currency ? " " : "");
	terminal_print_escaped(stdout, currency);
	printf("%s of SIM %s, read %s with %s", is_low ? terminal_colour_off() : "",
	       json_field_text(balance, "subscription_id"),
	       terminal_when(json_field_text(balance, "read_at")).text,
	       json_field_text(balance, "code"));
	if (is_low)
		printf("; below %s nothing is sent until %s",
		       json_field_text(balance, "minimum"),
		       terminal_time(json_field_text(balance, "counts_until")).text);
	putchar('\n');
}

static int cmd_sims_print_balance_list(const struct owner_command_call *call,
				       const struct json *result)
{
	const struct json *balances = json_field_list(result, "balances");
	const char *forgotten = json_field_text(result, "forgotten");

	if (*forgotten)
		printf("The balance of SIM %s is deleted.\n", forgotten);
	else if (!balances->count)
		puts("No balance is known.");
	json_foreach (balance, balances)
		cmd_sims_print_balance(balance);
	return EXIT_CODE_OK;
}

static const struct owner_command_option cmd_sims_balance_options[] = {
	{ .name = "forget", .is_number = true },
	{ NULL },
};

const struct command cmd_balance = {
	.name = "balance",
	.title = "sim balance",
	.group = COMMAND_SIMS,
	.summary = "list the known balances of SIMs, or delete one",
	.example = "sim balance --forget 1",
	.owner = {
		.help = cmd_sims_balance_help,
		.options = cmd_sims_balance_options,
		.print = cmd_sims_print_balance_list,
	},
};
