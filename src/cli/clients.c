/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp clients: who is paired, and what each may do.
 */

#include "cli/client_table.h"
#include "cli/command.h"
#include "cli/owner_command.h"

static const char help[] =
	"Usage: ofono-mcp clients [OPTION]...\n"
	"List the agents that are paired, and what each may do.\n"
	"\n"
	"  --config FILE    the gateway's configuration; else, where it is there,\n"
	"                   " CONFIG_DEFAULT_PATH "\n"
	"  --state-dir DIR  where the gateway keeps its clients\n"
	"  --json           as JSON\n"
	"  --help           this text\n"
	"\n"
	"The gateway may run. Exit codes: 0 listed; 1 could not; 2 wrong options.\n";

static int show(const struct owner_call *call, const struct json *result)
{
	(void)call;
	client_table_print(json_member(result, "clients"));
	return EXIT_CODE_OK;
}

static int run_clients(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "clients",
		.help = help,
		.show = show,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_clients = {
	.name = "clients",
	.summary = "list the agents that are paired",
	.run = run_clients,
};
