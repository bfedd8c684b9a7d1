/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp approve and ofono-mcp reject: the owner's yes and no.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/owner_command.h"

#define OPTIONS                                                                      \
	"  --config FILE    the gateway's configuration; else, where it is there,\n" \
	"                   " CONFIG_DEFAULT_PATH "\n"                               \
	"  --state-dir DIR  where the gateway keeps its ledger\n"                    \
	"  --json           as JSON: a line for each message\n"                      \
	"  --help           this text\n"                                             \
	"\n"

static const char approve_help[] =
	"Usage: ofono-mcp approve [OPTION]... ID...\n"
	"Say yes to messages that wait for it, by their numbers in ofono-mcp approvals.\n"
	"A yes is about exactly that number, text and SIM, once, and good for ten\n"
	"minutes.\n"
	"\n" OPTIONS
	"The gateway must run. Exit codes: 0 all approved; 1 at least one was "
	"not, or the\ngateway does not run; 2 wrong options.\n";

static const char reject_help[] =
	"Usage: ofono-mcp reject [OPTION]... ID... [REASON]\n"
	"Say no to messages that wait for your yes, by their numbers in ofono-mcp\n"
	"approvals. Whoever asked for them is told so, with REASON.\n"
	"\n" OPTIONS
	"The gateway must run. Exit codes: 0 all rejected; 1 at least one was "
	"not, or the\ngateway does not run; 2 wrong options.\n";

/* False: it is none. */
static bool read_id(const char *text, int64_t *id_out)
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

static bool is_reject(const struct owner_call *call)
{
	return strcmp(call->command->name, "reject") == 0;
}

/* The reason is the last, when that is no number. */
static int count_ids(const struct owner_call *call)
{
	int count = 0;
	int64_t id;

	while (count < call->operand_count && read_id(call->operands[count], &id))
		count++;
	return count;
}

static const char *flaw(const struct owner_call *call)
{
	int rest = call->operand_count - count_ids(call);

	if (rest == call->operand_count)
		return "give the number of a message first";
	if (rest && !is_reject(call))
		return "that is no number of a message";
	return rest > 1 ? "the reason is one argument, the last: put it in quotes" : NULL;
}

static int add(const struct owner_call *call, struct json_writer *writer)
{
	int count = count_ids(call);

	json_key(writer, "message_ids");
	json_open_array(writer);
	for (int i = 0; i < count; i++) {
		int64_t id = 0;

		read_id(call->operands[i], &id);
		json_write_integer(writer, id);
	}
	json_close_array(writer);
	if (count < call->operand_count)
		json_put_string(writer, "reason", call->operands[count]);
	return 0;
}

static const char *text_of(const struct json *item, const char *name)
{
	const struct json *value = json_member(item, name);

	return value && value->text ? value->text : "";
}

static void show_item(const struct owner_call *call, const struct json *item)
{
	const char *why = text_of(item, "why");
	const char *done = is_reject(call) ? "rejected" : "approved";

	if (*why)
		printf("Message %s was not %s: %s.\n", text_of(item, "message_id"), done,
		       why);
	else
		printf("Message %s to %s is %s, and %s now.\n",
		       text_of(item, "message_id"), text_of(item, "phone_number"), done,
		       text_of(item, "state"));
}

/* The items have said it. */
static int show(const struct owner_call *call, const struct json *result)
{
	(void)call;
	(void)result;
	return EXIT_CODE_OK;
}

static int run(const char *name, const char *help, int argc, char **argv)
{
	const struct owner_command command = {
		.name = name,
		.help = help,
		.operands_are_many = true,
		.flaw = flaw,
		.add = add,
		.show_item = show_item,
		.show = show,
	};

	return owner_command_run(&command, argc, argv);
}

static int run_approve(int argc, char **argv)
{
	return run("approve", approve_help, argc, argv);
}

static int run_reject(int argc, char **argv)
{
	return run("reject", reject_help, argc, argv);
}

const struct command command_approve = {
	.name = "approve",
	.summary = "say yes to a message that waits for it",
	.run = run_approve,
};

const struct command command_reject = {
	.name = "reject",
	.summary = "say no to a message that waits for your yes",
	.run = run_reject,
};
