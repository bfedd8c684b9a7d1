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
#include "cli/options.h"

static const struct command *const main_commands[] = {
	&cmd_serve,    &cmd_pair,    &cmd_clients, &cmd_change, &cmd_rotate,
	&cmd_revoke,   &cmd_pause,   &cmd_resume,  &cmd_reload, &cmd_approvals,
	&cmd_approve,  &cmd_reject,  &cmd_unlock,  &cmd_backup, &cmd_restore,
	&cmd_audit,    &cmd_status,  &cmd_send,	   &cmd_list,	&cmd_show,
	&cmd_contacts, &cmd_wait,    &cmd_tail,	   &cmd_tools,	&cmd_doctor,
	&cmd_modem,    &cmd_balance, &cmd_demo,
};

enum { MAIN_COMMANDS = sizeof(main_commands) / sizeof(main_commands[0]) };

static int main_print_help(FILE *out, int code)
{
	fputs("Usage: ofono-mcp COMMAND [OPTION]...\n"
	      "A telephony gateway for AI agents: MCP over HTTP to oFono's modems.\n\n",
	      out);
	for (size_t i = 0; i < MAIN_COMMANDS; i++)
		fprintf(out, "  %-10s %s\n", main_commands[i]->name,
			main_commands[i]->summary);
	fputs("\nFor more about a command: ofono-mcp COMMAND --help\n"
	      "To print the version: ofono-mcp --version\n",
	      out);
	return code;
}

/* A full disk must not look like an answer, least of all like a token shown only once. */
static int main_check_output(const char *name, int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	fprintf(stderr,
		"ofono-mcp%s%s: not all of the output could be written.\n"
		"Check for free space. The command itself may have been carried out.\n",
		*name ? " " : "", name);
	return code ? code : EXIT_CODE_FAILED;
}

static void main_fail_unknown(const char *name)
{
	const char *similar = NULL;

	for (size_t i = 0; i < MAIN_COMMANDS; i++) {
		if (options_are_similar(name, main_commands[i]->name))
			similar = main_commands[i]->name;
	}
	fprintf(stderr,
		"ofono-mcp: there is no command \"%s\"%s%s%s\nTry: ofono-mcp %s%s\n",
		name, similar ? "; did you mean " : "", similar ? similar : "",
		similar ? "?" : "", similar ? similar : "",
		similar ? " --help" : "--help");
}

static int main_run(const char *name, int argc, char **argv)
{
	for (size_t i = 0; i < MAIN_COMMANDS; i++) {
		if (strcmp(main_commands[i]->name, name) == 0) {
			options_begin(argc, argv);
			return main_commands[i]->run(argc, argv);
		}
	}
	main_fail_unknown(name);
	return EXIT_CODE_USAGE;
}

/* "help NAME" is "NAME --help". */
static int main_run_help(char *name)
{
	char option[] = "--help";
	char *argv[] = { name, option, NULL };

	return name ? main_run(name, 2, argv) : main_print_help(stdout, EXIT_CODE_OK);
}

/*
 * Opens standard streams that were closed: a file or connection opened later would get their
 * number, and receive text meant for a person. Reading from and writing to the substitutes fails
 * (tests/integration/test_commands.py::test_closed_streams_do_not_misdirect_output).
 */
static bool main_open_streams(void)
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

	if (!main_open_streams())
		return EXIT_CODE_FAILED;
	if (argc < 2)
		return main_print_help(stderr, EXIT_CODE_USAGE);
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		return main_check_output("", main_print_help(stdout, EXIT_CODE_OK));
	if (strcmp(name, "help") == 0)
		return main_check_output("", main_run_help(argv[2]));
	if (strcmp(name, "--version") == 0) {
		puts("ofono-mcp " OFONO_MCP_VERSION);
		return main_check_output("", EXIT_CODE_OK);
	}
	return main_check_output(name, main_run(name, argc - 1, argv + 1));
}
