/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp tools: what agents can call, from the rows of the table. No gateway is asked.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/client.h"
#include "base/json.h"
#include "cli/colour.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "cli/usage.h"
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

static const char help[] =
	"Usage: ofono-mcp tools [OPTION]...\n"
	"List the tools that agents have, with the parameters of each and the scope "
	"that\n"
	"it needs. No gateway needs to run; what the configuration hides is listed, "
	"too.\n"
	"\n"
	"  --json  as JSON: what tools/list of MCP tells, with descriptions and schemas\n"
	"  --help  this text\n"
	"\n"
	"Exit codes: 0 listed; 1 could not; 2 wrong options.\n";

static const struct option options[] = {
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

/* Of a line: as many as are good to read, where the terminal has them. */
static unsigned columns_of_line(void)
{
	unsigned columns = terminal_columns(STDOUT_FILENO);

	return columns >= COLUMNS_LEAST && columns < COLUMNS ? columns : COLUMNS;
}

/* The words in lines of a terminal. */
static void print_wrapped(const char *text, unsigned indent)
{
	const unsigned columns = columns_of_line();
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

static void print_words(const char *const *words)
{
	for (const char *const *word = words; word && *word; word++)
		printf("%s%s", word == words ? ": " : ", ", *word);
}

static void print_parameter(const struct schema_field *field)
{
	printf("%*s%s (%s%s", INDENT, "", field->name, schema_type_name(field->type),
	       field->required ? ", required" : "");
	print_words(field->words);
	puts(")");
	print_wrapped(field->description, TEXT_INDENT);
}

static void print_tool(const struct tool *tool)
{
	char scopes[CLIENT_SCOPES_BYTES];

	client_write_scopes(tool->scopes, ' ', scopes);
	printf("%s%s%s - %s (scope %s)\n", colour_on(COLOUR_STRONG), tool->name,
	       colour_off(), tool->title, scopes);
	if (!tool->input->name)
		printf("%*sno parameters\n", INDENT, "");
	for (const struct schema_field *field = tool->input; field->name; field++)
		print_parameter(field);
}

static void print_all(void)
{
	for (const struct tool *const *tool = tool_table; *tool; tool++) {
		if (tool != tool_table)
			putchar('\n');
		print_tool(*tool);
	}
}

static int print_json(void)
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

static int run_tools(int argc, char **argv)
{
	bool json = false;
	int option;

	while ((option = usage_next_option(argc, argv, options)) != -1) {
		if (option == OPTION_HELP) {
			fputs(help, stdout);
			return EXIT_CODE_OK;
		}
		if (option != OPTION_JSON)
			return EXIT_CODE_USAGE;
		json = true;
	}
	if (optind < argc) {
		return usage_fail("that is one argument too many");
	}
	if (json)
		return print_json();
	print_all();
	return EXIT_CODE_OK;
}

const struct command command_tools = {
	.name = "tools",
	.summary = "list the tools that agents have",
	.run = run_tools,
};
