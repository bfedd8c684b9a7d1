/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs ofono-mcp, a telephony gateway for AI agents, and ofono-mcp-hub, one for many
 * phones. This file only finds the subcommand; each program has a table of its own.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/spelling.h"
#include "cli/command.h"

static const char *const main_groups[COMMAND_GROUPS] = {
	[COMMAND_SETUP] = "Setup",	    [COMMAND_AGENTS] = "Agents",
	[COMMAND_MESSAGES] = "Messages",    [COMMAND_APPROVALS] = "Approvals",
	[COMMAND_SIMS] = "SIMs and modems", [COMMAND_MAINTENANCE] = "Maintenance",
};

enum {
	MAIN_COLUMNS = 25,
	MAIN_NAME_BYTES = 64,
	MAIN_SHOWN_BYTES = 256,
	MAIN_TEXT_BYTES = 512,
};

static void main_print_row(FILE *out, const struct command *command)
{
	const char *verbs = command->verbs ? command->verbs : "";
	int width = fprintf(out, "  %s%s%s", options_title(command), *verbs ? " " : "",
			    verbs);

	fprintf(out, "%*s%s\n", MAIN_COLUMNS + 3 - width, "", command->summary);
}

static void main_print_group(FILE *out, enum command_group group)
{
	fprintf(out, "%s\n", main_groups[group]);
	for (size_t at = 0; command_list_rows[at]; at++) {
		if (command_list_rows[at]->group == group)
			main_print_row(out, command_list_rows[at]);
	}
	fputc('\n', out);
}

static int main_print_help(FILE *out, int code)
{
	fprintf(out,
		"Usage: " PROGRAM_NAME " COMMAND [OPTION]...\n"
		"A telephony gateway for AI agents: MCP over HTTP to %s.\n\n",
		command_list_subject);
	for (enum command_group group = 0; group < COMMAND_GROUPS; group++)
		main_print_group(out, group);
	fputs("Examples\n"
	      "  " PROGRAM_NAME " pair laptop\n"
	      "  " PROGRAM_NAME " send +36201234567 \"On my way\"\n"
	      "  " PROGRAM_NAME " approve 12\n"
	      "  " PROGRAM_NAME " status --json\n\n"
	      "For more about a command: " PROGRAM_NAME " COMMAND --help\n"
	      "To print the version: " PROGRAM_NAME " --version\n",
	      out);
	return code;
}

/* Is it the "client" of "client set"? Returns false if the title has one word. */
static bool main_is_noun(const char *word, const struct command *command)
{
	const char *title = options_title(command);
	size_t length = strcspn(title, " ");

	return title[length] && strlen(word) == length &&
	       strncmp(word, title, length) == 0;
}

/* Prints "client --help" */
static int main_print_noun(const char *noun)
{
	printf("Usage: " PROGRAM_NAME " %s COMMAND [OPTION]...\n\n", noun);
	for (size_t at = 0; command_list_rows[at]; at++) {
		if (main_is_noun(noun, command_list_rows[at]))
			main_print_row(stdout, command_list_rows[at]);
	}
	printf("\nFor more about a command: " PROGRAM_NAME " %s COMMAND --help\n", noun);
	return EXIT_CODE_OK;
}

/* A full disk must not look like an answer, least of all like a token shown only once. */
static int main_check_output(const char *name, int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	fprintf(stderr,
		PROGRAM_NAME
		"%s%s: not all of the output could be written.\n"
		"Check for free space. The command itself may have been carried out.\n",
		*name ? " " : "", name);
	return code ? code : EXIT_CODE_FAILED;
}

/* `noun` is set if the name has two words. */
static int main_fail_unknown(const char *noun, const char *name)
{
	const char *similar = NULL, *best = NULL;
	char shown[MAIN_SHOWN_BYTES], message[MAIN_TEXT_BYTES], fix[MAIN_TEXT_BYTES];

	for (size_t at = 0; command_list_rows[at]; at++) {
		const struct command *command = command_list_rows[at];
		const char *const words[] = { options_title(command), command->name };

		for (size_t i = 0; i < 2; i++) {
			if (!spelling_is_better(name, words[i], best))
				continue;
			best = words[i];
			similar = options_title(command);
		}
	}
	escape_message(name, shown, sizeof(shown));
	snprintf(message, sizeof(message), "there is no command \"%s\"%s%s%s", shown,
		 similar ? "; did you mean " : "", similar ? similar : "",
		 similar ? "?" : "");
	snprintf(fix, sizeof(fix), "Try: " PROGRAM_NAME " %s%s--help",
		 similar ? similar
		 : noun	 ? noun
			 : "",
		 similar || noun ? " " : "");
	return options_fail_command(message, fix);
}

static int main_run_command(const struct command *command, int argc, char **argv)
{
	options_begin(command, argc, argv);
	return command->run ? command->run(argc, argv)
			    : owner_command_run(command, argc, argv);
}

/* Without a verb, a noun's first command is meant, which lists. */
static int main_run_noun(const struct command *first, int argc, char **argv)
{
	char name[MAIN_NAME_BYTES];

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return main_print_noun(argv[0]);
	if (argc == 1 || argv[1][0] == '-')
		return main_run_command(first, argc, argv);
	snprintf(name, sizeof(name), "%s %s", argv[0], argv[1]);
	return main_fail_unknown(argv[0], name);
}

/*
 * Returns how many words of the line name this command: those of its title, or its name; 0 if there
 * is none.
 */
static int main_match(const struct command *command, int argc, char **argv)
{
	const char *verb = strchr(options_title(command), ' ');

	if (verb && argc > 1 && main_is_noun(argv[0], command) &&
	    strcmp(verb + 1, argv[1]) == 0)
		return 2;
	return strcmp(command->name, argv[0]) == 0 ||
	       strcmp(options_title(command), argv[0]) == 0;
}

/* Options may stand before the verb: "client --json list" becomes "client list --json". */
static void main_move_verb(int argc, char **argv)
{
	for (int at = 2; argc > 2 && argv[1][0] == '-' && at < argc; at++) {
		char *words[] = { argv[0], argv[at] };

		for (size_t row = 0; command_list_rows[row]; row++) {
			if (main_match(command_list_rows[row], 2, words) != 2)
				continue;
			memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof(*argv));
			argv[1] = words[1];
			return;
		}
	}
}

static int main_run(int argc, char **argv)
{
	const struct command *first = NULL;

	options_begin(NULL, argc, argv);
	main_move_verb(argc, argv);
	for (size_t at = 0; command_list_rows[at]; at++) {
		const struct command *command = command_list_rows[at];
		int words = main_match(command, argc, argv);

		if (words)
			return main_run_command(command, argc - words + 1,
						argv + words - 1);
		if (!first && main_is_noun(argv[0], command))
			first = command;
	}
	return first ? main_run_noun(first, argc, argv)
		     : main_fail_unknown(NULL, argv[0]);
}

/* "help NAME" is "NAME --help"; the name may have two words. */
static int main_run_help(int argc, char **argv)
{
	char option[] = "--help";
	char *words[] = { argv[0], option, option, NULL };

	if (argc < 1)
		return main_print_help(stdout, EXIT_CODE_OK);
	if (argc > 1)
		words[1] = argv[1];
	return main_run(argc > 1 ? 3 : 2, words);
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
		return main_check_output("", main_run_help(argc - 2, argv + 2));
	if (strcmp(name, "--version") == 0) {
		puts(PROGRAM_NAME " " OFONO_MCP_VERSION);
		return main_check_output("", EXIT_CODE_OK);
	}
	return main_check_output(name, main_run(argc - 1, argv + 1));
}
