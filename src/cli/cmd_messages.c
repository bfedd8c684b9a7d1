/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp send, list, show, wait, tail: the owner sends and reads messages. The
 * first four run the tools send_sms, list_sms, get_sms_status and wait_for_sms.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/json_field.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"
#include "tools/view.h"

#define MARK "\xef\xbb\xbf"

enum {
	WAIT_SECONDS = 120, /* the maximum of the tools */
	TEXT_MAX = 16 * 1024,
};

static const char cmd_messages_send_help[] =
	"Usage: " PROGRAM_NAME " send [OPTION]... NUMBER [TEXT]\n"
	"Send a text message. Without TEXT, it is read from standard input, without the\n"
	"last line feed; CR LF counts as a line feed. Each segment is billed.\n"
	"\n"
	"  --sim ID         from this SIM, as listed by \"" PROGRAM_NAME
	" status\"; needed if\n"
	"                   several can send\n"
	"  --at TIME        not before TIME, such as 2026-11-21T08:30:00+01:00\n"
	"  --wait WHAT      none: until it is on disk; sent (default): until the network\n"
	"                   accepted it; delivered: until a delivery report arrives; two\n"
	"                   minutes at most, after which sending goes on\n"
	"  --dry-run        send nothing; report the size, and what would refuse it\n" OPTIONS_STORE_HELP
	"  --json           as JSON: what send_sms returns to agents\n" OPTIONS_HELP_HELP
	"\n"
	"The gateway must run. What the configuration forbids to everybody also applies\n"
	"to you: the pause, [policy] and the limits of a SIM. Limits of clients do not.\n"
	"Exit codes: 0 sent, or accepted for sending; 1 it is not, or would not be;\n"
	"2 wrong options.\n";

static const char *const cmd_messages_send_waits[] = { "none", "sent", "delivered",
						       NULL };

static const struct owner_command_option cmd_messages_send_options[] = {
	{ .name = "sim",
	  .argument = "subscription_id",
	  .is_number = true,
	  .least = 1,
	  .most = OWNER_COMMAND_NUMBER_MAX },
	{ .name = "at", .argument = "send_at" },
	{ .name = "wait", .argument = "wait_for", .words = cmd_messages_send_waits },
	{ .name = "dry-run", .is_flag = true },
	{ 0 },
};

static const char *cmd_messages_check_send(const struct owner_command_call *call)
{
	if (call->operand_count > 2)
		return "too many arguments; put a text with spaces in quotes";
	if (!*call->operands[0])
		return "an argument is empty";
	if (call->operand_count == 1 && isatty(STDIN_FILENO))
		return "TEXT is missing";
	return NULL;
}

/*
 * Removes what editors add and nobody wrote: a byte order mark, CR before LF, the last
 * LF. Each would be billed, and a byte order mark alone forces the encoding UCS-2.
 * Returns the length.
 */
static size_t cmd_messages_trim_input(char *text, size_t length)
{
	size_t from = length >= strlen(MARK) && memcmp(text, MARK, strlen(MARK)) == 0
			      ? strlen(MARK)
			      : 0;
	size_t kept = 0;

	for (; from < length; from++) {
		if (text[from] != '\r' || from + 1 == length || text[from + 1] != '\n')
			text[kept++] = text[from];
	}
	return kept && text[kept - 1] == '\n' ? kept - 1 : kept;
}

/* Returns 0, or an exit code after reporting an error. */
static int cmd_messages_add_input(struct json_writer *arguments)
{
	char text[TEXT_MAX + 1];
	size_t length = fread(text, 1, sizeof(text), stdin);

	if (ferror(stdin))
		return options_fail("standard input cannot be read");
	if (length > TEXT_MAX)
		return options_fail("the text on standard input is too long for any SMS");
	length = cmd_messages_trim_input(text, length);
	if (!length)
		return options_fail("the text is missing: standard input is empty");
	if (memchr(text, '\0', length) || !utf8_valid(text, length))
		return options_fail("standard input is not UTF-8 text");
	json_key(arguments, "sms_text");
	json_write_text(arguments, text, length);
	return 0;
}

