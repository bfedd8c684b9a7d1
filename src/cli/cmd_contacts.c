/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp contacts: the contacts that the gateway knows, from the tool find_contact.
 */
#include <stdio.h>

#include "cli/json_field.h"
#include "cli/owner_command.h"
#include "tools/view.h"

static const char cmd_contacts_help[] =
	"Usage: " PROGRAM_NAME " contacts [OPTION]... [NAME]\n"
	"List the contacts that the gateway read from SIM cards and from the owner's\n"
	"file; with NAME, those whose names contain its words.\n"
	"\n"
	"  --number N       only the contact with this phone number, in any format\n"
	"  --limit N        at most N (default 20, maximum 100)\n"
	"  --cursor TEXT    the next page: the cursor from the previous page, with the\n"
	"                   same options; in JSON it is next_cursor\n" OPTIONS_STORE_HELP
	"  --json           as a JSON object: what find_contact gives "
	"agents\n" OPTIONS_HELP_HELP "\n"
	"The gateway must run. Exit codes: 0 listed; 1 failed; 2 wrong options.\n";

static const struct owner_command_option cmd_contacts_options[] = {
	{ .name = "number", .argument = "phone_number" },
	{ .name = "limit", .is_number = true, .least = 1, .most = PAGE_LIMIT_MAX },
	{ .name = "cursor" },
	{ 0 },
};

/* Prints "Anna Kovacs  +36201234567, 0611112222  (SIM 1)" */
static void cmd_contacts_print_contact(const struct json *contact)
{
	const char *sim = json_field_text(contact, "subscription_id");
	const struct json *numbers = json_field_list(contact, "phone_numbers");

	printf("%s  ", json_field_text(contact, "name"));
	json_foreach (number, numbers)
		printf("%s%s", number == numbers->first ? "" : ", ", json_string(number));
	printf("  (%s%s)\n", *sim ? "SIM " : "file", sim);
}

static int cmd_contacts_print(const struct owner_command_call *call,
			      const struct json *result)
{
	const struct json *contacts = json_field_list(result, "contacts");

	if (!contacts->count && !call->operand && !owner_command_value(call, "number"))
		puts("There are no contacts, neither on a SIM card nor in a file ([contacts] file).");
	else if (!contacts->count)
		puts("There is no such contact.");
	json_foreach (contact, contacts)
		cmd_contacts_print_contact(contact);
	if (json_field_is_true(result, "incomplete"))
		puts("\n"
		     "Some are left out: a SIM card or the file has more than the gateway keeps.\n"
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
		.help = cmd_contacts_help,
		.options = cmd_contacts_options,
		.operand = "name",
		.operand_is_optional = true,
		.print = cmd_contacts_print,
	},
};
