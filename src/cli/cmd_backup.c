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

#include "base/buffer.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/cli_failure.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/options_store.h"
#include "cli/progress.h"
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
	(void)number;
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

/* False: stop. */
static bool cmd_backup_on_progress(void *data, int done, int total)
{
	char words[WORDS_BYTES];

	(void)data;
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

/* "12 messages, 2 SIM cards, 1 client (4096 bytes)" */
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

/* `restored` NULL: of a backup. Returns the exit code. */
static int cmd_backup_print_json(const char *file,
				 const struct store_backup_summary *summary,
				 const struct store_restore_result *restored)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);
	bool written;

	if (!writer)
		return EXIT_CODE_FAILED;
	json_open_object(writer);
	cmd_backup_put_path(writer, "file", file);
	json_put_integer(writer, "messages", summary->messages);
	json_put_integer(writer, "sims", summary->sims);
	json_put_integer(writer, "clients", summary->clients);
	json_put_integer(writer, "bytes", summary->bytes);
	if (restored)
		json_put_integer(writer, "became_unknown", restored->unknown);
	if (restored)
		json_put_integer(writer, "left_out", restored->left_out);
	if (restored)
		json_put_boolean(writer, "keeps_clients", restored->keeps_clients);
	if (restored && *restored->aside)
		cmd_backup_put_path(writer, "replaced", restored->aside);
	json_close_object(writer);
	json_writer_free(writer);
	written = !text.failed;
	if (written)
		printf("%.*s\n", (int)text.length, text.data);
	buffer_deinit(&text);
	return written ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}

/* backup */

static const char cmd_backup_help[] =
	"Usage: ofono-mcp backup [OPTION]... FILE\n"
	"Copy the message store (messages, SIM IDs and clients) to FILE.\n"
	"The gateway may run. FILE contains all messages, so it gets mode 0600.\n"
	"\n" OPTIONS_STORE_HELP "  --force          replace an existing FILE\n"
	"  --json           print what FILE holds as JSON\n" OPTIONS_HELP_HELP "\n"
	"Exit codes: 0 FILE is complete, checked and on disk; 1 failed, FILE is as it\n"
	"was; 2 wrong options.\n";

static const struct option cmd_backup_options[] = {
	{ "config", required_argument, NULL, OPTIONS_CONFIG },
	{ "state-dir", required_argument, NULL, OPTIONS_STATE_DIR },
	{ "force", no_argument, NULL, OPTIONS_FORCE },
	{ "json", no_argument, NULL, OPTIONS_JSON },
	{ "help", no_argument, NULL, OPTIONS_HELP },
	{ NULL, 0, NULL, 0 },
};

static int cmd_backup_run(int argc, char **argv)
{
	static const struct options_store_command command = { cmd_backup_help,
							      cmd_backup_options };
	struct cli_failure failure = {
		"backup", "not_possible",
		"No FILE was written or replaced. Its folder must exist and have room "
		"for "
		"the message store; --state-dir must name the gateway's state folder, "
		"which only root and the gateway's user may read"
	};
	struct explanation problem = { "" };
	struct store_backup_summary summary;
	struct options_store given;
	struct store_backup backup;
	int code, error;

	if (!options_read_store(&command, argc, argv, &given, &code))
		return code;
	backup = (struct store_backup){
		.folder = given.config.state_dir,
		.file = given.argument,
		.replace = given.force,
		.progress = cmd_backup_begin_progress(),
	};
	error = store_backup(&backup, &summary, &problem);
	progress_clear(&cmd_backup_shown);
	if (error) {
		failure.json = given.json;
		return cli_failure_report(&failure, "%s", problem.text);
	}
	if (given.json)
		return cmd_backup_print_json(backup.file, &summary, NULL);
	printf("%s holds ", backup.file);
	cmd_backup_print_summary(&summary);
	puts(", and was checked.");
	return EXIT_CODE_OK;
}

const struct command cmd_backup = {
	.name = "backup",
	.summary = "copy the message store to a file",
	.run = cmd_backup_run,
};

/* restore */

static const char cmd_backup_restore_help[] =
	"Usage: ofono-mcp restore [OPTION]... FILE\n"
	"Replace the message store with FILE, which \"ofono-mcp backup\" wrote.\n"
	"The gateway must not run. The present message store is kept beside the new "
	"one.\n"
	"Messages that FILE has as not yet sent may have been sent since: they become\n"
	"\"unknown\" and are not sent. Clients revoked since then stay revoked;\n"
	"idempotency keys and used limits are kept. Only rows are taken from FILE.\n"
	"\n" OPTIONS_STORE_HELP
	"  --json           print what was done as JSON\n" OPTIONS_HELP_HELP "\n"
	"Exit codes: 0 restored; 1 failed, nothing changed; 2 wrong options.\n";

static const struct option cmd_backup_restore_options[] = {
	{ "config", required_argument, NULL, OPTIONS_CONFIG },
	{ "state-dir", required_argument, NULL, OPTIONS_STATE_DIR },
	{ "json", no_argument, NULL, OPTIONS_JSON },
	{ "help", no_argument, NULL, OPTIONS_HELP },
	{ NULL, 0, NULL, 0 },
};

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
	if (restored->keeps_clients)
		puts("The paired clients and their permissions stay as they were.");
	else if (restored->summary.clients)
		puts("Its clients may use the gateway again, even those revoked or "
		     "changed since:\ncheck them with ofono-mcp clients.");
}

static int cmd_backup_run_restore(int argc, char **argv)
{
	static const struct options_store_command command = {
		cmd_backup_restore_help, cmd_backup_restore_options
	};
	struct cli_failure failure = {
		"restore", "not_possible",
		"Nothing was changed; --state-dir must name the state folder of the "
		"gateway, which must not run"
	};
	struct explanation problem = { "" };
	struct store_restore_result restored;
	struct options_store given;
	struct store_restore restore;
	int code, error;

	if (!options_read_store(&command, argc, argv, &given, &code))
		return code;
	restore = (struct store_restore){
		.folder = given.config.state_dir,
		.file = given.argument,
		.progress = cmd_backup_begin_progress(),
	};
	error = store_restore(&restore, &restored, &problem);
	progress_clear(&cmd_backup_shown);
	if (error) {
		failure.json = given.json;
		return cli_failure_report(&failure, "%s", problem.text);
	}
	if (given.json)
		return cmd_backup_print_json(restore.file, &restored.summary, &restored);
	cmd_backup_print_restored(&restored);
	return EXIT_CODE_OK;
}

const struct command cmd_restore = {
	.name = "restore",
	.summary = "replace the message store with a backup",
	.run = cmd_backup_run_restore,
};