static int cmd_messages_add_send(const struct owner_command_call *call,
				 struct json_writer *arguments)
{
	const char *wait = owner_command_value(call, "wait");

	json_put_string(arguments, "to_phone_number", call->operands[0]);
	if (!wait || strcmp(wait, "none") != 0)
		json_put_integer(arguments, "wait_seconds", WAIT_SECONDS);
	if (call->operand_count == 1)
		return cmd_messages_add_input(arguments);
	json_put_string(arguments, "sms_text", call->operands[1]);
	return 0;
}

/* The warning goes to standard error, because the result may be JSON. */
static int cmd_messages_judge_send(const struct json *result)
{
	const char *risky = json_field_text(result, "risky_character");

	if (*risky)
		fprintf(stderr,
			PROGRAM_NAME
			" send: upstream oFono cannot encode emoji such as %s, "
			"and may refuse this text\n",
			risky);
	return json_field_is_true(result, "dry_run") &&
			       !json_field_is_true(result, "would_send")
		       ? EXIT_CODE_FAILED
		       : EXIT_CODE_OK;
}

static void cmd_messages_print_segments(const struct json *result)
{
	const char *count = json_field_text(result, "segments");

	printf("%s segment%s (%s)", count, strcmp(count, "1") == 0 ? "" : "s",
	       json_field_text(result, "encoding"));
}

static int cmd_messages_print_dry_run(const struct json *result)
{
	const char *first = json_field_text(result, "repeats_message_id");
	const struct json *refusals = json_field_list(result, "refusals");
	bool would = json_field_is_true(result, "would_send");

	printf("%s%s%s: ", terminal_colour_on(would ? COLOUR_GOOD : COLOUR_BAD),
	       would ? "It would be sent" : "It would not be sent",
	       terminal_colour_off());
	cmd_messages_print_segments(result);
	if (would)
		printf(", %s more characters fit", json_field_text(result, "units_left"));
	puts(".");
	if (*first)
		printf("It repeats message %s.\n", first);
	json_foreach (refusal, refusals)
		printf("%s: %s\n", json_field_text(refusal, "code"),
		       json_field_text(refusal, "message"));
	return cmd_messages_judge_send(result);
}

static int cmd_messages_print_sent(const struct owner_command_call *call,
				   const struct json *result)
{
	const char *state = json_field_text(result, "state");
	bool is_out = strcmp(state, "sent") == 0 || strcmp(state, "delivered") == 0;

	if (json_field_is_true(result, "dry_run"))
		return cmd_messages_print_dry_run(result);
	if (json_field_is_true(result, "duplicate"))
		fputs("The same message was sent just before, so no new one was sent. ",
		      stdout);
	printf("Message %s to %s: %s%s%s, ", json_field_text(result, "message_id"),
	       json_field_text(result, "to_phone_number"),
	       terminal_colour_on(is_out ? COLOUR_GOOD : COLOUR_WARNING), state,
	       terminal_colour_off());
	cmd_messages_print_segments(result);
	puts(".");
	if (json_field_is_true(result, "duplicate"))
		puts("To send it again, change the text or wait until duplicate_seconds "
		     "of the configuration have passed.");
	if (!is_out)
		printf("It is accepted for sending. To check it: " PROGRAM_NAME
		       " show %s\n",
		       json_field_text(result, "message_id"));
	return EXIT_CODE_OK;
}

const struct command cmd_send = {
	.name = "send",
	.group = COMMAND_MESSAGES,
	.summary = "send a text message",
	.example = "send --wait delivered +36201234567 \"On my way\"",
	.owner = {
		.help = cmd_messages_send_help,
		.options = cmd_messages_send_options,
		.takes_operands = true,
		.check = cmd_messages_check_send,
		.add = cmd_messages_add_send,
		.print = cmd_messages_print_sent,
		.judge = cmd_messages_judge_send,
		.waiting_for = "sending",
		.fix_if_lost = "The message may have been accepted: check with " PROGRAM_NAME " list --out before you send it again",
	},
};

