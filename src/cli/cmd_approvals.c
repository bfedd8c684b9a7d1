/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp approvals, approve, reject: the messages that wait for the owner's approval, and
 * the receivers of webhooks, whose IDs begin with w.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_field.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"

static const char cmd_approvals_help[] =
	"Usage: " PROGRAM_NAME " approvals [OPTION]...\n"
	"List what waits for your approval, oldest first: which agent wants to send\n"
	"what message to whom, and until when you can decide; then to which servers\n"
	"agents want events to be posted (webhooks), of which type and with what\n"
	"filter. Invisible characters in a text are escaped, as in \\u{202E}.\n"
	"\n"
	"  --after ID       only messages with a higher ID\n" OPTIONS_STORE_HELP
	"  --json           as JSON: one line per message, then the number of "
	"messages\n" OPTIONS_HELP_HELP "\n"
	"The gateway may run. Exit codes: 0 listed; 1 failed; 2 wrong options.\n";

static const struct owner_command_option cmd_approvals_options[] = {
	{ .name = "after", .is_number = true },
	{ 0 },
};

static void cmd_approvals_print_webhook(const struct json *item)
{
	const char *filter = json_field_text(item, "filter");

	printf("%s  %s wants %s events posted to %s%s%s, %s the texts\n",
	       json_field_text(item, "approval_id"), json_field_text(item, "client"),
	       json_field_text(item, "type"), json_field_text(item, "receiver"),
	       strcmp(filter, "{}") ? ", only " : "", strcmp(filter, "{}") ? filter : "",
	       json_field_is_true(item, "include_text") ? "with" : "without");
	printf("  since %s, until %s; once approved, until you revoke it\n\n",
	       terminal_time(json_field_text(item, "asked_at")).text,
	       terminal_time(json_field_text(item, "until")).text);
}

static void cmd_approvals_print_pairing(const struct json *item)
{
	printf("A computer at %s, which calls itself \"",
	       json_field_text(item, "address"));
	terminal_print_escaped(stdout, json_field_text(item, "name"));
	printf("\", asks to be paired.\n  Until %s: run " PROGRAM_NAME
	       " pair and type the code that it shows.\n\n",
	       terminal_time(json_field_text(item, "until")).text);
}

static void cmd_approvals_print_item(const struct owner_command_call *call,
				     const struct json *item)
{
	const char *sim = json_field_text(item, "sim");
	const char *send_at = json_field_text(item, "send_at");
	const char *client = json_field_text(item, "client");
	const char *revision = json_field_text(item, "revision");
	const char *reason = json_field_text(item, "reason");

	if (strcmp(json_field_text(item, "approval"), "pairing") == 0) {
		cmd_approvals_print_pairing(item);
		return;
	}
	if (*json_field_text(item, "approval_id")) {
		cmd_approvals_print_webhook(item);
		return;
	}
	printf("%s%s%s  %s wants to send %s SMS to %s from SIM %s%s%s%s\n",
	       json_field_text(item, "message_id"), *revision ? "." : "", revision,
	       *client ? client : "somebody", json_field_text(item, "segments"),
	       json_field_text(item, "phone_number"),
	       json_field_text(item, "subscription_id"), *sim ? " (" : "", sim,
	       *sim ? ")" : "");
	message_lines_print_text(json_field_text(item, "text"));
	if (*reason)
		printf("  %s\n", reason);
	printf("  since %s, until %s%s%s\n\n",
	       terminal_time(json_field_text(item, "asked_at")).text,
	       terminal_time(json_field_text(item, "until")).text,
	       *send_at ? "; scheduled for " : "", terminal_time(send_at).text);
}

static int cmd_approvals_print_summary(const struct owner_command_call *call,
				       const struct json *result)
{
	if (strcmp(json_field_text(result, "listed"), "0") == 0 &&
	    strcmp(json_field_text(result, "webhooks"), "0") == 0 &&
	    strcmp(json_field_text(result, "pairings"), "0") == 0)
		puts("No message is waiting for your approval.");
	else if (strcmp(json_field_text(result, "more"), "0") == 0)
		puts("To decide: " PROGRAM_NAME " approve ID..., or " PROGRAM_NAME
		     " reject ID... [REASON]");
	else
		printf("%s more: " PROGRAM_NAME " approvals --after ID\n",
		       json_field_text(result, "more"));
	return EXIT_CODE_OK;
}

