/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store_database.h"

enum { STEP_PAGES = 1024 };

static int make_file(struct store_opening *to)
{
	int fd = open(to->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return store_opening_fail(to, -errno, "cannot be made: %m");
	close(fd);
	return 0;
}

/* The transaction of the source keeps its moment however long this takes. */
static int copy_pages(struct store_opening *from, struct store_opening *to,
		      const struct store_progress *progress)
{
	sqlite3_backup *backup;
	bool goes_on = true;
	int result;

	errno = 0; /* see store_database_error() */
	backup = sqlite3_backup_init(to->database, "main", from->database, "main");
	if (!backup)
		return store_opening_fail(to, -EIO, "%s", sqlite3_errmsg(to->database));
	do {
		int total;

		result = sqlite3_backup_step(backup, STEP_PAGES);
		total = sqlite3_backup_pagecount(backup);
		if (progress->step && total > 0)
			goes_on = progress->step(progress->data,
						 total - sqlite3_backup_remaining(backup),
						 total);
	} while (result == SQLITE_OK && goes_on);
	result = sqlite3_backup_finish(backup);
	if (!goes_on)
		return store_opening_fail(to, -EINTR, "was not finished: interrupted");
	if (result == SQLITE_OK)
		return 0;
	return store_opening_fail(to, store_database_error(to->database, result),
				  "cannot be written: %s", sqlite3_errstr(result));
}

int store_copy(struct store_opening *from, struct store_opening *to,
	       const struct store_progress *progress)
{
	int64_t tables;
	int error = store_opening_execute(from, "BEGIN");

	if (!error) /* the moment is that of the first read */
		error = store_opening_ask(from, "SELECT count(*) FROM sqlite_schema",
					  &tables);
	if (!error)
		error = make_file(to);
	if (!error)
		error = store_opening_connect(to, SQLITE_OPEN_READWRITE);
	if (!error)
		error = copy_pages(from, to, progress);
	if (!error)
		error = store_opening_execute(to, "PRAGMA synchronous = FULL;"
						  "PRAGMA trusted_schema = OFF;"
						  "PRAGMA journal_mode = DELETE");
	return error > 0 ? -ENOSPC : error;
}

int store_copy_check_kind(struct store_opening *opening)
{
	int64_t version = 0, tables = 0;
	int error = store_opening_ask(opening, "PRAGMA user_version", &version);

	if (!error)
		error = store_opening_ask(
			opening,
			"SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
			" AND name IN ('sim', 'client', 'message', 'message_change')",
			&tables);
	if (error)
		return error;
	if (version > STORE_SCHEMA_VERSION)
		return store_opening_fail(
			opening, -ENOTSUP,
			"made by a newer ofono-mcp (schema %lld, this one knows %d); "
			"install that one first",
			(long long)version, STORE_SCHEMA_VERSION);
	if (version < 0 || tables != 4)
		return store_opening_fail(opening, -EINVAL, "not a ledger of ofono-mcp");
	return 0;
}

int store_copy_summarize(struct store_opening *opening, struct store_summary *summary)
{
	struct stat status;
	int error = store_opening_ask(opening, "SELECT count(*) FROM message",
				      &summary->messages);

	if (!error)
		error = store_opening_ask(opening, "SELECT count(*) FROM sim",
					  &summary->sims);
	if (!error)
		error = store_opening_ask(opening, "SELECT count(*) FROM client",
					  &summary->clients);
	if (!error && stat(opening->path, &status) < 0)
		error = store_opening_fail(opening, -errno, "%m");
	if (!error)
		summary->bytes = status.st_size;
	return error;
}
