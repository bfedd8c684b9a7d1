/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp list, show, wait, tail: the owner reads messages. The first three are the tools
 * list_sms, get_sms_status and wait_for_sms.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/member.h"
#include "cli/message_lines.h"
#include "cli/owner_command.h"
#include "cli/shown_time.h"

#define COMMON_HELP                                                                  \
	"  --config FILE    the gateway's configuration; else, where it is there,\n" \
	"                   " CONFIG_DEFAULT_PATH "\n"                               \
	"  --state-dir DIR  where the gateway keeps its ledger\n"

/* list */

static const char list_help[] =
	"Usage: ofono-mcp list [OPTION]...\n"
	"List messages, newest first, with the number of each. It marks nothing as "
	"read.\n"
	"\n"
	"  --number N       only those with this number, or of this sender's name\n"
	"  --search TEXT    only those with these words in them\n"
	"  --unread         only those that came in and are not marked as read\n"
	"  --in             only those that came in\n"
	"  --out            only those sent from here\n"
	"  --limit N        at most N, 20 when left out, 100 at most\n"
	"  --cursor TEXT    the next page: the cursor that the page before told, with "
	"the\n"
	"                   same options; in JSON it is next_cursor\n" COMMON_HELP
	"  --json           as a JSON object: what list_sms tells agents\n"
	"  --help           this text\n"
	"\n"
	"The gateway must run. Exit codes: 0 listed; 1 could not; 2 wrong options.\n";

static const struct owner_option list_options[] = {
	{ .name = "number", .argument = "phone_number" },
	{ .name = "search" },
	{ .name = "unread", .argument = "unread_only", .is_flag = true },
	{ .name = "in", .is_flag = true, .is_local = true },
	{ .name = "out", .is_flag = true, .is_local = true },
	{ .name = "limit", .is_number = true, .least = 1, .most = 100 },
	{ .name = "cursor" },
	{ 0 },
};

static const char *list_flaw(const struct owner_call *call)
{
	bool in = owner_call_value(call, "in");

	return in && owner_call_value(call, "out") ? "--in and --out exclude each other"
						   : NULL;
}

static int list_add(const struct owner_call *call, struct json_writer *arguments)
{
	if (owner_call_value(call, "in"))
		json_put_string(arguments, "direction", "in");
	if (owner_call_value(call, "out"))
		json_put_string(arguments, "direction", "out");
	return 0;
}

static bool list_takes_all(const struct owner_call *call)
{
	static const char *const filters[] = { "number", "search", "unread",
					       "in",	 "out",	   "cursor" };

	for (size_t at = 0; at < sizeof(filters) / sizeof(filters[0]); at++) {
		if (owner_call_value(call, filters[at]))
			return false;
	}
	return true;
}

static int list_show(const struct owner_call *call, const struct json *result)
{
	const struct json *messages = member_list(result, "messages");

	if (!messages->count)
		puts(list_takes_all(call) ? "There is no message yet."
					  : "There is no such message.");
	json_foreach (message, messages) {
		if (message != messages->first)
			putchar('\n');
		message_lines_print(message);
	}
	json_foreach (gap, member_list(result, "gaps")) {
		const char *until = member_text(gap, "until");

		printf("\nFrom %s until %s the gateway could not hear (%s).\n",
		       shown_time(member_text(gap, "from")).text,
		       *until ? shown_time(until).text : "now",
		       member_text(gap, "reason"));
	}
	if (json_member(result, "next_cursor"))
		printf("\nThere are more: with the same options and --cursor %s\n",
		       member_text(result, "next_cursor"));
	return EXIT_CODE_OK;
}

