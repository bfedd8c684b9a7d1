/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/audit_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/audit_chain.h"
#include "store/audit_chain_sql.h"
#include "store/store_open.h"

struct audit_reader {
	struct store_database opening;
	struct explanation error;
	void (*looked)(void *data); /* NULL: nobody watches */
	void *looked_data;
};

enum { LOOKED_LINES = 16 };

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
	return store_database_fail(opening, -ENOTSUP,
				   "from before there was an audit; it begins when the "
				   "gateway starts");
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

/* NULL: told. */
static sqlite3_stmt *audit_reader_prepare(struct audit_reader *reader, const char *sql)
{
	sqlite3 *database = reader->opening.database;
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
		store_database_fail(&reader->opening, -EIO, "%s",
				    sqlite3_errmsg(database));
	return statement;
}

/* `result`: of the last step. */
static int audit_reader_finish(struct audit_reader *reader, sqlite3_stmt *statement,
			       int result)
{
	int error = 0;

	if (result != SQLITE_DONE && result != SQLITE_ROW)
		error = store_database_fail(&reader->opening, -EIO,
					    "cannot be read to its end: %s",
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
	sqlite3_bind_int64(statement, 1, range->since_ms ? range->since_ms : INT64_MIN);
	sqlite3_bind_int64(statement, 2, range->last ? range->last : -1);
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		audit_chain_read_line(statement, &line);
		visit(data, &line);
	}
	return audit_reader_finish(reader, statement, result);
}

struct audit_reader_check {
	struct audit_reader_verdict verdict;
	const struct audit_reader_expected *expected;
	uint64_t found; /* bits: these of the noted heads are in the lines */
	struct audit_chain_head anchor;
	uint8_t before[AUDIT_HASH_BYTES];
	bool linked;  /* `before` is known */
	int64_t next; /* the number that is due */
};

_Static_assert(AUDIT_NOTED_MAX <= 64, "a bit for each");

static void audit_reader_add_break(struct audit_reader_check *verifying,
				   enum audit_reader_flaw flaw, int64_t line,
				   int64_t until)
{
	struct audit_reader_verdict *verdict = &verifying->verdict;

	if (verdict->break_count < AUDIT_BREAKS_MAX)
		verdict->breaks[verdict->break_count] =
			(struct audit_reader_break){ flaw, line, until };
	verdict->break_count++;
}

/* A line that is there, or the last that went for its age. */
static void audit_reader_match_heads(struct audit_reader_check *verifying, int64_t line,
				     const uint8_t *hash)
{
	for (unsigned i = 0; i < verifying->expected->noted_count; i++) {
		const struct audit_chain_head *noted = &verifying->expected->noted[i];

		if (noted->line != line)
			continue;
		if (memcmp(noted->hash, hash, AUDIT_HASH_BYTES) != 0)
			audit_reader_add_break(verifying, AUDIT_OTHER_HEAD, line, line);
		verifying->found |= UINT64_C(1) << i;
	}
}

static int audit_reader_read_anchor(struct audit_reader *reader,
				    struct audit_reader_check *verifying)
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
	verifying->anchor = verifying->verdict.head = anchor;
	verifying->next = anchor.line + 1;
	verifying->linked = true;
	memcpy(verifying->before, anchor.hash, AUDIT_HASH_BYTES);
	return audit_reader_finish(reader, statement, result);
}

static void audit_reader_check_id(struct audit_reader_check *verifying,
				  const struct audit_chain_line *line)
{
	if (line->id > verifying->next)
		audit_reader_add_break(verifying, AUDIT_MISSING, verifying->next,
				       line->id - 1);
	else if (line->id < verifying->next)
		audit_reader_add_break(verifying, AUDIT_BAD_ANCHOR, line->id, line->id);
	verifying->linked &= line->id == verifying->next;
}

