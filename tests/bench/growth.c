/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * growth FOLDER COUNT...: what listings cost with stores of several sizes, side by side.
 *
 * Each store is filled directly and indexed in steps, as one of an older version is. Prints the
 * median of 51 calls of the store's own functions, and its ratio to the smallest store; octets
 * on disk, of all and of the index of texts; the cost of a message that arrives.
 */
#include <err.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "sms/indexer.h"
#include "store/store_database.h"
#include "store/store_index.h"
#include "store/store_internal.h"
#include "store/store_listing.h"
#include "../unit/store_steps.h"

enum { SIZES_MOST = 4, TIMES = 51, PAGE = 20, PIECE = 256 };

static const char fill[] =
	"BEGIN; INSERT OR IGNORE INTO sim VALUES (1, '8936', NULL, 5);"
	"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
	" INSERT INTO message (direction, sim_id, phone_number, text, state, created,"
	" changed, read_at, sent_time) SELECT i %% 3 > 0, 1, '+3620' || (1000000 + abs("
	" random()) %% (CASE i %% 4 WHEN 0 THEN 20 ELSE 1000 END)),"
	" CASE WHEN i = %d THEN 'Your code is 482913' ELSE"
	" 'Meeting ' || abs(random() %% 100000) || ' at noon tomorrow, bring ' ||"
	" hex(randomblob(6)) || ' köszönöm 会议' END,"
	" CASE WHEN i %% 3 > 0 THEN 9 ELSE 5 END, i * 1000, i * 1000, i %% 50, ''"
	" FROM n; COMMIT; UPDATE message_index SET text_from = (SELECT max(id) + 1"
	" FROM message), kind_from = (SELECT max(id) + 1 FROM message);";

static struct store *stores[SIZES_MOST];
static int counts[SIZES_MOST], sizes;
static size_t rows_left;

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static bool take_row(void *data, const struct message *message)
{
	return --rows_left > 0;
}

static void list(struct store *store, const struct store_listing_filter *filter)
{
	struct store_listing_query query = { .filter = *filter, .visit = take_row };
	int error;

	rows_left = PAGE;
	do
		error = store_listing_messages(store, &query, PIECE);
	while (error == STORE_E_MORE);
	if (error)
		errx(EXIT_FAILURE, "listing: error %d", error);
}

static void ignore_conversation(void *data, const struct conversation *conversation)
{
}

/* `part`: of the IDs, or of the times, in thousandths of all */
static const struct row {
	const char *name;
	struct store_listing_filter filter;
	int since, until, before, after;
	bool conversations, adds;
} rows[] = {
	{ "newest page", { 0 } },
	{ "page in the middle", { 0 }, .before = 500 },
	{ "by number", { .number = "+36201000500" } },
	{ "unread", { .unread_only = true } },
	{ "middle third of the time", { 0 }, .since = 333, .until = 667 },
	{ "oldest hundredth", { 0 }, .until = 10 },
	{ "word of every text", { .search = "tomorrow" } },
	{ "word of no text", { .search = "no such words" } },
	{ "word of one text", { .search = "code is 4829" } },
	{ "word in a time", { .search = "noon" }, .since = 333, .until = 667 },
	{ "conversations", { 0 }, .conversations = true },
	{ "resumed wait, words",
	  { .incoming_only = true, .search = "code is", .after_id = -1 } },
	{ "resumed wait, code",
	  { .incoming_only = true, .kind = MESSAGE_KIND_CODE, .after_id = -1 } },
	{ "message arrives", { 0 }, .adds = true },
};

static void add(struct store *store, int count)
{
	static int number;
	char text[64];
	struct store_incoming_draft draft = { .sim_id = 1,
					      .reported_ms = count * INT64_C(1000),
					      .number = "+36201000500",
					      .text = text,
					      .sent_time = "" };
	bool known;
	int64_t id;

	snprintf(text, sizeof(text), "another text, the one of number %d", ++number);
	if (step_add_incoming(store, &draft, &id, &known))
		errx(EXIT_FAILURE, "adding");
}

static void run(const struct row *row, int size)
{
	struct store_listing_filter filter = row->filter;
	int64_t count = counts[size];

	filter.since_ms = row->since * count;
	filter.until_ms = row->until * count;
	filter.before_id = row->before * count / 1000;
	if (row->adds)
		add(stores[size], counts[size]);
	else if (row->conversations)
		store_listing_conversations(
			stores[size],
			&(struct store_listing_conversation_query){
				.limit = PAGE, .visit = ignore_conversation });
	else
		list(stores[size], &filter);
}

static int compare(const void *one, const void *other)
{
	int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;

	return (a > b) - (a < b);
}

static double median_us(const struct row *row, int size)
{
	int64_t taken[TIMES];

	run(row, size);
	for (int i = 0; i < TIMES; i++) {
		int64_t began = now_ns();

		run(row, size);
		taken[i] = now_ns() - began;
	}
	qsort(taken, TIMES, sizeof(*taken), compare);
	return (double)taken[TIMES / 2] / 1000;
}

static int64_t number_of(struct store *store, const char *sql)
{
	int64_t number = 0;

	store_database_read_integer(store->database, sql, &number);
	return number;
}

static void open_filled(const char *parent, int size)
{
	struct store_index_pass pass = { .judge = indexer_judge };
	struct explanation error = { "" };
	char folder[300], sql[2000];
	int64_t began, octets;

	snprintf(folder, sizeof(folder), "%s/growth-%d", parent, counts[size]);
	if (store_open(folder, &stores[size], &error))
		errx(EXIT_FAILURE, "%s", error.text);
	sqlite3_exec(stores[size]->database, "PRAGMA synchronous = OFF", NULL, NULL,
		     NULL);
	snprintf(sql, sizeof(sql), fill, counts[size], counts[size]);
	if (sqlite3_exec(stores[size]->database, sql, NULL, NULL, NULL))
		errx(EXIT_FAILURE, "%s", sqlite3_errmsg(stores[size]->database));
	octets = number_of(stores[size], "PRAGMA page_count");
	began = now_ns();
	while (!pass.done) {
		if (store_index_step(stores[size], &pass))
			errx(EXIT_FAILURE, "indexing");
	}
	printf("%9d messages: %4lld octets each on disk, %3lld "
	       "of them indexes of this kind; indexed in %.1f s\n",
	       counts[size],
	       (long long)(number_of(stores[size], "PRAGMA page_count") * 4096 /
			   counts[size]),
	       (long long)((number_of(stores[size], "PRAGMA page_count") - octets) *
			   4096 / counts[size]),
	       (double)(now_ns() - began) / 1e9);
}

int main(int argc, char **argv)
{
	if (argc < 3 || argc > 2 + SIZES_MOST)
		errx(EXIT_FAILURE, "usage: growth FOLDER COUNT...");
	for (sizes = 0; sizes < argc - 2; sizes++) {
		counts[sizes] = atoi(argv[sizes + 2]);
		if (counts[sizes] < 1000)
			errx(EXIT_FAILURE, "at least 1000 messages");
		open_filled(argv[1], sizes);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double first = median_us(&rows[i], 0);

		printf("%-26s %8.1f us", rows[i].name, first);
		for (int size = 1; size < sizes; size++) {
			double taken = median_us(&rows[i], size);

			printf(" %8.1f us %5.2f", taken, taken / first);
		}
		printf("\n");
	}
	for (int size = 0; size < sizes; size++)
		store_close(stores[size]);
	return EXIT_SUCCESS;
}
