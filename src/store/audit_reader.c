/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the audit log from a read-only database inside one transaction, so that
 * everything shows the same moment.
 *
 * Verification walks all lines in the order of their IDs and keeps the expected ID and
 * the hash of the line before. It starts at the anchor, the last line that was pruned. A
 * gap in the IDs, a wrong hash or a head that does not match adds a break; the next line
 * is then checked against the hash that its predecessor really has. At the end, saved
 * heads that no line matched are reported.
 */
#include "store/audit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_internal.h"
#include "store/store_database.h"

struct audit_reader {
	struct store_database opening;
	struct explanation error;
	void (*report)(void *data); /* NULL if progress is not reported */
	void *report_data;
};

enum { REPORT_LINES = 16 };

static int audit_reader_begin(struct store_database *opening)
{
	int64_t tables = 0;
	int error = store_database_execute(opening, "PRAGMA trusted_schema = OFF; BEGIN");

	if (!error)
		error = store_database_query_int(
			opening,
			"SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
			" AND name IN ('audit', 'audit_anchor')",
			&tables);
	if (error || tables == 2)
		return error;
	return store_database_fail(
		opening, -ENOTSUP,
		"made before the audit log existed; it begins when the gateway starts");
}

int audit_reader_open(const char *folder, struct audit_reader **reader_out,
		      struct explanation *error)
{
	struct audit_reader *reader = calloc(1, sizeof(*reader));
	int failure;

	if (!reader)
		return -ENOMEM;
	reader->opening.error = error;
	failure = store_open_readonly(folder, &reader->opening);
	if (!failure)
		failure = audit_reader_begin(&reader->opening);
	if (failure) {
		audit_reader_close(reader);
		return failure;
	}
	reader->opening.error = &reader->error;
	*reader_out = reader;
	return 0;
}

void audit_reader_close(struct audit_reader *reader)
{
	if (!reader)
		return;
	store_database_abort(&reader->opening);
	free(reader);
}

const char *audit_reader_error(const struct audit_reader *reader)
{
	return reader->error.text;
}

/* Returns NULL if it failed, and the error text is set. */
static sqlite3_stmt *audit_reader_prepare(struct audit_reader *reader, const char *sql)
{
	sqlite3 *database = reader->opening.database;
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
		store_database_fail(&reader->opening, -EIO, "%s",
				    sqlite3_errmsg(database));
	return statement;
}

/* `result` is that of the last step. */
static int audit_reader_finish(struct audit_reader *reader, sqlite3_stmt *statement,
			       int result)
{
	int error = 0;

	if (result != SQLITE_DONE && result != SQLITE_ROW)
		error = store_database_fail(&reader->opening, -EIO,
					    "cannot be read completely: %s",
					    sqlite3_errmsg(reader->opening.database));
	sqlite3_finalize(statement);
	return error;
}

int audit_reader_list(struct audit_reader *reader, const struct audit_reader_range *range,
		      void (*visit)(void *data, const struct audit_chain_line *line),
		      void *data)
{
	sqlite3_stmt *statement = audit_reader_prepare(
		reader, "SELECT * FROM (SELECT " AUDIT_COLUMNS " FROM audit"
			" WHERE at >= ?1 ORDER BY id DESC LIMIT ?2) ORDER BY id");
	struct audit_chain_line line;
	int result;

	if (!statement)
		return -EIO;
	store_bind_integers(statement, 1, range->since_ms ? range->since_ms : INT64_MIN,
			    range->last ? range->last : -1);
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		audit_chain_read_line(statement, &line);
		visit(data, &line);
	}
	return audit_reader_finish(reader, statement, result);
}

struct audit_reader_check {
	struct audit_reader_verdict verdict;
	const struct audit_reader_expected *expected;
	uint64_t found; /* bit i: head i was found among the lines */
	struct audit_chain_head anchor;
	uint8_t before[AUDIT_HASH_BYTES];
	bool linked;  /* `before` is known */
	int64_t next; /* the expected ID */
};

_Static_assert(AUDIT_NOTED_MAX <= 64, "a bit for each");

static void audit_reader_add_break(struct audit_reader_check *check,
				   enum audit_reader_flaw flaw, int64_t line,
				   int64_t until)
{
	struct audit_reader_verdict *verdict = &check->verdict;

	if (verdict->break_count < AUDIT_BREAKS_MAX)
		verdict->breaks[verdict->break_count] =
			(struct audit_reader_break){ flaw, line, until };
	verdict->break_count++;
}

/* Call it for each line, and for the anchor. */
static void audit_reader_match_heads(struct audit_reader_check *check, int64_t line,
				     const uint8_t *hash)
{
	for (unsigned i = 0; i < check->expected->noted_count; i++) {
		const struct audit_chain_head *head = &check->expected->noted[i];

		if (head->line != line)
			continue;
		if (memcmp(head->hash, hash, AUDIT_HASH_BYTES) != 0)
			audit_reader_add_break(check, AUDIT_OTHER_HEAD, line, line);
		check->found |= UINT64_C(1) << i;
	}
}

