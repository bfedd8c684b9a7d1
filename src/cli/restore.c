/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp restore: a backup becomes the ledger. Not while a gateway works with it.
 */
#include <stdio.h>

#include "cli/command.h"
#include "cli/failing.h"
#include "cli/ledger_options.h"
#include "cli/ledger_report.h"
#include "store/store_restore.h"

static const char help[] =
	"Usage: ofono-mcp restore [OPTION]... FILE\n"
	"Make FILE, which \"ofono-mcp backup\" wrote, the ledger of the gateway, which\n"
	"must not run. The ledger that is there is kept beside it. Messages that FILE\n"
	"says were on their way may have been sent since: they become \"unknown\" and\n"
	"are not sent. A client that was revoked since stays so, and so do idempotency\n"
	"keys and what was used of the limits. Of FILE only the rows are taken.\n"
	"\n"
	"  --config FILE    the gateway's configuration; else, where it is there,\n"
	"                   " CONFIG_DEFAULT_PATH "\n"
	"  --state-dir DIR  where the gateway keeps its ledger\n"
	"  --json           tell as JSON what was done\n"
	"  --help           this text\n"
	"\n"
	"Exit codes: 0 restored; 1 nothing has changed; 2 wrong options.\n";

static const struct option options[] = {
	{ "config", required_argument, NULL, LEDGER_OPTION_CONFIG },
	{ "state-dir", required_argument, NULL, LEDGER_OPTION_STATE_DIR },
	{ "json", no_argument, NULL, LEDGER_OPTION_JSON },
	{ "help", no_argument, NULL, LEDGER_OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

static void print_restored(const struct store_restore_result *restored)
{
	fputs("The ledger holds ", stdout);
	ledger_report_print(&restored->summary);
	puts(".");
	if (restored->unknown)
		printf("%lld that were on their way are unknown now, and are not sent.\n",
		       (long long)restored->unknown);
	if (restored->left_out)
		printf("%lld rows that no gateway writes were left out.\n",
		       (long long)restored->left_out);
	if (*restored->aside)
		printf("The one before is %s.\n", restored->aside);
	if (restored->keeps_clients)
		puts("Who may use the gateway stays as it was until now.");
	else if (restored->summary.clients)
		puts("Its clients may use the gateway again, also one that was revoked "
		     "or "
		     "changed\nsince: ofono-mcp clients lists them.");
}

static int run_restore(int argc, char **argv)
{
	static const struct ledger_command command = { help, options };
	struct failing failing = { "restore", "not_possible",
				   "Nothing was changed; --state-dir names the folder of "
				   "the gateway, which must not run" };
	struct explanation problem = { "" };
	struct store_restore_result restored;
	struct ledger_options given;
	struct store_restore restore;
	int code, error;

	if (!ledger_options_read(&command, argc, argv, &given, &code))
		return code;
	restore = (struct store_restore){
		.folder = given.config.state_dir,
		.file = given.argument,
		.progress = ledger_report_progress(),
	};
	error = store_restore(&restore, &restored, &problem);
	ledger_report_progress_end();
	if (error) {
		failing.json = given.json;
		return failing_tell(&failing, "%s", problem.text);
	}
	if (given.json)
		return ledger_report_json(restore.file, &restored.summary, &restored)
			       ? EXIT_CODE_OK
			       : EXIT_CODE_FAILED;
	print_restored(&restored);
	return EXIT_CODE_OK;
}

const struct command command_restore = {
	.name = "restore",
	.summary = "make a backup the ledger again",
	.run = run_restore,
};
