/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of commands that work on the message store without the gateway: --config,
 * --state-dir, --json, --help, perhaps --force and one operand.
 */
#ifndef CLI_OPTIONS_STORE_H
#define CLI_OPTIONS_STORE_H

#include <getopt.h>
#include <stdbool.h>

#include "config/config.h"

/* The result of options_read_store(). */
struct options_store {
	struct config config;
	const char *argument; /* the operand; NULL: not given */
	bool force;
	bool json;
};

/* Values in the command's table of options. */
enum options_store_code {
	OPTIONS_CONFIG = 1,
	OPTIONS_STATE_DIR,
	OPTIONS_FORCE,
	OPTIONS_JSON,
	OPTIONS_HELP,
	OPTIONS_OTHER, /* from here on: the command's own */
};

struct options_store_command {
	const char *help;
	const struct option *options;
	bool argument_is_optional;
	/* Reads one of the command's own options. Returns what is wrong, or NULL. NULL: none. */
	const char *(*read)(void *data, int option, const char *value);
	void *data;
};

/* False: help or an error has been printed; exit with *code_out. */
bool options_read_store(const struct options_store_command *command, int argc,
			char **argv, struct options_store *store_out, int *code_out);

#endif
