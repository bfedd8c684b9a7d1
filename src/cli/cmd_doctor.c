/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp doctor: what is wrong, and what to do about it. The gateway need not run.
 *
 * A problem makes the exit code 1; a warning, which may matter, and a note, which is only for your
 * information, do not.
 */
#include <stdio.h>

#include "base/explanation.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/doctor/doctor.h"
#include "cli/json_field.h"

static const char cmd_doctor_help[] =
	"Usage: " PROGRAM_NAME " doctor [OPTION]...\n"
	"Check the whole setup, and say how to fix what is wrong: configuration, clock,\n"
	"storage, gateway, tokens, the last message, certificate, ports; on a phone also\n"
	"D-Bus and its policy, oFono and each modem.\n"
	"The gateway need not run; without it, fewer checks are possible. Root can check\n"
	"the most.\n"
	"\n" OPTIONS_STORE_HELP "  --json           as a JSON object\n" OPTIONS_HELP_HELP
	"\n"
	"Exit codes: 0 no problem; 1 at least one problem; 2 wrong options.\n";

static void cmd_doctor_report_useless(void *data, const char *text)
{
	doctor_report(data, DOCTOR_WARNING, "configuration",
		      "Correct or remove it; then: " PROGRAM_NAME " reload", "%s", text);
}

static bool cmd_doctor_check_config(struct doctor *doctor,
				    const struct options_store *store)
{
	struct explanation problem = { "" };
	struct config *config = &doctor->config;

	if (config_load_for(config, store->file, store->state_dir, &problem) == 0 &&
	    config_check(config, &problem) == 0) {
		doctor_report(doctor, DOCTOR_OK, "configuration", NULL, "%s is valid",
			      store->file ? store->file : "it");
		config_find_useless(config, cmd_doctor_report_useless, doctor);
		return true;
	}
	doctor_report(doctor, DOCTOR_PROBLEM, "configuration",
		      "Correct it; to check it: " PROGRAM_NAME " serve --check-config",
		      "%s", problem.text);
	return false;
}

static void cmd_doctor_check(struct doctor *doctor, const struct options_store *store)
{
	if (!cmd_doctor_check_config(doctor, store))
		return;
	/* in this order: the first one needs root, and later ones use earlier results */
	if (command_list_check_radio)
		command_list_check_radio(doctor);
	doctor_gateway_check(doctor);
	doctor_secrets_check(doctor);
	doctor_network_check(doctor);
}

static void cmd_doctor_print(struct doctor *doctor, const struct options_store *store)
{
	cmd_doctor_check(doctor, store);
	if (doctor->counts[DOCTOR_PROBLEM] + doctor->counts[DOCTOR_WARNING] == 0)
		printf("\nEverything is fine. Notes: %u.\n", doctor->counts[DOCTOR_NOTE]);
	else
		printf("\nProblems: %u. Warnings: %u. Notes: %u.\n",
		       doctor->counts[DOCTOR_PROBLEM], doctor->counts[DOCTOR_WARNING],
		       doctor->counts[DOCTOR_NOTE]);
}

static void cmd_doctor_write(struct doctor *doctor, const struct options_store *store)
{
	struct buffer text = BUFFER_INIT;

	doctor->writer = json_field_begin(&text);
	if (doctor->writer) {
		json_open_array_at(doctor->writer, "findings");
		cmd_doctor_check(doctor, store);
		json_close_array(doctor->writer);
		json_put_integer(doctor->writer, "problems",
				 doctor->counts[DOCTOR_PROBLEM]);
		json_put_integer(doctor->writer, "warnings",
				 doctor->counts[DOCTOR_WARNING]);
		json_put_integer(doctor->writer, "notes", doctor->counts[DOCTOR_NOTE]);
	}
	if (!json_field_end(doctor->writer, &text))
		doctor->counts[DOCTOR_PROBLEM]++;
}

static int cmd_doctor_run(int argc, char **argv)
{
	static struct doctor doctor; /* large, and only one */
	struct options_store store = { NULL };
	const struct options_row rows[] = { OPTIONS_STORE_ROWS(&store), { NULL } };
	const struct options_table table = { cmd_doctor_help, rows };
	int code;

	if (!options_read(&table, argc, argv, &code))
		return code;
	log_set_level(LOG_LEVEL_ERROR);
	if (store.json)
		cmd_doctor_write(&doctor, &store);
	else
		cmd_doctor_print(&doctor, &store);
	return doctor.counts[DOCTOR_PROBLEM] ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.group = COMMAND_SETUP,
	.summary = "find problems, and say how to fix them",
	.example = "doctor",
	.run = cmd_doctor_run,
};
