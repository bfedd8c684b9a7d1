/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp backup and restore: the message store as one file.
 *
 * A backup may be made while the gateway runs.  A restore needs the gateway stopped; it keeps
 * the replaced store beside the new one.  SIGINT, SIGTERM and SIGHUP stop either of them
 * cleanly; a second signal ends the program.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/command.h"
#include "cli/json_field.h"
#include "cli/terminal.h"
#include "config/config.h"
#include "store/store_backup.h"
#include "store/store_restore.h"

enum {
	WORDS_BYTES = 32,
	LONG_PAGES = 8192, /* 32 MiB: checking less takes no time worth showing */
};

/* Progress */

static volatile sig_atomic_t cmd_backup_is_interrupted;
static struct progress cmd_backup_shown; /* of the one copy that this process makes */

static void cmd_backup_on_signal(int number)
{
	cmd_backup_is_interrupted = 1;
}

/* A signal that was ignored at the start stays ignored. */
static void cmd_backup_catch(int number)
{
	struct sigaction action = { .sa_handler = cmd_backup_on_signal,
				    .sa_flags = SA_RESETHAND | SA_RESTART };
	struct sigaction before;

	if (!sigaction(number, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

/* Returns false to stop. */
static bool cmd_backup_on_progress(void *data, int done, int total)
{
	char words[WORDS_BYTES];

	if (done == total)
		snprintf(words, sizeof(words), "checking the copy");
	else
		snprintf(words, sizeof(words), "copying, %d %%",
			 (int)(100LL * done / total));
	progress_set_words(&cmd_backup_shown, words);
	progress_poll(&cmd_backup_shown);
	if (done == total && total >= LONG_PAGES)
		progress_tick(&cmd_backup_shown); /* the check reports no progress */
	return !cmd_backup_is_interrupted;
}

static struct store_backup_progress cmd_backup_begin_progress(void)
{
	cmd_backup_catch(SIGINT);
	cmd_backup_catch(SIGTERM);
	cmd_backup_catch(SIGHUP);
	progress_begin(&cmd_backup_shown, "copying");
	return (struct store_backup_progress){ cmd_backup_on_progress, NULL };
}

/* Results */

static const char *cmd_backup_plural(int64_t count)
{
	return count == 1 ? "" : "s";
}

/* Prints "12 messages, 2 SIM cards, 1 client (4096 bytes)" */
static void cmd_backup_print_summary(const struct store_backup_summary *summary)
{
	printf("%lld message%s, %lld SIM card%s, %lld client%s (%lld bytes)",
	       (long long)summary->messages, cmd_backup_plural(summary->messages),
	       (long long)summary->sims, cmd_backup_plural(summary->sims),
	       (long long)summary->clients, cmd_backup_plural(summary->clients),
	       (long long)summary->bytes);
}

/* Leaves out a path that is not UTF-8: JSON cannot hold it. */
static void cmd_backup_put_path(struct json_writer *writer, const char *key,
				const char *path)
{
	if (utf8_valid(path, strlen(path)))
		json_put_string(writer, key, path);
}

/* `restored` is NULL for a backup. Returns the exit code. */
static int cmd_backup_print_json(const char *file,
				 const struct store_backup_summary *summary,
				 const struct store_restore_result *restored)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_field_begin(&text);

	if (!writer)
		return EXIT_CODE_FAILED;
	cmd_backup_put_path(writer, "file", file);
	json_put_integer(writer, "messages", summary->messages);
	json_put_integer(writer, "sims", summary->sims);
	json_put_integer(writer, "clients", summary->clients);
	json_put_integer(writer, "bytes", summary->bytes);
	if (restored) {
		json_put_integer(writer, "became_unknown", restored->unknown);
		json_put_integer(writer, "left_out", restored->left_out);
		json_put_boolean(writer, "keeps_clients", restored->keeps_clients);
		json_put_boolean(writer, "replaced_damaged", restored->was_damaged);
		if (*restored->aside)
			cmd_backup_put_path(writer, "replaced", restored->aside);
	}
	return json_field_end(writer, &text) ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}

/* `force` is NULL if the command has no such option. Returns false to exit with *code_out. */
static bool cmd_backup_read(const char *help, bool *force, int argc, char **argv,
			    struct config *config_out, bool *json_out, int *code_out)
{
	struct options_store store = { NULL };
	const struct options_row rows[] = {
		OPTIONS_STORE_ROWS(&store),
		force ? (struct options_row){ "force", .flag = force }
		      : (struct options_row){ NULL },
		{ NULL },
	};
	const struct options_table table = { help, rows, 1, 1 };

	if (!options_read(&table, argc, argv, code_out))
		return false;
	*json_out = store.json;
	*code_out = options_load(&store, config_out);
	return *code_out == EXIT_CODE_OK;
}

/* backup */

static const char cmd_backup_help[] =
	"Usage: " PROGRAM_NAME " backup [OPTION]... FILE\n"
	"Copy the message store (messages, SIM IDs and clients) to FILE.\n"
	"The gateway may run. FILE contains all messages, so it gets mode 0600.\n"
	"\n" OPTIONS_STORE_HELP "  --force          replace an existing FILE\n"
	"  --json           print what FILE holds as JSON\n" OPTIONS_HELP_HELP "\n"
	"Exit codes: 0 FILE is complete, checked and on disk; 1 failed, FILE is as it\n"
	"was; 2 wrong options.\n";

static int cmd_backup_run(int argc, char **argv)
{
	struct explanation problem = { "" };
	struct store_backup_summary summary;
	struct store_backup backup = { 0 };
	struct config config;
	bool json;
	int code;

	if (!cmd_backup_read(cmd_backup_help, &backup.replace, argc, argv, &config, &json,
			     &code))
		return code;
	backup.folder = config.state_dir;
	backup.file = argv[optind];
	backup.progress = cmd_backup_begin_progress();
	code = store_backup(&backup, &summary, &problem);
	progress_clear(&cmd_backup_shown);
	if (code)
		return options_report_failure(
			"not_possible",
			"No FILE was written or replaced. Its folder must exist and have "
			"room for the message store; --state-dir must name the gateway's "
			"state folder, which only root and the gateway's user may read",
			"%s", problem.text);
	if (json)
		return cmd_backup_print_json(backup.file, &summary, NULL);
	printf("%s holds ", backup.file);
	cmd_backup_print_summary(&summary);
	puts(", and was checked.");
	return EXIT_CODE_OK;
}

const struct command cmd_backup = {
	.name = "backup",
	.group = COMMAND_MAINTENANCE,
	.summary = "copy the message store to a file",
	.example = "backup /media/card/phone.db",
	.run = cmd_backup_run,
};

/* restore */

static const char cmd_backup_restore_help[] =
	"Usage: " PROGRAM_NAME " restore [OPTION]... FILE\n"
	"Replace the message store with FILE, which \"" PROGRAM_NAME " backup\" wrote.\n"
	"The gateway must not run. The present message store is kept beside the new one.\n"
	"Messages that FILE has as not yet sent may have been sent since: they become\n"
	"\"unknown\" and are not sent. Clients revoked since then stay revoked;\n"
	"idempotency keys and used limits are kept. Only rows are taken from FILE.\n"
	"\n" OPTIONS_STORE_HELP
	"  --json           print what was done as JSON\n" OPTIONS_HELP_HELP "\n"
	"Exit codes: 0 restored; 1 failed, nothing changed; 2 wrong options.\n";

static void cmd_backup_print_restored(const struct store_restore_result *restored)
{
	fputs("The message store holds ", stdout);
	cmd_backup_print_summary(&restored->summary);
	puts(".");
	if (restored->unknown)
		printf("Not yet sent, now unknown and not sent: %lld.\n",
		       (long long)restored->unknown);
	if (restored->left_out)
		printf("Left out because no gateway writes such rows: %lld.\n",
		       (long long)restored->left_out);
	if (*restored->aside)
		printf("The previous one is %s.\n", restored->aside);
	if (restored->was_damaged)
		puts("It is damaged: idempotency keys, used limits, opt-outs and "
		     "revocations since the\nbackup may be missing.");
	if (restored->keeps_clients)
		puts("The paired clients and their permissions stay as they were.");
	else if (restored->summary.clients)
		puts("Its clients may use the gateway again, even those revoked or "
		     "changed since:\ncheck them with " PROGRAM_NAME " client list.");
}

static int cmd_backup_run_restore(int argc, char **argv)
{
	struct explanation problem = { "" };
	struct store_restore_result restored;
	struct store_restore restore = { 0 };
	struct config config;
	bool json;
	int code;

	if (!cmd_backup_read(cmd_backup_restore_help, NULL, argc, argv, &config, &json,
			     &code))
		return code;
	restore.folder = config.state_dir;
	restore.file = argv[optind];
	restore.progress = cmd_backup_begin_progress();
	code = store_restore(&restore, &restored, &problem);
	progress_clear(&cmd_backup_shown);
	if (code)
		return options_report_failure(
			"not_possible",
			"Nothing was changed; --state-dir must name the state folder of "
			"the gateway, which must not run",
			"%s", problem.text);
	if (json)
		return cmd_backup_print_json(restore.file, &restored.summary, &restored);
	cmd_backup_print_restored(&restored);
	return EXIT_CODE_OK;
}

const struct command cmd_restore = {
	.name = "restore",
	.group = COMMAND_MAINTENANCE,
	.summary = "replace the message store with a backup",
	.example = "restore /media/card/phone.db",
	.run = cmd_backup_run_restore,
};