/* False: no memory for a hash. */
static bool audit_reader_check_hash(struct audit_reader_check *verifying,
				    const struct audit_chain_line *line)
{
	int64_t anchor = verifying->anchor.line;
	bool follows_anchor = anchor && line->id == anchor + 1;
	uint8_t hash[AUDIT_HASH_BYTES];

	if (!audit_chain_hash(verifying->before, line, hash))
		return false;
	if (verifying->linked && memcmp(hash, line->hash, sizeof(hash)) != 0)
		audit_reader_add_break(verifying,
				       follows_anchor ? AUDIT_BAD_ANCHOR : AUDIT_CHANGED,
				       line->id, line->id);
	return true;
}

static bool audit_reader_check_line(struct audit_reader_check *verifying,
				    const struct audit_chain_line *line)
{
	struct audit_reader_verdict *verdict = &verifying->verdict;

	audit_reader_check_id(verifying, line);
	if (!audit_reader_check_hash(verifying, line))
		return false;
	audit_reader_match_heads(verifying, line->id, line->hash);
	if (!verdict->lines++)
		verdict->first = line->id;
	verdict->head.line = line->id;
	memcpy(verdict->head.hash, line->hash, AUDIT_HASH_BYTES);
	memcpy(verifying->before, line->hash, AUDIT_HASH_BYTES);
	verifying->linked = true;
	verifying->next = line->id + 1;
	return true;
}

/*
 * The last line that may have gone for its age: so many were kept behind it at any time, up to
 * the newest line that anybody knows of.
 */
static int64_t audit_reader_last_pruned(const struct audit_reader_check *verifying)
{
	const struct audit_reader_expected *expected = verifying->expected;
	int64_t newest = verifying->verdict.head.line, last;

	for (unsigned i = 0; i < expected->noted_count; i++) {
		if (expected->noted[i].line > newest)
			newest = expected->noted[i].line;
	}
	last = newest - expected->kept;
	return last > 0 ? last : 0;
}

/* An anchor that was moved says that lines are too old which must be there. */
static void audit_reader_check_anchor(struct audit_reader_check *verifying, int64_t last)
{
	struct audit_chain_head *anchor = &verifying->anchor;

	verifying->verdict.gone = anchor->line < last ? anchor->line : last;
	if (anchor->line > last)
		audit_reader_add_break(verifying, AUDIT_MISSING, last + 1, anchor->line);
	else if (anchor->line)
		audit_reader_match_heads(verifying, anchor->line, anchor->hash);
}

static void audit_reader_check_heads(struct audit_reader_check *verifying, int64_t last)
{
	for (unsigned i = 0; i < verifying->expected->noted_count; i++) {
		int64_t line = verifying->expected->noted[i].line;
		bool is_old = line <= last && line < verifying->anchor.line;

		if (!(verifying->found >> i & 1) && line > 0)
			audit_reader_add_break(verifying,
					       is_old ? AUDIT_HEAD_GONE : AUDIT_CUT, line,
					       line);
	}
}

void audit_reader_on_progress(struct audit_reader *reader, void (*looked)(void *data),
			      void *data)
{
	reader->looked = looked;
	reader->looked_data = data;
}

int audit_reader_verify(struct audit_reader *reader,
			const struct audit_reader_expected *expected,
			struct audit_reader_verdict *verdict_out)
{
	struct audit_reader_check verifying = { .expected = expected };
	int error = audit_reader_read_anchor(reader, &verifying);
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
		if (!audit_reader_check_line(&verifying, &line)) {
			sqlite3_finalize(statement);
			return store_database_fail(&reader->opening, -ENOMEM, "%s",
						   strerror(ENOMEM));
		}
		if (reader->looked && ++count % LOOKED_LINES == 0)
			reader->looked(reader->looked_data);
	}
	audit_reader_check_anchor(&verifying, audit_reader_last_pruned(&verifying));
	audit_reader_check_heads(&verifying, audit_reader_last_pruned(&verifying));
	error = audit_reader_finish(reader, statement, result);
	if (!error)
		*verdict_out = verifying.verdict;
	return error;
}
