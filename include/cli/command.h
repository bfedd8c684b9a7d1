/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command: the subcommands of ofono-mcp. Each cmd_*.c has one, or several related ones.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

/* Exit codes, the same for every subcommand. */
enum {
	EXIT_CODE_OK = 0,
	EXIT_CODE_FAILED = 1, /* standard error says why */
	EXIT_CODE_USAGE = 2,  /* wrong options or configuration */
};

struct command {
	const char *name;
	const char *summary;
	/* argv[0] is the subcommand's name; returns the exit code. */
	int (*run)(int argc, char **argv);
};

extern const struct command cmd_serve;
extern const struct command cmd_pair;
extern const struct command cmd_clients;
extern const struct command cmd_approvals;
extern const struct command cmd_approve;
extern const struct command cmd_reject;
extern const struct command cmd_unlock;
extern const struct command cmd_change;
extern const struct command cmd_rotate;
extern const struct command cmd_revoke;
extern const struct command cmd_pause;
extern const struct command cmd_resume;
extern const struct command cmd_reload;
extern const struct command cmd_backup;
extern const struct command cmd_restore;
extern const struct command cmd_audit;
extern const struct command cmd_status;
extern const struct command cmd_balance;
extern const struct command cmd_send;
extern const struct command cmd_list;
extern const struct command cmd_contacts;
extern const struct command cmd_show;
extern const struct command cmd_wait;
extern const struct command cmd_tail;
extern const struct command cmd_tools;
extern const struct command cmd_doctor;
extern const struct command cmd_modem;
extern const struct command cmd_demo;

#endif
