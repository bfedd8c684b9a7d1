/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp: a telephony gateway for AI agents. This file only finds the subcommand.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/nearly.h"
#include "cli/usage.h"

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

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	return NULL;
}

/* A full disk must not look like an answer, least of all like a token that is shown once. */
static int finish(const char *name, int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	fprintf(stderr,
		"ofono-mcp%s%s: not all of what it tells could be written.\n"
		"Look whether there is room; what was asked may be done nevertheless.\n",
		*name ? " " : "", name);
	return code ? code : EXIT_CODE_FAILED;
}

static void fail_unknown(const char *name)
{
	const char *meant = NULL;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (nearly(name, commands[i]->name))
			meant = commands[i]->name;
	}
	fprintf(stderr,
		"ofono-mcp: there is no command \"%s\"%s%s\nTry: ofono-mcp %s%s\n", name,
		meant ? "; the nearest is " : "", meant ? meant : "", meant ? meant : "",
		meant ? " --help" : "--help");
}

static int run(const char *name, int argc, char **argv)
{
	const struct command *command = find(name);

	if (command) {
		usage_begin(argc, argv);
		return command->run(argc, argv);
	}
	fail_unknown(name);
	return EXIT_CODE_USAGE;
}

/* "help NAME" is "NAME --help". */
static int run_help(char *name)
{
	char option[] = "--help";
	char *argv[] = { name, option, NULL };

	return name ? run(name, 2, argv) : print_help(stdout, EXIT_CODE_OK);
}

/*
 * A standard stream that was closed must not become a file or a connection of ours, to which
 * words for a person would go then: nothing can be read from what stands in for it, nor written
 * (tests/integration/test_commands.py::test_closed_streams).
 */
static bool fill_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags) != fd)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	char *name = argv[1];

	if (!fill_streams())
		return EXIT_CODE_FAILED;
	if (argc < 2)
		return print_help(stderr, EXIT_CODE_USAGE);
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		return finish("", print_help(stdout, EXIT_CODE_OK));
	if (strcmp(name, "help") == 0)
		return finish("", run_help(argv[2]));
	if (strcmp(name, "--version") == 0) {
		puts("ofono-mcp " OFONO_MCP_VERSION);
		return finish("", EXIT_CODE_OK);
	}
	return finish(name, run(name, argc - 1, argv + 1));
}
