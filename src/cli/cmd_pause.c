/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ofono-mcp pause, resume, reload: commands that change the whole gateway. */
#include <stdio.h>

#include "cli/json_field.h"
#include "cli/owner_command.h"

#define PAUSE_OPTIONS_HELP                                                \
	"\n" OPTIONS_STORE_HELP                                           \
	"  --json           print the result as JSON\n" OPTIONS_HELP_HELP \
	"\nExit codes: 0 done; 1 failed; 2 wrong options.\n"

/* pause, resume */

static const char cmd_pause_pause_help[] =
	"Usage: " PROGRAM_NAME " pause [OPTION]...\n"
	"Stop all sending until \"" PROGRAM_NAME
	" resume\", even across a restart. Incoming\n"
	"messages are still received and stored.\n" PAUSE_OPTIONS_HELP;

static const char cmd_pause_resume_help[] =
	"Usage: " PROGRAM_NAME " resume [OPTION]...\n"
	"Allow sending again, after \"" PROGRAM_NAME " pause\".\n" PAUSE_OPTIONS_HELP;

static int cmd_pause_print(const struct owner_command_call *call,
			   const struct json *result)
{
	const char *was = json_field_is_true(result, "changed") ? "" : "already ";

	if (json_member(result, "kept")) { /* "kept": false */
		puts("Sending is paused, but only until the gateway stops, because the "
		     "pause could not be\n"
		     "written to disk. Free space, then run again: " PROGRAM_NAME
		     " pause");
		return EXIT_CODE_FAILED;
	}
	if (json_field_is_true(result, "paused"))
		printf("Sending is %spaused. To resume: " PROGRAM_NAME " resume\n", was);
	else
		printf("Sending is %sallowed.\n", was);
	return EXIT_CODE_OK;
}

const struct command cmd_pause = {
	.name = "pause",
	.group = COMMAND_MAINTENANCE,
	.summary = "stop all sending",
	.example = "pause",
	.owner = {
		.help = cmd_pause_pause_help,
		.print = cmd_pause_print,
	},
};

const struct command cmd_resume = {
	.name = "resume",
	.group = COMMAND_MAINTENANCE,
	.summary = "allow sending again",
	.example = "resume",
	.owner = {
		.help = cmd_pause_resume_help,
		.print = cmd_pause_print,
	},
};

/* reload */

static const char cmd_pause_reload_help[] =
	"Usage: " PROGRAM_NAME " reload [OPTION]...\n"
	"Make the gateway read its configuration again, as SIGHUP does, and print what\n"
	"changed. An invalid configuration changes nothing. Contacts are read again too.\n" PAUSE_OPTIONS_HELP;

static int cmd_pause_print_reload(const struct owner_command_call *call,
				  const struct json *result)
{
	const struct json *changed = json_member(result, "changed");
	const char *problem = json_string(json_member(result, "contacts_problem"));

	if (problem)
		printf("Contacts: %s.\n", problem);
	if (!changed || !changed->count) {
		puts("Nothing changed.");
		return EXIT_CODE_OK;
	}
	json_foreach (change, changed) {
		const char *key = json_string(json_member(change, "key"));

		printf("%s: %s\n", key ? key : "",
		       json_field_is_true(change, "needs_restart")
			       ? "changed, but needs a restart"
			       : "changed");
	}
	return EXIT_CODE_OK;
}

const struct command cmd_reload = {
	.name = "reload",
	.group = COMMAND_SETUP,
	.summary = "reload the configuration",
	.example = "reload",
	.owner = {
		.help = cmd_pause_reload_help,
		.print = cmd_pause_print_reload,
	},
};
