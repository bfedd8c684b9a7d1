/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp balance: what the SIMs had when the network was asked last.
 */
#include <stdio.h>

#include "cli/balance_lines.h"
#include "cli/colour.h"
#include "cli/command.h"
#include "cli/member.h"
#include "cli/owner_command.h"
#include "cli/shown.h"
#include "cli/shown_time.h"

static const char help[] =
	"Usage: ofono-mcp balance [OPTION]...\n"
	"List the balances of SIMs as agents read them last with send_ussd and the\n"
	"gateway's balance_pattern. Nothing is dialled.\n"
	"\n"
	"  --forget ID      the balance of the SIM with this subscription_id is not\n"
	"                   known any more, so it stops no sending\n"
	"  --config FILE    the gateway's configuration; else, where it is there,\n"
	"                   " CONFIG_DEFAULT_PATH "\n"
	"  --state-dir DIR  where the gateway keeps its ledger\n"
	"  --json           as a JSON object\n"
	"  --help           this text\n"
	"\n"
	"The gateway must run. Exit codes: 0 listed; 1 could not; 2 wrong options.\n";

void balance_line_print(const struct json *balance)
{
	bool is_low = member_is_true(balance, "is_low");
	const char *currency = member_text(balance, "currency");

	fputs(is_low ? colour_on(COLOUR_BAD) : "", stdout);
	printf("%s%s", member_text(balance, "amount"), *currency ? " " : "");
	shown_print(stdout, currency);
	printf("%s of SIM %s, read %s with %s", is_low ? colour_off() : "",
	       member_text(balance, "subscription_id"),
	       shown_time(member_text(balance, "read_at")).text,
	       member_text(balance, "code"));
	if (is_low)
		printf("; below %s nothing is sent until %s",
		       member_text(balance, "minimum"),
		       shown_time(member_text(balance, "counts_until")).text);
	putchar('\n');
}

static int show(const struct owner_call *call, const struct json *result)
{
	const struct json *balances = member_list(result, "balances");
	const char *forgotten = member_text(result, "forgotten");

	(void)call;
	if (*forgotten)
		printf("The balance of SIM %s is forgotten.\n", forgotten);
	else if (!balances->count)
		puts("No balance is known.");
	json_foreach (balance, balances)
		balance_line_print(balance);
	return EXIT_CODE_OK;
}

static int run(int argc, char **argv)
{
	static const struct owner_option options[] = {
		{ .name = "forget", .is_number = true },
		{ NULL },
	};
	static const struct owner_command command = {
		.name = "balance",
		.help = help,
		.options = options,
		.show = show,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_balance = {
	.name = "balance",
	.summary = "list the balances of SIMs that are known, or forget one",
	.run = run,
};
