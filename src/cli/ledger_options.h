/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ledger options: what the commands that work on the ledger without the gateway are told.
 */
#ifndef CLI_LEDGER_OPTIONS_H
#define CLI_LEDGER_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "config/config.h"

struct ledger_options {
	struct config config;
	const char *argument; /* the one that is no option; NULL: none was given */
	bool force;
	bool json;
};

/* Of `options` in a command's table: which field they fill. */
enum ledger_option {
	LEDGER_OPTION_CONFIG = 1,
	LEDGER_OPTION_STATE_DIR,
	LEDGER_OPTION_FORCE,
	LEDGER_OPTION_JSON,
	LEDGER_OPTION_HELP,
	LEDGER_OPTION_OTHER, /* from here on: the command's own */
};

struct ledger_command {
	const char *help;
	const struct option *options;
	bool argument_optional;
	/* Takes the command's own options, NULL: there are none. Gives what is wrong, or NULL. */
	const char *(*take)(void *data, int option, const char *value);
	void *data;
};

/* True: go on. False: everything has been said, end with *code_out. */
bool ledger_options_read(const struct ledger_command *command, int argc, char **argv,
			 struct ledger_options *options_out, int *code_out);

#endif