static int audit_reader_read_anchor(struct audit_reader *reader,
				    struct audit_reader_check *check)
{
	sqlite3_stmt *statement =
		audit_reader_prepare(reader, "SELECT line, hash FROM audit_anchor");
	struct audit_chain_head anchor = { .line = 0 };
	int result;

	if (!statement)
		return -EIO;
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		audit_chain_read_head(statement, &anchor);
	check->anchor = check->verdict.head = anchor;
	check->next = anchor.line + 1;
	check->linked = true;
	memcpy(check->before, anchor.hash, AUDIT_HASH_BYTES);
	return audit_reader_finish(reader, statement, result);
}

/* Returns false if there is no memory for a hash. */
static bool audit_reader_check_hash(struct audit_reader_check *check,
				    const struct audit_chain_line *line)
{
	int64_t anchor = check->anchor.line;
	bool follows_anchor = anchor && line->id == anchor + 1;
	uint8_t hash[AUDIT_HASH_BYTES];

	if (!audit_chain_hash(check->before, line, hash))
		return false;
	if (check->linked && memcmp(hash, line->hash, sizeof(hash)) != 0)
		audit_reader_add_break(check,
				       follows_anchor ? AUDIT_BAD_ANCHOR : AUDIT_CHANGED,
				       line->id, line->id);
	return true;
}

static bool audit_reader_check_line(struct audit_reader_check *check,
				    const struct audit_chain_line *line)
{
	struct audit_reader_verdict *verdict = &check->verdict;

	if (line->id > check->next)
		audit_reader_add_break(check, AUDIT_MISSING, check->next, line->id - 1);
	else if (line->id < check->next)
		audit_reader_add_break(check, AUDIT_BAD_ANCHOR, line->id, line->id);
	check->linked &= line->id == check->next;
	if (!audit_reader_check_hash(check, line))
		return false;
	audit_reader_match_heads(check, line->id, line->hash);
	if (!verdict->lines++)
		verdict->first = line->id;
	verdict->head.line = line->id;
	memcpy(verdict->head.hash, line->hash, AUDIT_HASH_BYTES);
	memcpy(check->before, line->hash, AUDIT_HASH_BYTES);
	check->linked = true;
	check->next = line->id + 1;
	return true;
}

/*
 * Returns the newest line that may have been pruned: at least `kept` lines always stay behind it,
 * up to the newest line that is known.
 */
static int64_t audit_reader_last_pruned(const struct audit_reader_check *check)
{
	const struct audit_reader_expected *expected = check->expected;
	int64_t newest = check->verdict.head.line, last;

	for (unsigned i = 0; i < expected->noted_count; i++) {
		if (expected->noted[i].line > newest)
			newest = expected->noted[i].line;
	}
	last = newest - expected->kept;
	return last > 0 ? last : 0;
}

/* A moved anchor claims that lines were pruned which must still be there. */
static void audit_reader_check_anchor(struct audit_reader_check *check, int64_t last)
{
	struct audit_chain_head *anchor = &check->anchor;

	check->verdict.gone = anchor->line < last ? anchor->line : last;
	if (anchor->line > last)
		audit_reader_add_break(check, AUDIT_MISSING, last + 1, anchor->line);
	else if (anchor->line)
		audit_reader_match_heads(check, anchor->line, anchor->hash);
}

static void audit_reader_check_heads(struct audit_reader_check *check, int64_t last)
{
	for (unsigned i = 0; i < check->expected->noted_count; i++) {
		int64_t line = check->expected->noted[i].line;
		bool is_old = line <= last && line < check->anchor.line;

		if (!(check->found >> i & 1) && line > 0)
			audit_reader_add_break(
				check, is_old ? AUDIT_HEAD_GONE : AUDIT_CUT, line, line);
	}
}

void audit_reader_on_progress(struct audit_reader *reader, void (*report)(void *data),
			      void *data)
{
	reader->report = report;
	reader->report_data = data;
}

int audit_reader_verify(struct audit_reader *reader,
			const struct audit_reader_expected *expected,
			struct audit_reader_verdict *verdict_out)
{
	struct audit_reader_check check = { .expected = expected };
	int error = audit_reader_read_anchor(reader, &check);
	sqlite3_stmt *statement;
	struct audit_chain_line line;
	unsigned count = 0;
	int result;

	if (error)
		return error;
	statement = audit_reader_prepare(reader, "SELECT " AUDIT_COLUMNS
						 " FROM audit NOT INDEXED ORDER BY id");
	if (!statement)
		return -EIO;
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		audit_chain_read_line(statement, &line);
		if (!audit_reader_check_line(&check, &line)) {
			sqlite3_finalize(statement);
			return store_database_fail(&reader->opening, -ENOMEM, "%s",
						   strerror(ENOMEM));
		}
		if (reader->report && ++count % REPORT_LINES == 0)
			reader->report(reader->report_data);
	}
	audit_reader_check_anchor(&check, audit_reader_last_pruned(&check));
	audit_reader_check_heads(&check, audit_reader_last_pruned(&check));
	error = audit_reader_finish(reader, statement, result);
	if (!error)
		*verdict_out = check.verdict;
	return error;
}
