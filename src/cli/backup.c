/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp backup: the ledger as one file, also while the gateway runs.
 */
#include <stdio.h>

#include "cli/command.h"
#include "cli/failing.h"
#include "cli/ledger_options.h"
#include "cli/ledger_report.h"
#include "store/store_backup.h"

static const char help[] =
	"Usage: ofono-mcp backup [OPTION]... FILE\n"
	"Copy messages, SIM numbers and clients to FILE, as they are at this moment.\n"
	"The gateway may run. Whoever reads FILE reads all messages: it gets mode 0600.\n"
	"\n"
	"  --config FILE    the gateway's configuration; else, where it is there,\n"
	"                   " CONFIG_DEFAULT_PATH "\n"
	"  --state-dir DIR  where the gateway keeps its ledger\n"
	"  --force          replace FILE when it is there\n"
	"  --json           tell as JSON what FILE holds\n"
	"  --help           this text\n"
	"\n"
	"Exit codes: 0 FILE is whole, checked and on disk; 1 there is no FILE, or it is\n"
	"what it was; 2 wrong options.\n";

static const struct option options[] = {
	{ "config", required_argument, NULL, LEDGER_OPTION_CONFIG },
	{ "state-dir", required_argument, NULL, LEDGER_OPTION_STATE_DIR },
	{ "force", no_argument, NULL, LEDGER_OPTION_FORCE },
	{ "json", no_argument, NULL, LEDGER_OPTION_JSON },
	{ "help", no_argument, NULL, LEDGER_OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

static int run_backup(int argc, char **argv)
{
	static const struct ledger_command command = { help, options };
	struct failing failing = {
		"backup", "not_possible",
		"No FILE was made or replaced. Its folder has to be "
		"there, with room for all that the ledger has; "
		"--state-dir names the folder of the gateway, which root "
		"and its user may read"
	};
	struct explanation problem = { "" };
	struct store_backup_summary summary;
	struct ledger_options given;
	struct store_backup backup;
	int code, error;

	if (!ledger_options_read(&command, argc, argv, &given, &code))
		return code;
	backup = (struct store_backup){
		.folder = given.config.state_dir,
		.file = given.argument,
		.replace = given.force,
		.progress = ledger_report_progress(),
	};
	error = store_backup(&backup, &summary, &problem);
	ledger_report_progress_end();
	if (error) {
		failing.json = given.json;
		return failing_tell(&failing, "%s", problem.text);
	}
	if (given.json)
		return ledger_report_json(backup.file, &summary, NULL) ? EXIT_CODE_OK
								       : EXIT_CODE_FAILED;
	printf("%s holds ", backup.file);
	ledger_report_print(&summary);
	puts(", and was checked.");
	return EXIT_CODE_OK;
}

const struct command command_backup = {
	.name = "backup",
	.summary = "copy the ledger to a file",
	.run = run_backup,
};
