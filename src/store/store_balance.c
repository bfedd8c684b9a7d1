/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_balance.h"

#include <string.h>

#include "base/utf8.h"
#include "store/store_audit.h"
#include "store/store_statement.h"
#include "store/store_usage.h"

static int note_read(struct store *store, int64_t sim_id, const char *code,
		     const struct balance *balance)
{
	char amount[AMOUNT_BYTES];

	amount_write(&balance->amount, amount);
	return store_audit_note(store, AUDIT_BALANCE_READ,
				(struct audit_fact[]){
					{ "subscription_id", NULL, sim_id },
					{ "ussd_code", code },
					{ "amount", amount },
					{ "currency", balance->currency },
					{ NULL },
				});
}

static int put(struct store *store, int64_t sim_id, const char *code,
	       const struct balance *balance)
{
	sqlite3_stmt *statement;
	int64_t now_ms, ahead_ms;
	int error = store_usage_now(store, &now_ms, &ahead_ms);

	if (error)
		return error;
	statement = store_use(store, BALANCE_PUT);
	sqlite3_bind_int64(statement, 1, sim_id);
	sqlite3_bind_int64(statement, 2, balance->amount.thousandths);
	sqlite3_bind_int64(statement, 3, balance->amount.decimals);
	statement_bind_text(statement, 4, balance->currency);
	statement_bind_text(statement, 5, code);
	sqlite3_bind_int64(statement, 6, now_ms);
	error = store_run(store, statement);
	return error ? error : note_read(store, sim_id, code, balance);
}

int store_balance_put(struct store *store, int64_t sim_id, const char *code,
		      const struct balance *balance)
{
	int error = store_begin(store);

	if (error)
		return error;
	return store_end(store, put(store, sim_id, code, balance));
}

static void read_text(sqlite3_stmt *statement, int column, char *text_out, size_t size)
{
	const char *text = statement_column_text(statement, column);
	size_t length = strlen(text);

	*text_out = '\0'; /* what does not fit was written by nobody of us */
	if (length < size && utf8_valid(text, length))
		memcpy(text_out, text, length + 1);
}

/* `read_ms`: in usage time. */
static void read_row(sqlite3_stmt *statement, struct store_balance *balance)
{
	balance->balance.amount.thousandths = sqlite3_column_int64(statement, 0);
	balance->balance.amount.decimals = (unsigned)sqlite3_column_int(statement, 1);
	read_text(statement, 2, balance->balance.currency,
		  sizeof(balance->balance.currency));
	read_text(statement, 3, balance->code, sizeof(balance->code));
	balance->read_ms = sqlite3_column_int64(statement, 4);
}

int store_balance_get(struct store *store, int64_t sim_id,
		      struct store_balance *balance_out)
{
	sqlite3_stmt *statement = store_use(store, BALANCE_GET);
	struct store_balance balance = { 0 };
	int64_t now_ms, ahead_ms;
	int result, error;

	sqlite3_bind_int64(statement, 1, sim_id);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		read_row(statement, &balance);
	error = store_done(store, statement, result);
	if (!error && result != SQLITE_ROW)
		return STORE_E_NOT_FOUND;
	if (!error)
		error = store_usage_now(store, &now_ms, &ahead_ms);
	if (error)
		return error;
	balance.age_ms = now_ms > balance.read_ms ? now_ms - balance.read_ms : 0;
	balance.read_ms += ahead_ms;
	*balance_out = balance;
	return 0;
}

static int forget(struct store *store, int64_t sim_id)
{
	sqlite3_stmt *statement = store_use(store, BALANCE_REMOVE);
	int error;

	sqlite3_bind_int64(statement, 1, sim_id);
	error = store_run(store, statement);
	if (error)
		return error;
	if (!sqlite3_changes(store->database))
		return STORE_E_NOT_FOUND;
	return store_audit_note(store, AUDIT_BALANCE_FORGOTTEN,
				(struct audit_fact[]){
					{ "subscription_id", NULL, sim_id },
					{ "by", "owner" },
					{ NULL },
				});
}

int store_balance_forget(struct store *store, int64_t sim_id)
{
	int error = store_begin(store);

	if (error)
		return error;
	return store_end(store, forget(store, sim_id));
}