const struct command cmd_approvals = {
	.name = "approvals",
	.group = COMMAND_APPROVALS,
	.summary = "list what waits for your approval",
	.example = "approvals",
	.owner = {
		.help = cmd_approvals_help,
		.options = cmd_approvals_options,
		.print_item = cmd_approvals_print_item,
		.print = cmd_approvals_print_summary,
	},
};

/* approve, reject */

#define APPROVALS_OPTIONS_HELP \
	OPTIONS_STORE_HELP     \
	"  --json           as JSON: one line per message\n" OPTIONS_HELP_HELP "\n"

static const char cmd_approvals_approve_help[] =
	"Usage: " PROGRAM_NAME " approve [OPTION]... ID...\n"
	"Approve messages that wait for it, by their IDs in " PROGRAM_NAME
	" approvals. An\n"
	"approval covers exactly that number, text and SIM, once, and is valid for ten\n"
	"minutes. If the agent changed a message, its ID has a revision (5.1), so that\n"
	"you approve what you read. An ID that begins with w approves the receiver of a\n"
	"webhook, until you revoke it: " PROGRAM_NAME " webhook.\n"
	"\n" APPROVALS_OPTIONS_HELP
	"The gateway must run. Exit codes: 0 all approved; 1 at least one was not, or the\n"
	"gateway is not running; 2 wrong options.\n";

static const char cmd_approvals_reject_help[] =
	"Usage: " PROGRAM_NAME " reject [OPTION]... ID... [REASON]\n"
	"Reject messages that wait for your approval, by their IDs in " PROGRAM_NAME "\n"
	"approvals. The agent sees REASON.\n"
	"\n" APPROVALS_OPTIONS_HELP
	"The gateway must run. Exit codes: 0 all rejected; 1 at least one was not, or the\n"
	"gateway is not running; 2 wrong options.\n";

static bool cmd_approvals_read_number(const char *text, char **end_out,
				      int64_t *number_out)
{
	errno = 0;
	*number_out = strtoll(text, end_out, 10);
	return *text >= '0' && *text <= '9' && !errno;
}

/* Reads "5", or "5.1" with its revision. Returns false if it is not an ID. */
static bool cmd_approvals_read_id(const char *text, int64_t *id_out,
				  int64_t *revision_out)
{
	char *end;

	*revision_out = 0;
	if (!cmd_approvals_read_number(text, &end, id_out))
		return false;
	return !*end || (*end == '.' &&
			 cmd_approvals_read_number(end + 1, &end, revision_out) && !*end);
}

/* Is it the receiver of a webhook, such as "w5"? */
static bool cmd_approvals_is_webhook(const char *text)
{
	return *text == 'w' && text[1] &&
	       strspn(text + 1, "0123456789") == strlen(text + 1);
}

static bool cmd_approvals_is_reject(const struct owner_command_call *call)
{
	return strcmp(call->name, "reject") == 0;
}

