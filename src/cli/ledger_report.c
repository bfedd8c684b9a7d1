/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/ledger_report.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/json_writer.h"
#include "base/utf8.h"

enum { LONG_PAGES = 8192 }; /* 32 MiB: what is less is done before it is read */

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

static bool tell_progress(void *data, int done, int total)
{
	(void)data;
	if (total >= LONG_PAGES && isatty(STDERR_FILENO))
		fprintf(stderr, "\r%3d %%%s", (int)(100LL * done / total),
			done == total || is_interrupted ? "\n" : "");
	return !is_interrupted;
}

struct store_progress ledger_report_progress(void)
{
	heed(SIGINT);
	heed(SIGTERM);
	heed(SIGHUP);
	return (struct store_progress){ tell_progress, NULL };
}

static const char *plural(int64_t count)
{
	return count == 1 ? "" : "s";
}

void ledger_report_print(const struct store_summary *summary)
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

bool ledger_report_json(const char *file, const struct store_summary *summary,
			const struct store_restored *restored)
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