static int run_list(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "list",
		.help = list_help,
		.options = list_options,
		.flaw = list_flaw,
		.add = list_add,
		.show = list_show,
		.meanwhile = "looking through the messages",
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_list = {
	.name = "list",
	.summary = "list messages",
	.run = run_list,
};

/* show */

static const char show_help[] =
	"Usage: ofono-mcp show [OPTION]... ID\n"
	"Show the message with the number ID, where it is, and how it came there.\n"
	"\n" COMMON_HELP
	"  --json           as JSON: a line with the message, then one with what\n"
	"                   get_sms_status tells agents\n"
	"  --help           this text\n"
	"\n"
	"The gateway must run. Exit codes: 0 shown; 1 could not; 2 wrong options.\n";

/* A message on a line of its own. */
static void show_message(const struct owner_call *call, const struct json *item)
{
	(void)call;
	message_lines_print(json_member(item, "message"));
}

static int show_show(const struct owner_call *call, const struct json *result)
{
	(void)call;
	printf("\n%s\n", member_text(result, "meaning"));
	json_foreach (change, member_list(result, "changes")) {
		const char *reason = member_text(change, "reason");
		const char *note = member_text(change, "note");

		printf("  %s  %s%s%s%s\n", shown_time(member_text(change, "at")).text,
		       member_text(change, "state"), *reason ? " (" : "", reason,
		       *reason ? ")" : "");
		if (*note)
			message_lines_print_text(note);
	}
	return EXIT_CODE_OK;
}

static int run_show(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "show",
		.help = show_help,
		.operand = "message_id",
		.operand_is_number = true,
		.show_item = show_message,
		.show = show_show,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_show = {
	.name = "show",
	.summary = "show a message and what became of it",
	.run = run_show,
};

/* wait */

static const char wait_help[] =
	"Usage: ofono-mcp wait [OPTION]...\n"
	"Wait for the next message that comes in, and show it with the one-time code or\n"
	"link in it. It marks nothing as read.\n"
	"\n"
	"  --from N         only one from this number, or this sender's name\n"
	"  --contains TEXT  only one with these words in it\n"
	"  --timeout S      for S seconds at most, 30 when left out, 120 at "
	"most\n" COMMON_HELP
	"  --json           as a JSON object: what wait_for_sms tells agents\n"
	"  --help           this text\n"
	"\n"
	"The gateway must run. Exit codes: 0 it came; 1 it did not; 2 wrong options.\n";

static const struct owner_option wait_options[] = {
	{ .name = "from" },
	{ .name = "contains" },
	{ .name = "timeout",
	  .argument = "timeout_seconds",
	  .is_number = true,
	  .least = 1,
	  .most = 120 },
	{ 0 },
};

static int wait_judge(const struct json *result)
{
	return member_is_true(result, "found") ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}

static void print_word(const struct json *result, const char *name)
{
	const char *word = member_text(result, name);

	if (*word)
		printf("  %s: %s\n", name, word);
}

static int wait_show(const struct owner_call *call, const struct json *result)
{
	(void)call;
	if (member_is_true(result, "found")) {
		message_lines_print(json_member(result, "message"));
		print_word(result, "code");
		print_word(result, "link");
	} else {
		fputs("ofono-mcp wait: no message that fits came\n", stderr);
	}
	return wait_judge(result);
}

static int run_wait(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "wait",
		.help = wait_help,
		.options = wait_options,
		.show = wait_show,
		.judge = wait_judge,
		.meanwhile = "waiting for a message",
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_wait = {
	.name = "wait",
	.summary = "wait for a message that comes in",
	.run = run_wait,
};

/* tail */

static const char tail_help[] =
	"Usage: ofono-mcp tail [OPTION]...\n"
	"Show each message that comes in, and each change of one that goes out, until\n"
	"Ctrl-C.\n"
	"\n" COMMON_HELP "  --json           as JSON: a line with the message each time\n"
	"  --help           this text\n"
	"\n"
	"The gateway must run; four can follow it at a time.\n"
	"Exit codes: 1 the gateway ended, or it could not; 2 wrong options.\n";

/* It has no end but an error. */
static int tail_show(const struct owner_call *call, const struct json *result)
{
	(void)call;
	(void)result;
	return EXIT_CODE_OK;
}

static int run_tail(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "tail",
		.help = tail_help,
		.show_item = show_message,
		.show = tail_show,
		.meanwhile = "following the messages; Ctrl-C ends it",
		.is_endless = true,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_tail = {
	.name = "tail",
	.summary = "follow what comes in and goes out",
	.run = run_tail,
};