/* The last operand is the reason, unless it is a number. */
static int cmd_approvals_count_ids(const struct owner_command_call *call)
{
	int count = 0;
	int64_t id, revision;

	while (count < call->operand_count &&
	       (cmd_approvals_is_webhook(call->operands[count]) ||
		cmd_approvals_read_id(call->operands[count], &id, &revision)))
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
	static const char *const keys[] = { "message_ids", "revisions" };
	int count = cmd_approvals_count_ids(call);

	for (int key = 0; key < 2; key++) {
		json_open_array_at(writer, keys[key]);
		for (int i = 0; i < count; i++) {
			int64_t numbers[2] = { 0 };

			if (cmd_approvals_is_webhook(call->operands[i]))
				continue;
			cmd_approvals_read_id(call->operands[i], &numbers[0],
					      &numbers[1]);
			json_write_integer(writer, numbers[key]);
		}
		json_close_array(writer);
	}
	json_open_array_at(writer, "webhook_ids");
	for (int i = 0; i < count; i++) {
		if (cmd_approvals_is_webhook(call->operands[i]))
			json_write_string(writer, call->operands[i]);
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
	const char *webhook = json_field_text(item, "approval_id");

	if (*webhook && *why)
		printf("Webhook %s was not %s: %s.\n", webhook, done, why);
	else if (*webhook)
		printf("Webhook %s is %s.\n", webhook, done);
	else if (*why)
		printf("Message %s was not %s: %s.\n",
		       json_field_text(item, "message_id"), done, why);
	else
		printf("Message %s to %s is %s, and now %s.\n",
		       json_field_text(item, "message_id"),
		       json_field_text(item, "phone_number"), done,
		       json_field_text(item, "state"));
}

const struct command cmd_approve = {
	.name = "approve",
	.group = COMMAND_APPROVALS,
	.summary = "approve a message",
	.example = "approve 12 13",
	.owner = {
		.help = cmd_approvals_approve_help,
		.takes_operands = true,
		.check = cmd_approvals_check,
		.add = cmd_approvals_add_arguments,
		.print_item = cmd_approvals_print_decision,
	},
};

const struct command cmd_reject = {
	.name = "reject",
	.group = COMMAND_APPROVALS,
	.summary = "reject a message",
	.example = "reject 12 \"wrong recipient\"",
	.owner = {
		.help = cmd_approvals_reject_help,
		.takes_operands = true,
		.check = cmd_approvals_check,
		.add = cmd_approvals_add_arguments,
		.print_item = cmd_approvals_print_decision,
	},
};

/* opt-outs */

static const char cmd_approvals_opt_outs_help[] =
	"Usage: " PROGRAM_NAME " opt-outs [OPTION]... [list]\n"
	"       " PROGRAM_NAME " opt-outs [OPTION]... add|remove NUMBER\n"
	"List the recipients that texted STOP: no agent can text them until they text\n"
	"START. Senders can be forged, so you can remove one, or add one. A STOP from\n"
	"one of your own numbers (owner_numbers) is not in force until you add it.\n"
	"\n" OPTIONS_STORE_HELP "  --json           as JSON: one line per number, then "
	"the counts\n" OPTIONS_HELP_HELP "\n"
	"The gateway may run. Exit codes: 0 listed or changed; 1 failed; 2 wrong\n"
	"options.\n";

static const char *cmd_approvals_check_opt_outs(const struct owner_command_call *call)
{
	const char *verb = call->operand_count ? call->operands[0] : "list";

	if (strcmp(verb, "list") == 0)
		return call->operand_count > 1 ? "list takes no NUMBER" : NULL;
	if (strcmp(verb, "add") != 0 && strcmp(verb, "remove") != 0)
		return "the argument is list, add or remove";
	if (call->operand_count < 2)
		return "NUMBER is missing";
	return call->operand_count == 2 ? NULL : "one NUMBER at a time";
}

static int cmd_approvals_add_opt_out(const struct owner_command_call *call,
				     struct json_writer *writer)
{
	if (call->operand_count == 2)
		json_put_string(writer, call->operands[0], call->operands[1]);
	return 0;
}

static void cmd_approvals_print_opt_out(const struct owner_command_call *call,
					const struct json *item)
{
	const char *number = json_field_text(item, "phone_number");
	const char *word = json_field_text(item, "word");

	printf("%s  %s", number, terminal_time(json_field_text(item, "at")).text);
	if (*word)
		printf(", texted \"%s\"", word);
	if (json_field_is_true(item, "asking"))
		printf(", not in force: " PROGRAM_NAME " opt-outs add %s", number);
	putchar('\n');
}

static int cmd_approvals_print_opt_outs(const struct owner_command_call *call,
					const struct json *result)
{
	const char *added = json_field_text(result, "added");
	const char *removed = json_field_text(result, "removed");

	if (*added)
		printf("Agents can no longer text %s.\n", added);
	else if (*removed)
		printf("Agents can text %s again.\n", removed);
	else if (strcmp(json_field_text(result, "opt_outs"), "0") == 0 &&
		 strcmp(json_field_text(result, "asking"), "0") == 0)
		puts("Nobody has opted out.");
	return EXIT_CODE_OK;
}

const struct command cmd_opt_outs = {
	.name = "opt-outs",
	.verbs = "list|add|remove",
	.group = COMMAND_APPROVALS,
	.summary = "list, add or remove recipients that texted STOP",
	.example = "opt-outs remove +36201234567",
	.owner = {
		.help = cmd_approvals_opt_outs_help,
		.takes_operands = true,
		.operand_is_optional = true,
		.check = cmd_approvals_check_opt_outs,
		.add = cmd_approvals_add_opt_out,
		.print_item = cmd_approvals_print_opt_out,
		.print = cmd_approvals_print_opt_outs,
	},
};
