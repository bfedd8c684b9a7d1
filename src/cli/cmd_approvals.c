/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp approvals, approve, reject: the messages that wait for the owner's
 * approval.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/json_field.h"
#include "cli/message_lines.h"
#include "cli/options.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"

static const char cmd_approvals_help[] =
	"Usage: ofono-mcp approvals [OPTION]...\n"
	"List the messages that wait for your approval, oldest first: which agent wants\n"
	"to send what to whom, and until when you can decide. Invisible characters in a\n"
	"text are escaped, as in \\u{202E}.\n"
	"\n"
	"  --after ID       only messages with a higher ID\n" OPTIONS_STORE_HELP
	"  --json           as JSON: one line per message, then the number of "
	"messages\n" OPTIONS_HELP_HELP "\n"
	"The gateway may run. Exit codes: 0 listed; 1 failed; 2 wrong options.\n";

static const struct owner_command_option cmd_approvals_options[] = {
	{ .name = "after", .is_number = true },
	{ 0 },
};

static void cmd_approvals_print_item(const struct owner_command_call *call,
				     const struct json *item)
{
	const char *sim = json_field_text(item, "sim");
	const char *send_at = json_field_text(item, "send_at");
	const char *client = json_field_text(item, "client");

	(void)call;
	printf("%s  %s wants to send %s SMS to %s from SIM %s%s%s%s\n",
	       json_field_text(item, "message_id"), *client ? client : "somebody",
	       json_field_text(item, "segments"), json_field_text(item, "phone_number"),
	       json_field_text(item, "subscription_id"), *sim ? " (" : "", sim,
	       *sim ? ")" : "");
	message_lines_print_text(json_field_text(item, "text"));
	printf("  since %s, until %s%s%s\n\n",
	       terminal_time(json_field_text(item, "asked_at")).text,
	       terminal_time(json_field_text(item, "until")).text,
	       *send_at ? "; scheduled for " : "", terminal_time(send_at).text);
}

static int cmd_approvals_print_summary(const struct owner_command_call *call,
				       const struct json *result)
{
	(void)call;
	if (strcmp(json_field_text(result, "listed"), "0") == 0)
		puts("No message is waiting for your approval.");
	else if (strcmp(json_field_text(result, "more"), "0") == 0)
		puts("To decide: ofono-mcp approve ID..., or ofono-mcp reject ID... "
		     "[REASON]");
	else
		printf("%s more: ofono-mcp approvals --after ID\n",
		       json_field_text(result, "more"));
	return EXIT_CODE_OK;
}

static int cmd_approvals_run(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "approvals",
		.help = cmd_approvals_help,
		.options = cmd_approvals_options,
		.print_item = cmd_approvals_print_item,
		.print = cmd_approvals_print_summary,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command cmd_approvals = {
	.name = "approvals",
	.summary = "list the messages that wait for your approval",
	.run = cmd_approvals_run,
};

/* approve, reject */

#define APPROVALS_OPTIONS_HELP \
	OPTIONS_STORE_HELP     \
	"  --json           as JSON: one line per message\n" OPTIONS_HELP_HELP "\n"

static const char cmd_approvals_approve_help[] =
	"Usage: ofono-mcp approve [OPTION]... ID...\n"
	"Approve messages that wait for it, by their IDs in ofono-mcp approvals. An\n"
	"approval covers exactly that number, text and SIM, once, and is valid for ten\n"
	"minutes.\n"
	"\n" APPROVALS_OPTIONS_HELP "The gateway must run. Exit codes: 0 all approved; 1 "
	"at least one was not, or the\n"
	"gateway is not running; 2 wrong options.\n";

static const char cmd_approvals_reject_help[] =
	"Usage: ofono-mcp reject [OPTION]... ID... [REASON]\n"
	"Reject messages that wait for your approval, by their IDs in ofono-mcp\n"
	"approvals. The agent is told REASON.\n"
	"\n" APPROVALS_OPTIONS_HELP "The gateway must run. Exit codes: 0 all rejected; 1 "
	"at least one was not, or the\n"
	"gateway is not running; 2 wrong options.\n";

/* False: not an ID. */
static bool cmd_approvals_read_id(const char *text, int64_t *id_out)
{
	char *end;
	long long id;

	errno = 0;
	id = strtoll(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno)
		return false;
	*id_out = id;
	return true;
}

static bool cmd_approvals_is_reject(const struct owner_command_call *call)
{
	return strcmp(call->command->name, "reject") == 0;
}

/* The last operand is the reason, unless it is a number. */
static int cmd_approvals_count_ids(const struct owner_command_call *call)
{
	int count = 0;
	int64_t id;

	while (count < call->operand_count &&
	       cmd_approvals_read_id(call->operands[count], &id))
		count++;
	return count;
}

static const char *cmd_approvals_check(const struct owner_command_call *call)
{
	int rest = call->operand_count - cmd_approvals_count_ids(call);

	if (rest == call->operand_count)
		return "give the ID of a message first";
	if (rest && !cmd_approvals_is_reject(call))
		return "that is not a message ID";
	return rest > 1 ? "the reason is one argument, the last one: put it in quotes"
			: NULL;
}

static int cmd_approvals_add_arguments(const struct owner_command_call *call,
				       struct json_writer *writer)
{
	int count = cmd_approvals_count_ids(call);

	json_key(writer, "message_ids");
	json_open_array(writer);
	for (int i = 0; i < count; i++) {
		int64_t id = 0;

		cmd_approvals_read_id(call->operands[i], &id);
		json_write_integer(writer, id);
	}
	json_close_array(writer);
	if (count < call->operand_count)
		json_put_string(writer, "reason", call->operands[count]);
	return 0;
}

static void cmd_approvals_print_decision(const struct owner_command_call *call,
					 const struct json *item)
{
	const char *why = json_field_text(item, "why");
	const char *done = cmd_approvals_is_reject(call) ? "rejected" : "approved";

	if (*why)
		printf("Message %s was not %s: %s.\n",
		       json_field_text(item, "message_id"), done, why);
	else
		printf("Message %s to %s is %s, and now %s.\n",
		       json_field_text(item, "message_id"),
		       json_field_text(item, "phone_number"), done,
		       json_field_text(item, "state"));
}

static int cmd_approvals_run_decision(const char *name, const char *help, int argc,
				      char **argv)
{
	const struct owner_command command = {
		.name = name,
		.help = help,
		.takes_operands = true,
		.check = cmd_approvals_check,
		.add = cmd_approvals_add_arguments,
		.print_item = cmd_approvals_print_decision,
	};

	return owner_command_run(&command, argc, argv);
}

static int cmd_approvals_run_approve(int argc, char **argv)
{
	return cmd_approvals_run_decision("approve", cmd_approvals_approve_help, argc,
					  argv);
}

static int cmd_approvals_run_reject(int argc, char **argv)
{
	return cmd_approvals_run_decision("reject", cmd_approvals_reject_help, argc,
					  argv);
}

const struct command cmd_approve = {
	.name = "approve",
	.summary = "approve a message that waits for it",
	.run = cmd_approvals_run_approve,
};

const struct command cmd_reject = {
	.name = "reject",
	.summary = "reject a message that waits for your approval",
	.run = cmd_approvals_run_reject,
};
