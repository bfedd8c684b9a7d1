/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/ledger_report.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/progress.h"

enum {
	WORDS_BYTES = 32,
	LONG_PAGES = 8192, /* 32 MiB: what is less is checked before it is read */
};

static volatile sig_atomic_t is_interrupted;

static void on_interruption(int number)
{
	(void)number;
	is_interrupted = 1;
}

/* Who was started to ignore one goes on doing so; the second one ends it as ever. */
static void heed(int number)
{
	struct sigaction action = { .sa_handler = on_interruption,
				    .sa_flags = SA_RESETHAND | SA_RESTART };
	struct sigaction before;

	if (!sigaction(number, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

static struct progress progress; /* of the one copy that this process makes */

static bool tell_progress(void *data, int done, int total)
{
	char words[WORDS_BYTES];

	(void)data;
	if (done == total)
		snprintf(words, sizeof(words), "checking the copy");
	else
		snprintf(words, sizeof(words), "copying, %d %%",
			 (int)(100LL * done / total));
	progress_note(&progress, words);
	progress_poll(&progress);
	if (done == total && total >= LONG_PAGES)
		progress_tick(&progress); /* nothing is told until that is over */
	return !is_interrupted;
}

struct store_backup_progress ledger_report_progress(void)
{
	heed(SIGINT);
	heed(SIGTERM);
	heed(SIGHUP);
	progress_begin(&progress, "copying");
	return (struct store_backup_progress){ tell_progress, NULL };
}

void ledger_report_progress_end(void)
{
	progress_clear(&progress);
}

static const char *plural(int64_t count)
{
	return count == 1 ? "" : "s";
}

void ledger_report_print(const struct store_backup_summary *summary)
{
	printf("%lld message%s, %lld SIM card%s, %lld client%s (%lld bytes)",
	       (long long)summary->messages, plural(summary->messages),
	       (long long)summary->sims, plural(summary->sims),
	       (long long)summary->clients, plural(summary->clients),
	       (long long)summary->bytes);
}

/* A path need not be UTF-8, and then has no JSON. */
static void put_path(struct json_writer *writer, const char *key, const char *path)
{
	if (utf8_valid(path, strlen(path)))
		json_put_string(writer, key, path);
}

bool ledger_report_json(const char *file, const struct store_backup_summary *summary,
			const struct store_restore_result *restored)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);
	bool written;

	if (!writer)
		return false;
	json_open_object(writer);
	put_path(writer, "file", file);
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
		put_path(writer, "replaced", restored->aside);
	json_close_object(writer);
	json_writer_free(writer);
	written = !text.failed;
	if (written)
		printf("%.*s\n", (int)text.length, text.data);
	buffer_deinit(&text);
	return written;
}
