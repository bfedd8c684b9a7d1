/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command: the subcommands of ofono-mcp, one file each, or one for those of a kind.
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
extern const struct command command_approvals;
extern const struct command command_approve;
extern const struct command command_reject;
extern const struct command command_unlock;
extern const struct command command_change;
extern const struct command command_rotate;
extern const struct command command_revoke;
extern const struct command command_pause;
extern const struct command command_resume;
extern const struct command command_reload;
extern const struct command command_backup;
extern const struct command command_restore;
extern const struct command command_audit;
extern const struct command command_status;
extern const struct command command_balance;
extern const struct command command_send;
extern const struct command command_list;
extern const struct command command_contacts;
extern const struct command command_show;
extern const struct command command_wait;
extern const struct command command_tail;
extern const struct command command_tools;
extern const struct command command_doctor;
extern const struct command command_modem;
extern const struct command command_demo;

#endif
