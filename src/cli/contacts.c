/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp contacts: whom the gateway knows by name; the tool find_contact.
 */
#include <stdio.h>

#include "cli/command.h"
#include "cli/member.h"
#include "cli/owner_command.h"

static const char help[] =
	"Usage: ofono-mcp contacts [OPTION]... [NAME]\n"
	"List the contacts that the gateway read from SIM cards and from the owner's\n"
	"file, or those in whose names the words of NAME stand.\n"
	"\n"
	"  --number N       only who has this number, in any form\n"
	"  --limit N        at most N, 20 when left out, 100 at most\n"
	"  --cursor TEXT    the next page: the cursor that the page before told, with\n"
	"                   the same options; in JSON it is next_cursor\n"
	"  --config FILE    the gateway's configuration; else, where it is there,\n"
	"                   " CONFIG_DEFAULT_PATH "\n"
	"  --state-dir DIR  where the gateway keeps its ledger\n"
	"  --json           as a JSON object: what find_contact tells agents\n"
	"  --help           this text\n"
	"\n"
	"The gateway must run. Exit codes: 0 listed; 1 could not; 2 wrong options.\n";

static const struct owner_option options[] = {
	{ .name = "number", .argument = "phone_number" },
	{ .name = "limit", .is_number = true, .least = 1, .most = 100 },
	{ .name = "cursor" },
	{ 0 },
};

/* "Anna Kovacs  +36201234567, 0611112222  (SIM 1)" */
static void show_contact(const struct json *contact)
{
	const char *sim = member_text(contact, "subscription_id");
	const struct json *numbers = member_list(contact, "phone_numbers");

	printf("%s  ", member_text(contact, "name"));
	json_foreach (number, numbers)
		printf("%s%s", number == numbers->first ? "" : ", ", json_string(number));
	printf("  (%s%s)\n", *sim ? "SIM " : "file", sim);
}

static int show(const struct owner_call *call, const struct json *result)
{
	const struct json *contacts = member_list(result, "contacts");

	if (!contacts->count && !call->operand && !owner_call_value(call, "number"))
		puts("No contact is known: neither a SIM card nor a file ([contacts] "
		     "file) has told one.");
	else if (!contacts->count)
		puts("There is no such contact.");
	json_foreach (contact, contacts)
		show_contact(contact);
	if (member_is_true(result, "incomplete"))
		puts("\nSome are left out: a SIM card or the file has more than the "
		     "gateway "
		     "keeps.\nMore tells: ofono-mcp doctor");
	if (json_member(result, "next_cursor"))
		printf("\nThere are more: with the same options and --cursor %s\n",
		       member_text(result, "next_cursor"));
	return EXIT_CODE_OK;
}

static int run(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "contacts",
		.help = help,
		.options = options,
		.operand = "name",
		.operand_is_optional = true,
		.show = show,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_contacts = {
	.name = "contacts",
	.summary = "list whom the gateway knows by name",
	.run = run,
};
