/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ofono-mcp pause, resume, reload: commands that change the whole gateway. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/json_field.h"
#include "cli/options.h"
#include "cli/owner_command.h"

#define PAUSE_OPTIONS_HELP                                                \
	"\n" OPTIONS_STORE_HELP                                           \
	"  --json           print the result as JSON\n" OPTIONS_HELP_HELP \
	"\nExit codes: 0 done; 1 failed; 2 wrong options.\n"

/* pause, resume */

static const char cmd_pause_pause_help[] =
	"Usage: ofono-mcp pause [OPTION]...\n"
	"Stop all sending until \"ofono-mcp resume\", even across a restart. Incoming\n"
	"messages are still received and stored.\n" PAUSE_OPTIONS_HELP;

static const char cmd_pause_resume_help[] =
	"Usage: ofono-mcp resume [OPTION]...\n"
	"Allow sending again, after \"ofono-mcp pause\".\n" PAUSE_OPTIONS_HELP;

static int cmd_pause_print(const struct owner_command_call *call,
			   const struct json *result)
{
	const char *was = json_field_is_true(result, "changed") ? "" : "already ";

	(void)call;
	if (json_member(result, "kept")) { /* "kept": false */
		puts("Sending is paused, but only until the gateway stops, because the "
		     "pause could not be\n"
		     "written to disk. Free space, then run again: ofono-mcp pause");
		return EXIT_CODE_FAILED;
	}
	if (json_field_is_true(result, "paused"))
		printf("Sending is %spaused. To resume: ofono-mcp resume\n", was);
	else
		printf("Sending is %sallowed.\n", was);
	return EXIT_CODE_OK;
}

static int cmd_pause_run_pause(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "pause",
		.help = cmd_pause_pause_help,
		.print = cmd_pause_print,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command cmd_pause = {
	.name = "pause",
	.summary = "stop all sending",
	.run = cmd_pause_run_pause,
};

static int cmd_pause_run_resume(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "resume",
		.help = cmd_pause_resume_help,
		.print = cmd_pause_print,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command cmd_resume = {
	.name = "resume",
	.summary = "allow sending again",
	.run = cmd_pause_run_resume,
};

/* reload */

static const char cmd_pause_reload_help[] =
	"Usage: ofono-mcp reload [OPTION]...\n"
	"Make the gateway read its configuration again, as SIGHUP does, and print what\n"
	"changed. An invalid configuration changes nothing. Contacts are read again "
	"too.\n" PAUSE_OPTIONS_HELP;

static int cmd_pause_print_reload(const struct owner_command_call *call,
				  const struct json *result)
{
	const struct json *changed = json_member(result, "changed");
	const char *problem = json_string(json_member(result, "contacts_problem"));

	(void)call;
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

static int cmd_pause_run_reload(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "reload",
		.help = cmd_pause_reload_help,
		.print = cmd_pause_print_reload,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command cmd_reload = {
	.name = "reload",
	.summary = "reload the configuration",
	.run = cmd_pause_run_reload,
};
