/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp pause, resume, reload: what the owner switches in the whole gateway.
 */
#include <stdio.h>

#include "cli/command.h"
#include "cli/owner_command.h"

#define COMMON_HELP                                                                  \
	"\n"                                                                         \
	"  --config FILE    the gateway's configuration; else, where it is there,\n" \
	"                   " CONFIG_DEFAULT_PATH "\n"                               \
	"  --state-dir DIR  where the gateway keeps its ledger\n"                    \
	"  --json           tell as JSON what was done\n"                            \
	"  --help           this text\n"                                             \
	"\n"                                                                         \
	"Exit codes: 0 done; 1 could not; 2 wrong options.\n"

static bool is_true(const struct json *result, const char *name)
{
	const struct json *value = json_member(result, name);

	return value && value->boolean;
}

/* pause, resume */

static const char pause_help[] = "Usage: ofono-mcp pause [OPTION]...\n"
				 "No agent may send anything until \"ofono-mcp resume\", "
				 "also after a restart. What\n"
				 "comes in is kept as ever.\n" COMMON_HELP;

static const char resume_help[] =
	"Usage: ofono-mcp resume [OPTION]...\n"
	"Agents may send again, after \"ofono-mcp pause\".\n" COMMON_HELP;

static int show_pause(const struct owner_call *call, const struct json *result)
{
	const char *was = is_true(result, "changed") ? "" : "already ";

	(void)call;
	if (json_member(result, "kept")) { /* it is not */
		puts("Sending is paused, but only until the gateway ends: that could not "
		     "be written to\nthe disk. Make room there, then again: ofono-mcp "
		     "pause");
		return EXIT_CODE_FAILED;
	}
	if (is_true(result, "paused"))
		printf("Sending is %spaused. To go on: ofono-mcp resume\n", was);
	else
		printf("Sending is %sallowed.\n", was);
	return EXIT_CODE_OK;
}

static int run_pause(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "pause",
		.help = pause_help,
		.show = show_pause,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_pause = {
	.name = "pause",
	.summary = "let no agent send anything",
	.run = run_pause,
};

static int run_resume(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "resume",
		.help = resume_help,
		.show = show_pause,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_resume = {
	.name = "resume",
	.summary = "let agents send again",
	.run = run_resume,
};

/* reload */

static const char reload_help[] =
	"Usage: ofono-mcp reload [OPTION]...\n"
	"Make the gateway that runs read its configuration again, all of it or\n"
	"nothing, as SIGHUP does, and tell what changed. The contacts are read again,\n"
	"too.\n" COMMON_HELP;

static int show_reload(const struct owner_call *call, const struct json *result)
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
		       is_true(change, "needs_restart")
			       ? "changed, but it takes a restart"
			       : "changed");
	}
	return EXIT_CODE_OK;
}

static int run_reload(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "reload",
		.help = reload_help,
		.show = show_reload,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_reload = {
	.name = "reload",
	.summary = "read the configuration again",
	.run = run_reload,
};
