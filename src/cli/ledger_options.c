/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/ledger_options.h"

#include <stdio.h>

#include "cli/command.h"
#include "cli/usage.h"
#include "base/explanation.h"

static bool end(int *code_out, int code)
{
	*code_out = code;
	return false;
}

static bool load(const char *file, const char *state_dir, struct config *config)
{
	struct explanation problem = { "" };

	if (config_load_for(config, file, state_dir, &problem) == 0)
		return true;
	usage_fail_config(problem.text);
	return false;
}

static const char *flaw_of(const struct ledger_command *command, int count, char **given)
{
	if (count == 0 && command->argument_optional)
		return NULL;
	if (count == 0 || !**given)
		return "an argument is missing";
	return count > 1 ? "that is one argument too many" : NULL;
}

bool ledger_options_read(const struct ledger_command *command, int argc, char **argv,
			 struct ledger_options *options_out, int *code_out)
{
	const char *file = NULL, *state_dir = NULL, *flaw;
	int option;

	*options_out = (struct ledger_options){ 0 };
	while ((option = usage_next_option(argc, argv, command->options)) != -1) {
		if (option == LEDGER_OPTION_HELP) {
			fputs(command->help, stdout);
			return end(code_out, EXIT_CODE_OK);
		}
		if (option == '?')
			return end(code_out, EXIT_CODE_USAGE);
		if (option == LEDGER_OPTION_CONFIG)
			file = optarg;
		if (option == LEDGER_OPTION_STATE_DIR)
			state_dir = optarg;
		options_out->force |= option == LEDGER_OPTION_FORCE;
		options_out->json |= option == LEDGER_OPTION_JSON;
		if (option >= LEDGER_OPTION_OTHER &&
		    (flaw = command->take(command->data, option, optarg)))
			return end(code_out, usage_fail("%s", flaw));
	}
	flaw = flaw_of(command, argc - optind, argv + optind);
	if (flaw)
		return end(code_out, usage_fail("%s", flaw));
	options_out->argument = argv[optind];
	if (!load(file, state_dir, &options_out->config))
		return end(code_out, EXIT_CODE_USAGE);
	return true;
}
