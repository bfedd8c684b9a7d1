/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/store_database.h"
#include "store/store_presence.h"
#include "store/store_statement.h"

/* Not 0: it becomes a rollback. */
static int on_commit(void *data)
{
	struct store *store = data;

	if (store_presence_is_lost(store))
		return 1;
	store->commits += !store->lazy;
	store->unsynced |= store->lazy;
	return 0;
}

uint64_t store_change_count(const struct store *store)
{
	return store ? (uint64_t)sqlite3_total_changes64(store->database) : 0;
}

uint64_t store_commits(const struct store *store)
{
	return store->commits;
}

int store_open(const char *folder, struct store **store_out, struct explanation *error)
{
	struct store *store = calloc(1, sizeof(*store));
	int failure;

	if (!store)
		return explanation_set(error, -ENOMEM, "out of memory");

	snprintf(store->folder, sizeof(store->folder), "%s", folder);
	failure = store_database_open(folder, &store->database, error);
	if (failure) {
		free(store);
		return failure;
	}
	sqlite3_commit_hook(store->database, on_commit, store);
	failure = store_prepare(store);
	if (failure) {
		snprintf(error->text, sizeof(error->text),
			 "%s: its tables are not those of ofono-mcp (%s)", folder,
			 sqlite3_errmsg(store->database));
		store_close(store);
		return failure < 0 ? failure : -ENOSPC;
	}
	failure = store_moment_read(store, &store->before);
	if (failure) {
		explanation_set(error, failure, "%s: cannot be read: %s", folder,
				sqlite3_errmsg(store->database));
		store_close(store);
		return failure;
	}
	*store_out = store;
	return 0;
}

void store_shrink(struct store *store)
{
	sqlite3_db_release_memory(store->database);
}

void store_close(struct store *store)
{
	int which;

	if (!store)
		return;
	for (which = 0; which < STATEMENT_COUNT; which++)
		sqlite3_finalize(store->statements[which]);
	sqlite3_close(store->database);
	free(store);
}

/* "" is unknown: SQL's NULL */
static void bind_identity(sqlite3_stmt *statement, int place, const char *identity)
{
	statement_bind_text(statement, place, *identity ? identity : NULL);
}

struct sim_row {
	int64_t id; /* 0: no such row */
	bool has_iccid;
	bool has_imsi;
};

/* The statement is SIM_BY_ICCID or SIM_BY_IMSI, bound. */
static int sim_row_read(struct store *store, sqlite3_stmt *statement, struct sim_row *row)
{
	int result = sqlite3_step(statement);

	if (result == SQLITE_ROW) {
		row->id = sqlite3_column_int64(statement, 0);
		row->has_iccid = sqlite3_column_type(statement, 1) != SQLITE_NULL;
		row->has_imsi = sqlite3_column_type(statement, 2) != SQLITE_NULL;
	}
	return store_done(store, statement, result);
}

static int sim_row_find(struct store *store, const char *iccid, const char *imsi,
			struct sim_row *row)
{
	sqlite3_stmt *statement;
	int error;

	memset(row, 0, sizeof(*row));
	if (*iccid) {
		statement = store_use(store, SIM_BY_ICCID);
		bind_identity(statement, 1, iccid);
		error = sim_row_read(store, statement, row);
		if (error || row->id)
			return error;
	}
	if (!*imsi)
		return 0;
	statement = store_use(store, SIM_BY_IMSI);
	bind_identity(statement, 1, imsi);
	bind_identity(statement, 2, iccid);
	return sim_row_read(store, statement, row);
}

static int sim_row_complete(struct store *store, int64_t sim_id, const char *iccid,
			    const char *imsi)
{
	sqlite3_stmt *statement = store_use(store, SIM_COMPLETE);

	sqlite3_bind_int64(statement, 1, sim_id);
	bind_identity(statement, 2, iccid);
	bind_identity(statement, 3, imsi);
	return store_run(store, statement);
}

/* What came in under its IMSI alone, before both were seen together, is the card's. */
static int sim_row_join(struct store *store, int64_t sim_id, const char *imsi)
{
	sqlite3_stmt *statement = store_use(store, SIM_JOIN);

	sqlite3_bind_int64(statement, 1, sim_id);
	bind_identity(statement, 2, imsi);
	return store_run(store, statement);
}

static int sim_row_add(struct store *store, const char *iccid, const char *imsi,
		       int64_t *sim_id_out)
{
	sqlite3_stmt *statement = store_use(store, SIM_ADD);
	int error;

	bind_identity(statement, 1, iccid);
	bind_identity(statement, 2, imsi);
	sqlite3_bind_int64(statement, 3, clock_wall_ms());
	error = store_run(store, statement);
	if (!error)
		*sim_id_out = sqlite3_last_insert_rowid(store->database);
	return error;
}

static bool sim_row_is_complete(const struct sim_row *row, const char *iccid,
				const char *imsi)
{
	return row->id && (row->has_iccid || !*iccid) && (row->has_imsi || !*imsi);
}

/* Inside a transaction. */
static int sim_row_make(struct store *store, const char *iccid, const char *imsi,
			int64_t *sim_id_out)
{
	struct sim_row row;
	int error = sim_row_find(store, iccid, imsi, &row);

	if (error)
		return error;
	if (!row.id)
		return sim_row_add(store, iccid, imsi, sim_id_out);
	*sim_id_out = row.id;
	error = sim_row_complete(store, row.id, iccid, imsi);
	if (error || row.has_imsi || !*imsi)
		return error;
	return sim_row_join(store, row.id, imsi);
}

int store_sim_identify(struct store *store, const char *iccid, const char *imsi,
		       int64_t *sim_id_out)
{
	struct sim_row row;
	int64_t sim_id = 0;
	int error;

	if (!*iccid && !*imsi)
		return -EINVAL;
	error = sim_row_find(store, iccid, imsi, &row);
	if (error)
		return error;
	if (!sim_row_is_complete(&row, iccid, imsi)) {
		error = store_begin(store);
		if (!error)
			error = store_end(store,
					  sim_row_make(store, iccid, imsi, &sim_id));
		if (error && !row.id)
			return error;
		/* A full disk does not hide a card that is known; it stays incomplete. */
		if (!error)
			row.id = sim_id;
		store->countries.known = false;
	}
	*sim_id_out = row.id;
	return 0;
}

int store_sim_imsi(struct store *store, int64_t sim_id, char imsi_out[STORE_IMSI_BYTES])
{
	sqlite3_stmt *statement = store_use(store, SIM_IMSI);
	int result, error;

	sqlite3_bind_int64(statement, 1, sim_id);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		snprintf(imsi_out, STORE_IMSI_BYTES, "%s",
			 statement_column_text(statement, 0));
	error = store_done(store, statement, result);
	if (error)
		return error;
	return result == SQLITE_ROW ? 0 : STORE_E_NOT_FOUND;
}

int store_sim_known(struct store *store, int64_t sim_id)
{
	sqlite3_stmt *statement = store_use(store, SIM_KNOWN);
	int result, error;

	sqlite3_bind_int64(statement, 1, sim_id);
	result = sqlite3_step(statement);
	error = store_done(store, statement, result);
	if (error)
		return error;
	return result == SQLITE_ROW ? 0 : STORE_E_NOT_FOUND;
}

int store_sims_list(struct store *store, void (*visit)(void *data, int64_t sim_id),
		    void *data)
{
	sqlite3_stmt *statement = store_use(store, SIMS_KNOWN);
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW)
		visit(data, sqlite3_column_int64(statement, 0));
	return store_done(store, statement, result);
}
