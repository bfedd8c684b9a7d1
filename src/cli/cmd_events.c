/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp events: what happened, as agents learn it by events/poll or a webhook.
 */
#include <stdio.h>
#include <string.h>

#include "cli/json_field.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"
#include "tools/view.h"

static const char cmd_events_help[] =
	"Usage: " PROGRAM_NAME " events [OPTION]...\n"
	"List the newest events, oldest first, with the IDs that agents and receivers of\n"
	"webhooks get, and without message texts. The filter of each agent decides which\n"
	"of them wake it: " PROGRAM_NAME " webhook.\n"
	"\n"
	"  --type TYPE      only these, such as sms.received\n"
	"  --limit N        at most N (default 20, maximum 100)\n"
	"  --follow         then show each new event, until Ctrl-C\n" OPTIONS_STORE_HELP
	"  --json           as JSON: one line per event, then their "
	"number\n" OPTIONS_HELP_HELP "\n"
	"The gateway must run; it allows four programs that follow at a time.\n"
	"Exit codes: 0 listed; 1 failed; 2 wrong options.\n";

static const struct owner_command_option cmd_events_options[] = {
	{ .name = "type" },
	{ .name = "limit", .is_number = true, .least = 1, .most = PAGE_LIMIT_MAX },
	{ .name = OWNER_COMMAND_FOLLOW, .is_flag = true },
	{ 0 },
};

/* Prints "message_id 17, from +36201234567"; lists and objects are for --json. */
static void cmd_events_print_data(const struct json *data)
{
	const char *comma = "  ";

	for (const struct json *member = data ? data->first : NULL; member;
	     member = member->next) {
		bool is_true = member->type == JSON_BOOLEAN && member->boolean;

		if (!is_true && member->type != JSON_STRING &&
		    member->type != JSON_NUMBER)
			continue;
		printf("%s%s", comma, member->name);
		if (!is_true) {
			putchar(' ');
			terminal_print_escaped(stdout, member->text);
		}
		comma = ", ";
	}
}

static void cmd_events_print_item(const struct owner_command_call *call,
				  const struct json *item)
{
	printf("%s  %s  %s", terminal_time(json_field_text(item, "timestamp")).text,
	       json_field_text(item, "eventId"), json_field_text(item, "name"));
	cmd_events_print_data(json_member(item, "data"));
	putchar('\n');
}

static int cmd_events_print(const struct owner_command_call *call,
			    const struct json *result)
{
	if (strcmp(json_field_text(result, "listed"), "0") == 0)
		puts("There are no such events.");
	return EXIT_CODE_OK;
}

const struct command cmd_events = {
	.name = "events",
	.group = COMMAND_AGENTS,
	.summary = "list the newest events that agents can get",
	.example = "events --type sms.received --limit 5",
	.owner = {
		.help = cmd_events_help,
		.options = cmd_events_options,
		.print_item = cmd_events_print_item,
		.print = cmd_events_print,
	},
};
