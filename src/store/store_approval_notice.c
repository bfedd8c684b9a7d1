/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_approval_notice.h"

#include <errno.h>
#include <gnutls/crypto.h>

#include "store/store_internal.h"
#include "store/store_usage.h"

enum { STORE_APPROVAL_NOTICE_HOUR_MS = 60 * 60 * 1000, STORE_APPROVAL_NOTICE_TRIES = 50 };

/* Reads a row of number, message_id, revision. */
static int store_approval_notice_read(struct store *store, sqlite3_stmt *statement,
				      struct store_approval_notice *notice_out)
{
	int result = sqlite3_step(statement);

	if (result == SQLITE_ROW)
		*notice_out = (struct store_approval_notice){
			.number = sqlite3_column_int64(statement, 0),
			.message_id = sqlite3_column_int64(statement, 1),
			.revision = (unsigned)sqlite3_column_int64(statement, 2),
		};
	return store_finish_row(store, statement, result);
}

int store_approval_notice_of(struct store *store, int64_t message_id, unsigned revision,
			     struct store_approval_notice *notice_out)
{
	sqlite3_stmt *statement = store_use(store, NOTICE_OF);

	store_bind_integers(statement, 1, message_id, revision);
	return store_approval_notice_read(store, statement, notice_out);
}

int store_approval_notice_find(struct store *store, int64_t number,
			       struct store_approval_notice *notice_out)
{
	sqlite3_stmt *statement = store_use(store, NOTICE_FIND);

	sqlite3_bind_int64(statement, 1, number);
	return store_approval_notice_read(store, statement, notice_out);
}

/* Chooses a random number that no kept notice has. */
static int store_approval_notice_choose(struct store *store, int64_t *number_out)
{
	const uint32_t span =
		STORE_APPROVAL_NOTICE_MOST - STORE_APPROVAL_NOTICE_LEAST + 1;
	struct store_approval_notice other;

	for (int i = 0; i < STORE_APPROVAL_NOTICE_TRIES; i++) {
		uint32_t random;
		int64_t number;
		int error;

		if (gnutls_rnd(GNUTLS_RND_KEY, &random, sizeof(random)) < 0)
			return -EIO;
		number = STORE_APPROVAL_NOTICE_LEAST + random % span;
		error = store_approval_notice_find(store, number, &other);
		if (error == STORE_E_NOT_FOUND) {
			*number_out = number;
			return 0;
		}
		if (error)
			return error;
	}
	return -EAGAIN;
}

/* Returns 0 if another notice may be made now. */
static int store_approval_notice_check_rate(struct store *store, int64_t now_ms,
					    int64_t per_hour, int64_t *wait_ms_out)
{
	int64_t since_ms = now_ms - STORE_APPROVAL_NOTICE_HOUR_MS, earliest_ms = 0;
	sqlite3_stmt *statement = store_use(store, NOTICE_RATE);
	int error;

	store_bind_integers(statement, 1, since_ms, per_hour - 1);
	error = store_read_integer(store, statement, &earliest_ms);
	if (error || earliest_ms <= since_ms)
		return error;
	*wait_ms_out = earliest_ms - since_ms;
	return STORE_APPROVAL_NOTICE_E_LATER;
}

int store_approval_notice_add(struct store *store, int64_t message_id, unsigned revision,
			      int64_t per_hour, struct store_approval_notice *notice_out,
			      int64_t *wait_ms_out)
{
	struct store_approval_notice notice = { 0, message_id, revision };
	int64_t now_ms = 0, ahead_ms = 0;
	int error = store_usage_now(store, &now_ms, &ahead_ms);

	if (!error)
		error = store_approval_notice_check_rate(store, now_ms, per_hour,
							 wait_ms_out);
	if (!error)
		error = store_approval_notice_choose(store, &notice.number);
	if (error)
		return error;
	error = store_begin(store);
	if (error)
		return error;
	error = store_execute(store, NOTICE_PRUNE, STORE_APPROVAL_NOTICES_MAX);
	if (!error)
		error = store_execute(store, NOTICE_ADD, notice.number, message_id,
				      revision, now_ms);
	error = store_end(store, error);
	if (!error)
		*notice_out = notice;
	return error;
}
