/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp doctor: what is wrong, and what to do about it. The gateway may run or not.
 *
 * A problem makes the exit code 1; a warning does not.
 */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/explanation.h"
#include "base/json.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/doctor/doctor.h"
#include "cli/options.h"

enum {
	OPTION_CONFIG = 1,
	OPTION_STATE_DIR,
	OPTION_JSON,
	OPTION_HELP,
};

static const char cmd_doctor_help[] =
	"Usage: ofono-mcp doctor [OPTION]...\n"
	"Check everything that must be right, and say what to do about what is not:\n"
	"configuration, D-Bus and its policy, oFono, each modem, clock, storage, "
	"gateway,\n"
	"tokens, the last message, certificate, ports.\n"
	"The gateway may run or not; if it does not, fewer checks are possible. Root "
	"sees\n"
	"most.\n"
	"\n" OPTIONS_STORE_HELP "  --json           as a JSON object\n" OPTIONS_HELP_HELP
	"\n"
	"Exit codes: 0 no problem; 1 at least one problem; 2 wrong options.\n";

static const struct option cmd_doctor_options[] = {
	{ "config", required_argument, NULL, OPTION_CONFIG },
	{ "state-dir", required_argument, NULL, OPTION_STATE_DIR },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

struct cmd_doctor_arguments {
	const char *config;
	const char *state_dir;
	bool json;
};

static bool cmd_doctor_check_config(struct doctor *doctor,
				    const struct cmd_doctor_arguments *arguments)
{
	struct explanation problem = { "" };
	struct config *config = &doctor->config;

	if (config_load_for(config, arguments->config, arguments->state_dir, &problem) ==
		    0 &&
	    config_check(config, &problem) == 0) {
		doctor_report(doctor,
			      &(struct doctor_finding){ DOCTOR_OK, "configuration" },
			      "%s is good",
			      arguments->config ? arguments->config : "it was read, and");
		return true;
	}
	doctor_report(doctor,
		      &(struct doctor_finding){
			      DOCTOR_PROBLEM, "configuration",
			      "Correct it; to check it: ofono-mcp serve --check-config" },
		      "%s", problem.text);
	return false;
}

static void cmd_doctor_check(struct doctor *doctor,
			     const struct cmd_doctor_arguments *arguments)
{
	if (!cmd_doctor_check_config(doctor, arguments))
		return;
	doctor_ofono_check(doctor);
	doctor_gateway_check(doctor);
	doctor_secrets_check(doctor);
	doctor_network_check(doctor);
}

static void cmd_doctor_check_and_print(struct doctor *doctor,
				       const struct cmd_doctor_arguments *arguments)
{
	cmd_doctor_check(doctor, arguments);
	if (doctor->counts[DOCTOR_PROBLEM] + doctor->counts[DOCTOR_WARNING] == 0)
		puts("\n"
		     "Everything is fine.");
	else
		printf("\nProblems: %u. Warnings: %u.\n", doctor->counts[DOCTOR_PROBLEM],
		       doctor->counts[DOCTOR_WARNING]);
}

static void cmd_doctor_check_and_write(struct doctor *doctor,
				       const struct cmd_doctor_arguments *arguments)
{
	struct buffer text = BUFFER_INIT;

	doctor->writer = json_writer_new(&text);
	if (!doctor->writer) {
		doctor->counts[DOCTOR_PROBLEM]++;
		return;
	}
	json_open_object(doctor->writer);
	json_key(doctor->writer, "findings");
	json_open_array(doctor->writer);
	cmd_doctor_check(doctor, arguments);
	json_close_array(doctor->writer);
	json_put_integer(doctor->writer, "problems", doctor->counts[DOCTOR_PROBLEM]);
	json_put_integer(doctor->writer, "warnings", doctor->counts[DOCTOR_WARNING]);
	json_close_object(doctor->writer);
	json_writer_free(doctor->writer);
	printf("%.*s\n", (int)text.length, text.data ? text.data : "");
	buffer_deinit(&text);
}

/* Returns 0, or an exit code; -1: print help. */
static int cmd_doctor_read_options(int argc, char **argv,
				   struct cmd_doctor_arguments *arguments)
{
	int option;

	while ((option = options_next(argc, argv, cmd_doctor_options)) != -1) {
		if (option == '?')
			return EXIT_CODE_USAGE;
		if (option == OPTION_HELP)
			return -1;
		if (option == OPTION_CONFIG)
			arguments->config = optarg;
		if (option == OPTION_STATE_DIR)
			arguments->state_dir = optarg;
		arguments->json |= option == OPTION_JSON;
	}
	if (optind == argc)
		return 0;
	return options_fail("unexpected argument \"%s\"", argv[optind]);
}

static int cmd_doctor_run(int argc, char **argv)
{
	static struct doctor doctor; /* large, and only one */
	struct cmd_doctor_arguments arguments = { NULL };
	int code = cmd_doctor_read_options(argc, argv, &arguments);

	if (code < 0) {
		fputs(cmd_doctor_help, stdout);
		return EXIT_CODE_OK;
	}
	if (code)
		return code;
	log_set_level(LOG_LEVEL_ERROR);
	if (arguments.json)
		cmd_doctor_check_and_write(&doctor, &arguments);
	else
		cmd_doctor_check_and_print(&doctor, &arguments);
	return doctor.counts[DOCTOR_PROBLEM] ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "find out what is wrong, and what to do",
	.run = cmd_doctor_run,
};
