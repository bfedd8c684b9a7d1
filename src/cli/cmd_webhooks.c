/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp webhook: where agents have events posted, what the owner approved, and an end to it.
 */
#include <stdio.h>
#include <string.h>

#include "cli/json_field.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"

static const char cmd_webhooks_help[] =
	"Usage: " PROGRAM_NAME " webhook [OPTION]... [list]\n"
	"       " PROGRAM_NAME " webhook [OPTION]... revoke ID\n"
	"List the webhooks of your agents: which events are posted to which server,\n"
	"until when, and whether that works; then the servers that you approved. Or\n"
	"revoke at once: a webhook (sub_...) and its approval, or an approval (w1) and\n"
	"all webhooks that need it.\n"
	"\n" OPTIONS_STORE_HELP "  --json           as JSON: one line per webhook or "
	"approval, then the numbers\n" OPTIONS_HELP_HELP "\n"
	"The gateway may run. To approve a server: " PROGRAM_NAME " approvals.\n"
	"Exit codes: 0 listed or revoked; 1 failed; 2 wrong options.\n";

static const char *cmd_webhooks_check(const struct owner_command_call *call)
{
	bool is_list = !call->operand_count || strcmp(call->operands[0], "list") == 0;

	if (is_list)
		return call->operand_count > 1 ? "list takes no ID" : NULL;
	if (strcmp(call->operands[0], "revoke") != 0)
		return "the argument is list or revoke";
	if (call->operand_count < 2)
		return "ID is missing";
	return call->operand_count == 2 ? NULL : "revoke takes one ID";
}

static int cmd_webhooks_add(const struct owner_command_call *call,
			    struct json_writer *writer)
{
	if (call->operand_count == 2)
		json_put_string(writer, "revoke", call->operands[1]);
	return 0;
}

static void cmd_webhooks_print_filter(const char *filter)
{
	if (strcmp(filter, "{}") != 0)
		printf(", only %s", filter);
}

static void cmd_webhooks_print_approval(const struct json *item)
{
	printf("%s  approved: %s events of %s to %s",
	       json_field_text(item, "approval_id"), json_field_text(item, "type"),
	       json_field_text(item, "client"), json_field_text(item, "receiver"));
	cmd_webhooks_print_filter(json_field_text(item, "filter"));
	printf(", %s the texts\n\n",
	       json_field_is_true(item, "include_text") ? "with" : "without");
}

static void cmd_webhooks_print_trouble(const struct json *item)
{
	const char *error = json_field_text(item, "last_error");
	const char *next = json_field_text(item, "next_attempt");

	if (!*error)
		return;
	printf("  failing since %s (%s)%s%s\n",
	       terminal_time(json_field_text(item, "failing_since")).text, error,
	       *next ? "; next attempt " : "", *next ? terminal_when(next).text : "");
}

static void cmd_webhooks_print_item(const struct owner_command_call *call,
				    const struct json *item)
{
	const char *delivered = json_field_text(item, "delivered_at");

	if (*json_field_text(item, "approval_id")) {
		cmd_webhooks_print_approval(item);
		return;
	}
	printf("%s  %s events of %s to %s", json_field_text(item, "id"),
	       json_field_text(item, "type"), json_field_text(item, "client"),
	       json_field_text(item, "receiver"));
	cmd_webhooks_print_filter(json_field_text(item, "arguments"));
	printf("\n  %s; until %s; last delivery %s\n", json_field_text(item, "state"),
	       terminal_time(json_field_text(item, "until")).text,
	       *delivered ? terminal_time(delivered).text : "never");
	cmd_webhooks_print_trouble(item);
	putchar('\n');
}

static int cmd_webhooks_print(const struct owner_command_call *call,
			      const struct json *result)
{
	const char *revoked = json_field_text(result, "revoked");
	const char *held = json_field_text(result, "held");

	if (*revoked)
		printf("%s is revoked.\n", revoked);
	else if (strcmp(json_field_text(result, "subscriptions"), "0") == 0)
		puts("No agent has a webhook.");
	if (*held)
		printf("Nothing is delivered now: %s.\n", held);
	if (*revoked && strcmp(json_field_text(result, "approvals"), "0") == 0)
		puts("It needed no approval, because [events] "
		     "receivers lists its server. So that the\nagent "
		     "cannot subscribe again, remove it there.");
	return EXIT_CODE_OK;
}

const struct command cmd_webhooks = {
	.name = "webhooks",
	.title = "webhook",
	.verbs = "list|revoke",
	.group = COMMAND_AGENTS,
	.summary = "list the webhooks of agents, or revoke one",
	.example = "webhook revoke w1",
	.owner = {
		.help = cmd_webhooks_help,
		.takes_operands = true,
		.operand_is_optional = true,
		.check = cmd_webhooks_check,
		.add = cmd_webhooks_add,
		.print_item = cmd_webhooks_print_item,
		.print = cmd_webhooks_print,
	},
};
