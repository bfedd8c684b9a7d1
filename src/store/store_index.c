/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   times of blocks -> texts -> kinds -> merging -> done
 *
 * Each step finds out from the tables themselves what is left, so nothing is lost or added
 * twice when a step is undone or the process dies (tests/unit/test_store_index.c).
 */
#include "store/store_index.h"

#include "store/store_internal.h"
#include "store/store_schema_index.h"

enum {
	STEP_ROWS = 128,
	STEP_BLOCKS = 16,
	MERGED_PAGES = 16, /* of 1,000 octets */
	OUTDATED = 1,
	BEING_MERGED = 2,
};

/* The row of message_index. */
struct store_index_progress {
	int64_t text_from;
	int64_t kind_from;
	int64_t outdated;
};

int store_index_begin(struct store *store, const char *version)
{
	sqlite3_stmt *statement = store_use_lazily(store, INDEX_KIND_BEGIN);

	store_bind_text(statement, 1, version);
	return store_run(store, statement);
}

static int store_index_read_progress(struct store *store,
				     struct store_index_progress *progress)
{
	sqlite3_stmt *statement = store_use(store, INDEX_READ);
	int result = sqlite3_step(statement);

	*progress = (struct store_index_progress){ 0 };
	if (result == SQLITE_ROW) {
		progress->text_from = sqlite3_column_int64(statement, 0);
		progress->kind_from = sqlite3_column_int64(statement, 1);
		progress->outdated = sqlite3_column_int64(statement, 3);
	}
	return store_finish(store, statement, result);
}

/* Finds the first message of those that the next step adds; 0 if none is left. */
static int store_index_find_edge(struct store *store, int64_t from_id, int64_t *edge_out)
{
	sqlite3_stmt *statement = store_use(store, INDEX_EDGE);

	store_bind_integers(statement, 1, from_id, STEP_ROWS);
	*edge_out = 0;
	return store_read_integer(store, statement, edge_out);
}

int store_index_put(struct store *store, int64_t message_id)
{
	return store_execute(store, INDEX_TEXT_PUT, message_id);
}

int store_index_forget(struct store *store, int64_t message_id)
{
	int error = store_execute(store, INDEX_TEXT_FORGET, message_id);

	return error ? error : store_execute(store, INDEX_OUTDATE, message_id);
}

/* ---- times of blocks; inside a transaction */

static int store_index_add_spans(struct store *store, bool *done_out)
{
	int64_t id = 1;
	int error = 0;

	for (int i = 0; !error && id && i < STEP_BLOCKS; i++) {
		id = 0;
		error = store_read_integer(store, store_use(store, INDEX_SPAN_NEXT), &id);
		if (!error && id)
			error = store_execute(store, INDEX_SPAN_ADD,
					      id >> STORE_SPAN_SHIFT);
	}
	*done_out = !error && !id;
	return error;
}

/* ---- texts */

static int store_index_add_texts(struct store *store,
				 const struct store_index_progress *progress,
				 struct store_index_pass *pass)
{
	int64_t edge_id;
	int error = store_index_find_edge(store, progress->text_from, &edge_id);

	if (!error && edge_id)
		error = store_execute(store, INDEX_TEXT_ADD, edge_id,
				      progress->text_from);
	if (!error && edge_id)
		pass->added += sqlite3_changes64(store->database);
	return error ? error : store_execute(store, INDEX_TEXT_SET, edge_id);
}

/* ---- kinds */

static int store_index_add_kind(struct store *store, enum store_message_kind kind,
				int64_t message_id)
{
	return store_execute(store, INDEX_KIND_ADD, kind, message_id);
}

static int store_index_judge_row(struct store *store, sqlite3_stmt *row,
				 store_index_judge *judge)
{
	int64_t message_id = sqlite3_column_int64(row, 0);
	unsigned found = judge(store_column_text(row, 1));
	unsigned flags = (unsigned)sqlite3_column_int64(row, 2);
	int error = 0;

	if (found & MESSAGE_HAS_CODE)
		error = store_index_add_kind(store, MESSAGE_KIND_CODE, message_id);
	if (!error && found & MESSAGE_HAS_LINK)
		error = store_index_add_kind(store, MESSAGE_KIND_LINK, message_id);
	if (!error && flags & MESSAGE_COMMAND)
		error = store_index_add_kind(store, MESSAGE_KIND_COMMAND, message_id);
	return error;
}

static int store_index_judge_rows(struct store *store, int64_t edge_id, int64_t from_id,
				  store_index_judge *judge)
{
	sqlite3_stmt *rows;
	int result = SQLITE_DONE, error = 0;

	for (int kind = MESSAGE_KIND_CODE; !error && kind <= MESSAGE_KIND_COMMAND; kind++)
		error = store_execute(store, INDEX_KIND_CLEAR, kind, edge_id, from_id);
	if (error)
		return error;
	rows = store_use(store, INDEX_KIND_ROWS);
	store_bind_integers(rows, 1, edge_id, from_id);
	while (!error && (result = sqlite3_step(rows)) == SQLITE_ROW)
		error = store_index_judge_row(store, rows, judge);
	result = store_finish(store, rows, error ? SQLITE_DONE : result);
	return error ? error : result;
}

static int store_index_add_kinds(struct store *store,
				 const struct store_index_progress *progress,
				 store_index_judge *judge)
{
	int64_t edge_id;
	int error = store_index_find_edge(store, progress->kind_from, &edge_id);

	if (!error && edge_id)
		error = store_index_judge_rows(store, edge_id, progress->kind_from,
					       judge);
	return error ? error : store_execute(store, INDEX_KIND_SET, edge_id);
}

/* ---- merging */

/*
 * A negative number of pages makes FTS5 merge everything into one segment, which drops what was
 * removed; a positive one goes on with that. FTS5 changes one row when nothing is left to merge.
 */
static int store_index_merge(struct store *store,
			     const struct store_index_progress *progress,
			     struct store_index_pass *pass)
{
	bool begins = progress->outdated == OUTDATED;
	int64_t before = sqlite3_total_changes64(store->database);
	int error = store_execute(store, INDEX_TEXT_MERGE,
				  begins ? -MERGED_PAGES : MERGED_PAGES);

	if (error)
		return error;
	pass->is_merging = true;
	if (begins)
		return store_execute(store, INDEX_OUTDATED_SET, BEING_MERGED);
	if (sqlite3_total_changes64(store->database) - before > 1)
		return 0;
	pass->done = true;
	error = store_run(store, store_use(store, INDEX_SPAN_CLEAR));
	return error ? error : store_run(store, store_use(store, INDEX_OUTDATED_END));
}

static int store_index_work(struct store *store, struct store_index_pass *pass)
{
	struct store_index_progress progress;
	int error = store_index_read_progress(store, &progress);
	bool done = pass->is_merging;

	if (!error && !done)
		error = store_index_add_spans(store, &done);
	if (error || !done)
		return error;
	if (progress.text_from)
		return store_index_add_texts(store, &progress, pass);
	if (progress.kind_from)
		return store_index_add_kinds(store, &progress, pass->judge);
	return store_index_merge(store, &progress, pass);
}

int store_index_step(struct store *store, struct store_index_pass *pass)
{
	struct store_index_pass next = *pass;
	int error = store_begin_lazily(store);

	if (error)
		return error;
	error = store_end(store, store_index_work(store, &next));
	if (!error)
		*pass = next;
	return error;
}
