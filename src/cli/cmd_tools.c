/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp tools: the tools that agents can call, from the table. The gateway need
 * not run.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/client.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "mcp/tool_set.h"
#include "tools/tool_table.h"

enum {
	COLUMNS = 80,
	COLUMNS_LEAST = 24,
	INDENT = 4,
	TEXT_INDENT = 8,
	OPTION_JSON = 1,
	OPTION_HELP,
};

static const char cmd_tools_help[] =
	"Usage: ofono-mcp tools [OPTION]...\n"
	"List the tools that agents have, with the parameters and the scope of each. "
	"The\n"
	"gateway need not run. Tools that the configuration hides are listed too.\n"
	"\n"
	"  --json  as JSON: the result of MCP's tools/list, with descriptions and "
	"schemas\n"
	"  --help  show this help\n"
	"\n"
	"Exit codes: 0 listed; 1 failed; 2 wrong options.\n";

static const struct option cmd_tools_options[] = {
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

/* The width of the terminal, within limits that are good to read. */
static unsigned cmd_tools_columns_of_line(void)
{
	unsigned columns = terminal_columns(STDOUT_FILENO);

	return columns >= COLUMNS_LEAST && columns < COLUMNS ? columns : COLUMNS;
}

/* Prints words, wrapped. */
static void cmd_tools_print_wrapped(const char *text, unsigned indent)
{
	const unsigned columns = cmd_tools_columns_of_line();
	unsigned column = 0;

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

static void cmd_tools_print_words(const char *const *words)
{
	for (const char *const *word = words; word && *word; word++)
		printf("%s%s", word == words ? ": " : ", ", *word);
}

static void cmd_tools_print_parameter(const struct schema_field *field)
{
	printf("%*s%s (%s%s", INDENT, "", field->name, schema_type_name(field->type),
	       field->required ? ", required" : "");
	cmd_tools_print_words(field->words);
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

static void cmd_tools_print_all(void)
{
	for (const struct tool *const *tool = tool_table; *tool; tool++) {
		if (tool != tool_table)
			putchar('\n');
		cmd_tools_print_tool(*tool);
	}
}

static int cmd_tools_print_json(void)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);
	bool written = false;

	if (writer) {
		json_open_object(writer);
		json_key(writer, "tools");
		tool_set_write_list(writer, tool_table, CLIENT_SCOPES_ALL);
		json_close_object(writer);
		json_writer_free(writer);
		written = !text.failed;
	}
	if (written)
		printf("%.*s\n", (int)text.length, text.data);
	else
		fputs("ofono-mcp tools: out of memory\n", stderr);
	buffer_deinit(&text);
	return written ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}

static int cmd_tools_run(int argc, char **argv)
{
	bool json = false;
	int option;

	while ((option = options_next(argc, argv, cmd_tools_options)) != -1) {
		if (option == OPTION_HELP) {
			fputs(cmd_tools_help, stdout);
			return EXIT_CODE_OK;
		}
		if (option != OPTION_JSON)
			return EXIT_CODE_USAGE;
		json = true;
	}
	if (optind < argc) {
		return options_fail("unexpected argument \"%s\"", argv[optind]);
	}
	if (json)
		return cmd_tools_print_json();
	cmd_tools_print_all();
	return EXIT_CODE_OK;
}

const struct command cmd_tools = {
	.name = "tools",
	.summary = "list the tools that agents have",
	.run = cmd_tools_run,
};