/* Reading messages */

/* list */

static const char cmd_messages_list_help[] =
	"Usage: " PROGRAM_NAME " list [OPTION]...\n"
	"List messages, newest first, with their IDs. This marks nothing as read.\n"
	"\n"
	"  --number N       only those to or from this phone number or sender name\n"
	"  --search TEXT    only those that contain these words\n"
	"  --unread         only incoming ones not marked as read\n"
	"  --in             only incoming ones\n"
	"  --out            only outgoing ones\n"
	"  --limit N        at most N (default 20, maximum 100)\n"
	"  --cursor TEXT    the next page: the cursor from the previous page, with the\n"
	"                   same options; in JSON it is next_cursor\n" OPTIONS_STORE_HELP
	"  --json           as a JSON object, as list_sms returns "
	"agents\n" OPTIONS_HELP_HELP "\n"
	"The gateway must run. Exit codes: 0 listed; 1 failed; 2 wrong options.\n";

static const struct owner_command_option cmd_messages_list_options[] = {
	{ .name = "number", .argument = "phone_number", .may_be_empty = true },
	{ .name = "search" },
	{ .name = "unread", .argument = "unread_only", .is_flag = true },
	{ .name = "in", .is_flag = true, .is_local = true },
	{ .name = "out", .is_flag = true, .is_local = true },
	{ .name = "limit", .is_number = true, .least = 1, .most = PAGE_LIMIT_MAX },
	{ .name = "cursor" },
	{ 0 },
};

static const char *cmd_messages_check_list(const struct owner_command_call *call)
{
	return owner_command_value(call, "in") && owner_command_value(call, "out")
		       ? "--in and --out exclude each other"
		       : NULL;
}

static int cmd_messages_add_list(const struct owner_command_call *call,
				 struct json_writer *arguments)
{
	if (owner_command_value(call, "in"))
		json_put_string(arguments, "direction", "in");
	if (owner_command_value(call, "out"))
		json_put_string(arguments, "direction", "out");
	return 0;
}

static bool cmd_messages_list_is_unfiltered(const struct owner_command_call *call)
{
	static const char *const filters[] = { "number", "search", "unread",
					       "in",	 "out",	   "cursor" };

	for (size_t at = 0; at < sizeof(filters) / sizeof(filters[0]); at++) {
		if (owner_command_value(call, filters[at]))
			return false;
	}
	return true;
}

static int cmd_messages_print_list(const struct owner_command_call *call,
				   const struct json *result)
{
	const struct json *messages = json_field_list(result, "messages");

	if (!messages->count)
		puts(cmd_messages_list_is_unfiltered(call) ? "There are no messages yet."
							   : "There is no such message.");
	json_foreach (message, messages) {
		if (message != messages->first)
			putchar('\n');
		message_lines_print(message, result);
	}
	json_foreach (gap, json_field_list(result, "gaps")) {
		const char *until = json_field_text(gap, "until");

		printf("\n"
		       "From %s until %s the gateway could not receive (%s).\n",
		       terminal_time(json_field_text(gap, "from")).text,
		       *until ? terminal_time(until).text : "now",
		       json_field_text(gap, "reason"));
	}
	if (json_member(result, "next_cursor"))
		printf("\n"
		       "For the next page, use the same options and --cursor %s\n",
		       json_field_text(result, "next_cursor"));
	return EXIT_CODE_OK;
}

const struct command cmd_list = {
	.name = "list",
	.group = COMMAND_MESSAGES,
	.summary = "list messages",
	.example = "list --unread --limit 5",
	.owner = {
		.help = cmd_messages_list_help,
		.options = cmd_messages_list_options,
		.check = cmd_messages_check_list,
		.add = cmd_messages_add_list,
		.print = cmd_messages_print_list,
		.waiting_for = "searching the messages",
	},
};

/* show */

