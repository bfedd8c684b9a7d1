/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp tools: the tools that agents can call, from the table. The gateway need
 * not run.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/client.h"
#include "cli/command.h"
#include "cli/json_field.h"
#include "cli/terminal.h"
#include "mcp/tool_set.h"
#include "tools/tool_table.h"

enum {
	COLUMNS = 80,
	COLUMNS_LEAST = 24,
	INDENT = 4,
	TEXT_INDENT = 8,
};

static const char cmd_tools_help[] =
	"Usage: " PROGRAM_NAME " tools [OPTION]...\n"
	"List the tools that agents have, with the parameters and the scope of each. The\n"
	"gateway need not run. Tools that the configuration hides are listed too.\n"
	"\n"
	"  --json  as JSON: like the result of MCP's tools/list, with every member of the\n"
	"          answers\n"
	"  --help  show this help\n"
	"\n"
	"Exit codes: 0 listed; 1 failed; 2 wrong options.\n";

/* Prints words, wrapped. */
static void cmd_tools_print_wrapped(const char *text, unsigned indent)
{
	unsigned columns = terminal_columns(STDOUT_FILENO), column = 0;

	if (columns < COLUMNS_LEAST || columns > COLUMNS) /* not good to read */
		columns = COLUMNS;
	while (*text) {
		unsigned length = (unsigned)strcspn(text, " ");

		if (column && column + 1 + length > columns) {
			putchar('\n');
			column = 0;
		}
		if (column)
			putchar(' ');
		else
			printf("%*s", (int)indent, "");
		column = (column ? column + 1 : indent) + length;
		printf("%.*s", (int)length, text);
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void cmd_tools_print_parameter(const struct schema_field *field)
{
	printf("%*s%s (%s%s", INDENT, "", field->name, schema_type_name(field->type),
	       field->required ? ", required" : "");
	for (const char *const *word = field->words; word && *word; word++)
		printf("%s%s", word == field->words ? ": " : ", ", *word);
	puts(")");
	cmd_tools_print_wrapped(field->description, TEXT_INDENT);
}

static void cmd_tools_print_tool(const struct tool *tool)
{
	char scopes[CLIENT_SCOPES_BYTES];

	client_write_scopes(tool->scopes, ' ', scopes);
	printf("%s%s%s - %s (scope %s)\n", terminal_colour_on(COLOUR_STRONG), tool->name,
	       terminal_colour_off(), tool->title, scopes);
	if (!tool->input->name)
		printf("%*sno parameters\n", INDENT, "");
	for (const struct schema_field *field = tool->input; field->name; field++)
		cmd_tools_print_parameter(field);
}

static int cmd_tools_print_json(void)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_field_begin(&text);

	if (writer) {
		json_key(writer, "tools");
		tool_set_write_catalogue(writer, tool_table);
	}
	if (json_field_end(writer, &text))
		return EXIT_CODE_OK;
	return options_report_failure("internal", "", "out of memory");
}

static int cmd_tools_run(int argc, char **argv)
{
	bool json = false;
	const struct options_row rows[] = { { "json", .flag = &json }, { NULL } };
	const struct options_table table = { cmd_tools_help, rows };
	int code;

	if (!options_read(&table, argc, argv, &code))
		return code;
	if (json)
		return cmd_tools_print_json();
	for (const struct tool *const *tool = tool_table; *tool; tool++) {
		if (tool != tool_table)
			putchar('\n');
		cmd_tools_print_tool(*tool);
	}
	return EXIT_CODE_OK;
}

const struct command cmd_tools = {
	.name = "tools",
	.group = COMMAND_AGENTS,
	.summary = "list the tools that agents have",
	.example = "tools",
	.run = cmd_tools_run,
};
