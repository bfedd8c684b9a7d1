/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command: the subcommands of ofono-mcp, one file each.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

/* exit codes, the same for every subcommand */
enum {
	EXIT_CODE_OK = 0,
	EXIT_CODE_FAILED = 1, /* could not do it; standard error says why */
	EXIT_CODE_USAGE = 2,  /* wrong options or configuration */
};

struct command {
	const char *name;
	const char *summary;
	/* argv[0] is the subcommand's name; returns the exit code. */
	int (*run)(int argc, char **argv);
};

extern const struct command command_serve;
extern const struct command command_pair;
extern const struct command command_clients;
extern const struct command command_unlock;
extern const struct command command_backup;
extern const struct command command_restore;

#endif
