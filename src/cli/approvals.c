/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp approvals: the messages that wait for the owner's yes.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/member.h"
#include "cli/message_lines.h"
#include "cli/owner_command.h"
#include "cli/shown_time.h"

static const char help[] =
	"Usage: ofono-mcp approvals [OPTION]...\n"
	"List the messages that wait for your yes, oldest first: who wants to send what\n"
	"to whom, and until when you can decide. What would be invisible in a text is\n"
	"written out, as \\u{202E}.\n"
	"\n"
	"  --after ID       only those with a higher number\n"
	"  --config FILE    the gateway's configuration; else, where it is there,\n"
	"                   " CONFIG_DEFAULT_PATH "\n"
	"  --state-dir DIR  where the gateway keeps its ledger\n"
	"  --json           as JSON: a line for each message, then how many there are\n"
	"  --help           this text\n"
	"\n"
	"The gateway may run. Exit codes: 0 listed; 1 could not; 2 wrong options.\n";

static const struct owner_option options[] = {
	{ .name = "after", .is_number = true },
	{ 0 },
};

static void show_item(const struct owner_call *call, const struct json *item)
{
	const char *sim = member_text(item, "sim");
	const char *send_at = member_text(item, "send_at");
	const char *client = member_text(item, "client");

	(void)call;
	printf("%s  %s wants to send %s SMS to %s from SIM %s%s%s%s\n",
	       member_text(item, "message_id"), *client ? client : "somebody",
	       member_text(item, "segments"), member_text(item, "phone_number"),
	       member_text(item, "subscription_id"), *sim ? " (" : "", sim,
	       *sim ? ")" : "");
	message_lines_print_text(member_text(item, "text"));
	printf("  since %s, until %s%s%s\n\n",
	       shown_time(member_text(item, "asked_at")).text,
	       shown_time(member_text(item, "until")).text,
	       *send_at ? "; not to go out before " : "", shown_time(send_at).text);
}

static int show(const struct owner_call *call, const struct json *result)
{
	(void)call;
	if (strcmp(member_text(result, "listed"), "0") == 0)
		puts("No message waits for you.");
	else if (strcmp(member_text(result, "more"), "0") == 0)
		puts("ofono-mcp approve ID..., or ofono-mcp reject ID... [REASON]");
	else
		printf("%s more: ofono-mcp approvals --after ID\n",
		       member_text(result, "more"));
	return EXIT_CODE_OK;
}

static int run_approvals(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "approvals",
		.help = help,
		.options = options,
		.show_item = show_item,
		.show = show,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_approvals = {
	.name = "approvals",
	.summary = "list the messages that wait for your yes",
	.run = run_approvals,
};
