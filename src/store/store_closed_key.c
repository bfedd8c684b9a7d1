/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_closed_key.h"

#include "store/store_internal.h"
#include "store/store_usage.h"

/* Call it inside a transaction. */
static int store_closed_key_insert(struct store *store, int64_t client_id,
				   const char *key)
{
	int64_t now_ms, ahead_ms, count = 0;
	sqlite3_stmt *statement;
	int error = store_usage_now(store, &now_ms, &ahead_ms);

	if (!error)
		error = store_execute(store, CLOSED_KEYS_PRUNE,
				      now_ms -
					      (int64_t)STORE_KEY_DAYS * CLOCK_MS_PER_DAY);
	if (error)
		return error;
	statement = store_use(store, CLOSED_KEY_COUNT);
	store_bind_integers(statement, 1, client_id);
	error = store_read_integer(store, statement, &count);
	if (error)
		return error;
	if (count >= STORE_CLOSED_KEYS_MAX)
		return STORE_E_FULL;
	statement = store_use(store, CLOSED_KEY_ADD);
	store_bind_integers(statement, 1, client_id);
	store_bind_text(statement, 2, key);
	store_bind_integers(statement, 3, now_ms);
	return store_run(store, statement);
}

int store_closed_key_add(struct store *store, int64_t client_id, const char *key)
{
	int error = store_begin(store);

	if (error)
		return error;
	error = store_end(store, store_closed_key_insert(store, client_id, key));
	if (error)
		store_usage_forget_clock(store);
	return error;
}

int store_closed_key_find(struct store *store, int64_t client_id, const char *key)
{
	sqlite3_stmt *statement = store_use(store, CLOSED_KEY_FIND);

	store_bind_integers(statement, 1, client_id);
	store_bind_text(statement, 2, key);
	return store_find_row(store, statement);
}
