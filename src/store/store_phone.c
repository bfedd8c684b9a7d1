/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_phone.h"

#include <stdio.h>
#include <string.h>

#include "store/store_audit.h"
#include "store/store_internal.h"

_Static_assert((int)STORE_PHONE_KEY_BYTES == 32, "as in the schema");

static void store_phone_bind(sqlite3_stmt *statement, const struct store_phone_row *row)
{
	store_bind_text(statement, 1, row->name);
	sqlite3_bind_blob(statement, 2, row->key, sizeof(row->key), SQLITE_STATIC);
	if (row->has_next_key)
		sqlite3_bind_blob(statement, 3, row->next_key, sizeof(row->next_key),
				  SQLITE_STATIC);
	store_bind_integers(statement, 4, row->enrolled_ms, row->joined_ms, row->seen_ms);
	store_bind_text(statement, 7, row->cursor);
}

static int store_phone_record(struct store *store, enum audit_event event,
			      const struct store_phone_row *row)
{
	return store_audit_record(
		store, event,
		(struct audit_event_fact[]){ { "phone", row->name }, { NULL } });
}

int store_phone_add(struct store *store, struct store_phone_row *row)
{
	sqlite3_stmt *statement;
	int64_t id = 0;
	int error = store_begin(store);

	if (error)
		return error;
	statement = store_use(store, PHONE_FIND);
	store_bind_text(statement, 1, row->name);
	error = store_read_integer(store, statement, &id);
	if (!error && id)
		error = STORE_E_EXISTS;
	if (!error) {
		statement = store_use(store, PHONE_ADD);
		store_phone_bind(statement, row);
		error = store_run(store, statement);
	}
	if (!error)
		id = sqlite3_last_insert_rowid(store->database);
	if (!error)
		error = store_phone_record(store, AUDIT_PHONE_ENROLLED, row);
	error = store_end(store, error);
	if (!error)
		row->id = id;
	return error;
}

static int store_phone_write(struct store *store, const struct store_phone_row *row)
{
	sqlite3_stmt *statement = store_use(store, PHONE_PUT);
	int error;

	store_phone_bind(statement, row);
	error = store_run(store, statement);
	if (!error && !sqlite3_changes(store->database))
		error = STORE_E_NOT_FOUND;
	return error;
}

int store_phone_put(struct store *store, const struct store_phone_row *row)
{
	int error = store_begin(store);

	if (error)
		return error;
	return store_end(store, store_phone_write(store, row));
}

int store_phone_advance(struct store *store, const struct store_phone_row *row)
{
	int error = store_begin_lazily(store);

	if (error)
		return error;
	return store_end(store, store_phone_write(store, row));
}

int store_phone_remove(struct store *store, const struct store_phone_row *row)
{
	int error = store_begin(store);

	if (error)
		return error;
	error = store_execute(store, PHONE_REMOVE, row->id);
	if (!error && !sqlite3_changes(store->database))
		error = STORE_E_NOT_FOUND;
	if (!error)
		error = store_execute(store, PHONE_SIMS_REMOVE, row->id);
	if (!error)
		error = store_phone_record(store, AUDIT_PHONE_REVOKED, row);
	return store_end(store, error);
}

static void store_phone_read(sqlite3_stmt *statement, struct store_phone_row *row_out)
{
	memset(row_out, 0, sizeof(*row_out));
	row_out->id = sqlite3_column_int64(statement, 0);
	snprintf(row_out->name, sizeof(row_out->name), "%s",
		 store_column_text(statement, 1));
	memcpy(row_out->key, sqlite3_column_blob(statement, 2), sizeof(row_out->key));
	row_out->has_next_key = sqlite3_column_type(statement, 3) == SQLITE_BLOB;
	if (row_out->has_next_key)
		memcpy(row_out->next_key, sqlite3_column_blob(statement, 3),
		       sizeof(row_out->next_key));
	row_out->enrolled_ms = sqlite3_column_int64(statement, 4);
	row_out->joined_ms = sqlite3_column_int64(statement, 5);
	row_out->seen_ms = sqlite3_column_int64(statement, 6);
	snprintf(row_out->cursor, sizeof(row_out->cursor), "%s",
		 store_column_text(statement, 7));
}

int store_phone_list(struct store *store,
		     void (*visit)(void *data, const struct store_phone_row *row),
		     void *data)
{
	sqlite3_stmt *statement = store_use(store, PHONES);
	struct store_phone_row row;
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		store_phone_read(statement, &row); /* the schema checks the lengths */
		visit(data, &row);
	}
	result = store_finish(store, statement, result);
	explicit_bzero(&row, sizeof(row));
	return result;
}

static int store_phone_write_sim(struct store *store, const struct store_phone_row *row,
				 const char *iccid)
{
	sqlite3_stmt *statement = store_use(store, PHONE_SIM_PUT);

	store_bind_text(statement, 1, iccid);
	store_bind_integers(statement, 2, row->id);
	return store_run(store, statement);
}

int store_phone_put_sim(struct store *store, const struct store_phone_row *row,
			const char *iccid)
{
	int error = store_begin(store);

	return error ? error : store_end(store, store_phone_write_sim(store, row, iccid));
}

int store_phone_next_sim(struct store *store, const struct store_phone_row *row,
			 int64_t *sim_id)
{
	sqlite3_stmt *statement = store_use(store, PHONE_SIM_NEXT);
	int64_t next = 0;
	int error;

	store_bind_integers(statement, 1, row->id, *sim_id);
	error = store_read_integer(store, statement, &next);
	if (!error)
		*sim_id = next;
	return error;
}