static const char cmd_messages_show_help[] =
	"Usage: " PROGRAM_NAME " show [OPTION]... ID\n"
	"Show a message, its state, and the history of its states.\n"
	"\n" OPTIONS_STORE_HELP
	"  --json           as JSON: a line with the message, then one with what\n"
	"                   get_sms_status returns to agents\n" OPTIONS_HELP_HELP "\n"
	"The gateway must run. Exit codes: 0 shown; 1 failed; 2 wrong options.\n";

/* An item is a line with a message. */
static void cmd_messages_print_item(const struct owner_command_call *call,
				    const struct json *item)
{
	message_lines_print(json_member(item, "message"), NULL);
}

static int cmd_messages_add_show(const struct owner_command_call *call,
				 struct json_writer *arguments)
{
	json_put_boolean(arguments, "history", true);
	return 0;
}

static int cmd_messages_print_history(const struct owner_command_call *call,
				      const struct json *result)
{
	printf("\n%s\n", json_field_text(result, "meaning"));
	json_foreach (change, json_field_list(result, "changes")) {
		const char *reason = json_field_text(change, "reason");
		const char *note = json_field_text(change, "note");

		printf("  %s  %s%s%s%s\n",
		       terminal_time(json_field_text(change, "at")).text,
		       json_field_text(change, "state"), *reason ? " (" : "", reason,
		       *reason ? ")" : "");
		if (*note)
			message_lines_print_text(note);
	}
	return EXIT_CODE_OK;
}

const struct command cmd_show = {
	.name = "show",
	.group = COMMAND_MESSAGES,
	.summary = "show a message and its history",
	.example = "show 12",
	.owner = {
		.help = cmd_messages_show_help,
		.operand = "message_id",
		.operand_is_number = true,
		.add = cmd_messages_add_show,
		.print_item = cmd_messages_print_item,
		.print = cmd_messages_print_history,
	},
};

/* wait */

static const char cmd_messages_wait_help[] =
	"Usage: " PROGRAM_NAME " wait [OPTION]...\n"
	"Wait for the next incoming message, and show it with the one-time code or link\n"
	"in it. This marks nothing as read.\n"
	"\n"
	"  --from N         only from this phone number or sender name\n"
	"  --contains TEXT  only if it contains these words\n"
	"  --timeout S      wait S seconds at most (default 30, maximum "
	"120)\n" OPTIONS_STORE_HELP "  --json           as a JSON object: what "
	"wait_for_sms returns to agents\n" OPTIONS_HELP_HELP "\n"
	"The gateway must run. Exit codes: 0 it arrived; 1 it did not; 2 wrong options.\n";

static const struct owner_command_option cmd_messages_wait_options[] = {
	{ .name = "from" },
	{ .name = "contains" },
	{ .name = "timeout",
	  .argument = "timeout_seconds",
	  .is_number = true,
	  .least = 1,
	  .most = WAIT_SECONDS },
	{ 0 },
};

static int cmd_messages_judge_wait(const struct json *result)
{
	return json_field_is_true(result, "found") ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}

static void cmd_messages_print_extract(const struct json *result, const char *name)
{
	const char *word = json_field_text(result, name);

	if (*word)
		printf("  %s: %s\n", name, word);
}

static int cmd_messages_print_received(const struct owner_command_call *call,
				       const struct json *result)
{
	if (json_field_is_true(result, "found")) {
		message_lines_print(json_member(result, "message"), NULL);
		cmd_messages_print_extract(result, "code");
		cmd_messages_print_extract(result, "link");
	} else {
		options_print_name();
		fputs("no matching message arrived\n", stderr);
	}
	return cmd_messages_judge_wait(result);
}

const struct command cmd_wait = {
	.name = "wait",
	.group = COMMAND_MESSAGES,
	.summary = "wait for an incoming message",
	.example = "wait --from +36201234567 --timeout 60",
	.owner = {
		.help = cmd_messages_wait_help,
		.options = cmd_messages_wait_options,
		.print = cmd_messages_print_received,
		.judge = cmd_messages_judge_wait,
		.waiting_for = "waiting for a message",
	},
};

