/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp: a telephony gateway for AI agents. This file only finds the subcommand.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

static const struct command *const commands[] = {
	&command_serve,	   &command_pair,      &command_clients, &command_change,
	&command_rotate,   &command_revoke,    &command_pause,	 &command_resume,
	&command_reload,   &command_approvals, &command_approve, &command_reject,
	&command_unlock,   &command_backup,    &command_restore, &command_audit,
	&command_status,   &command_send,      &command_list,	 &command_show,
	&command_contacts, &command_wait,      &command_tail,	 &command_tools,
	&command_doctor,   &command_modem,     &command_balance, &command_demo,
};

static int print_help(FILE *out, int code)
{
	fputs("Usage: ofono-mcp COMMAND [OPTION]...\n"
	      "A telephony gateway for AI agents: MCP over HTTP to the modems of "
	      "oFono.\n\n",
	      out);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n\"ofono-mcp COMMAND --help\" tells more of each.\n"
	      "\"ofono-mcp --version\" prints the version.\n",
	      out);
	return code;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (strcmp(name, "--help") == 0 || strcmp(name, "help") == 0)
		return print_help(stdout, EXIT_CODE_OK);
	if (strcmp(name, "--version") == 0) {
		puts("ofono-mcp " OFONO_MCP_VERSION);
		return EXIT_CODE_OK;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i]->run(argc - 1, argv + 1);
	}
	if (*name)
		fprintf(stderr, "ofono-mcp: there is no command \"%s\"\n\n", name);
	return print_help(stderr, EXIT_CODE_USAGE);
}