/* tail */

static const char cmd_messages_tail_help[] =
	"Usage: " PROGRAM_NAME " tail [OPTION]...\n"
	"Show each incoming message, and each change of an outgoing one, until Ctrl-C.\n"
	"\n" OPTIONS_STORE_HELP
	"  --json           as JSON: one line per message or change\n" OPTIONS_HELP_HELP
	"\n"
	"The gateway must run; it allows four at a time.\n"
	"Exit codes: 1 the gateway stopped, or it failed; 2 wrong options.\n";

const struct command cmd_tail = {
	.name = "tail",
	.group = COMMAND_MESSAGES,
	.summary = "follow incoming and outgoing messages",
	.example = "tail",
	.owner = {
		.help = cmd_messages_tail_help,
		.print_item = cmd_messages_print_item,
		.waiting_for = "following the messages; Ctrl-C ends it",
		.is_endless = true,
	},
};

/* contacts */

static const char cmd_messages_contacts_help[] =
	"Usage: " PROGRAM_NAME " contacts [OPTION]... [NAME]\n"
	"List the contacts from the owner's file, the owner's desktop and SIM cards;\n"
	"with NAME, those whose names contain its words.\n"
	"\n"
	"  --number N       only the contact with this phone number, in any format\n"
	"  --limit N        at most N (default 20, maximum 100)\n"
	"  --cursor TEXT    the next page: the cursor from the previous page, with the\n"
	"                   same options; in JSON it is next_cursor\n" OPTIONS_STORE_HELP
	"  --json           as a JSON object: what find_contact gives "
	"agents\n" OPTIONS_HELP_HELP "\n"
	"The gateway must run. Exit codes: 0 listed; 1 failed; 2 wrong options.\n";

static const struct owner_command_option cmd_messages_contacts_options[] = {
	{ .name = "number", .argument = "phone_number" },
	{ .name = "limit", .is_number = true, .least = 1, .most = PAGE_LIMIT_MAX },
	{ .name = "cursor" },
	{ 0 },
};

/* Prints "Anna Kovacs  +36201234567, 0611112222  (SIM 1)", or (file) or (desktop) */
static void cmd_messages_print_contact(const struct json *contact)
{
	const char *sim = json_field_text(contact, "subscription_id");
	const struct json *numbers = json_field_list(contact, "phone_numbers");

	printf("%s  ", json_field_text(contact, "name"));
	json_foreach (number, numbers)
		printf("%s%s", number == numbers->first ? "" : ", ", json_string(number));
	printf("  (%s%s)\n", *sim ? "SIM " : json_field_text(contact, "source"), sim);
}

static int cmd_messages_print_contacts(const struct owner_command_call *call,
				       const struct json *result)
{
	const struct json *contacts = json_field_list(result, "contacts");

	if (!contacts->count && !call->operand && !owner_command_value(call, "number"))
		puts("There are no contacts, neither on a SIM card nor in a file ([contacts] file),\n"
		     "and the desktop sent none.");
	else if (!contacts->count)
		puts("There is no such contact.");
	json_foreach (contact, contacts)
		cmd_messages_print_contact(contact);
	if (json_field_is_true(result, "incomplete"))
		puts("\n"
		     "Some are left out: the file, the desktop or a SIM card has more than is kept.\n"
		     "For details, run " PROGRAM_NAME " doctor");
	if (json_member(result, "next_cursor"))
		printf("\n"
		       "For the next page, use the same options and --cursor %s\n",
		       json_field_text(result, "next_cursor"));
	return EXIT_CODE_OK;
}

const struct command cmd_contacts = {
	.name = "contacts",
	.group = COMMAND_MESSAGES,
	.summary = "list the contacts",
	.example = "contacts anna",
	.owner = {
		.help = cmd_messages_contacts_help,
		.options = cmd_messages_contacts_options,
		.operand = "name",
		.operand_is_optional = true,
		.print = cmd_messages_print_contacts,
	},
};
