/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A SIM card is found by its ICCID, else by its IMSI. A row that lacks one identity is
 * completed when both are seen together, and messages that arrived under the IMSI alone
 * then move to it. Two cards may share an IMSI: a row with another ICCID never matches.
 */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "store/store_audit.h"
#include "store/store_internal.h"
#include "store/store_usage.h"

/* "" is unknown: SQL's NULL */
static void store_sim_bind_identity(sqlite3_stmt *statement, int place,
				    const char *identity)
{
	store_bind_text(statement, place, *identity ? identity : NULL);
}

struct store_sim_row {
	int64_t id; /* 0 if there is no such row */
	bool has_iccid;
	bool has_imsi;
};

/* The statement is SIM_BY_ICCID or SIM_BY_IMSI, bound. */
static int store_sim_read_row(struct store *store, sqlite3_stmt *statement,
			      struct store_sim_row *row)
{
	int result = sqlite3_step(statement);

	if (result == SQLITE_ROW) {
		row->id = sqlite3_column_int64(statement, 0);
		row->has_iccid = sqlite3_column_type(statement, 1) != SQLITE_NULL;
		row->has_imsi = sqlite3_column_type(statement, 2) != SQLITE_NULL;
	}
	return store_finish(store, statement, result);
}

static int store_sim_find(struct store *store, const char *iccid, const char *imsi,
			  struct store_sim_row *row)
{
	sqlite3_stmt *statement;
	int error;

	memset(row, 0, sizeof(*row));
	if (*iccid) {
		statement = store_use(store, SIM_BY_ICCID);
		store_sim_bind_identity(statement, 1, iccid);
		error = store_sim_read_row(store, statement, row);
		if (error || row->id)
			return error;
	}
	if (!*imsi)
		return 0;
	statement = store_use(store, SIM_BY_IMSI);
	store_sim_bind_identity(statement, 1, imsi);
	store_sim_bind_identity(statement, 2, iccid);
	return store_sim_read_row(store, statement, row);
}

static int store_sim_complete(struct store *store, int64_t sim_id, const char *iccid,
			      const char *imsi)
{
	sqlite3_stmt *statement = store_use(store, SIM_COMPLETE);

	sqlite3_bind_int64(statement, 1, sim_id);
	store_sim_bind_identity(statement, 2, iccid);
	store_sim_bind_identity(statement, 3, imsi);
	return store_run(store, statement);
}

/* Messages that arrived under the IMSI alone move to the card. */
static int store_sim_claim_messages(struct store *store, int64_t sim_id, const char *imsi)
{
	sqlite3_stmt *statement = store_use(store, SIM_JOIN);

	sqlite3_bind_int64(statement, 1, sim_id);
	store_sim_bind_identity(statement, 2, imsi);
	return store_run(store, statement);
}

static int store_sim_add(struct store *store, const char *iccid, const char *imsi,
			 int64_t *sim_id_out)
{
	sqlite3_stmt *statement = store_use(store, SIM_ADD);
	int error;

	store_sim_bind_identity(statement, 1, iccid);
	store_sim_bind_identity(statement, 2, imsi);
	sqlite3_bind_int64(statement, 3, clock_wall_ms());
	error = store_run(store, statement);
	if (!error)
		*sim_id_out = sqlite3_last_insert_rowid(store->database);
	return error;
}

static bool store_sim_is_complete(const struct store_sim_row *row, const char *iccid,
				  const char *imsi)
{
	return row->id && (row->has_iccid || !*iccid) && (row->has_imsi || !*imsi);
}

/* Call it inside a transaction. */
static int store_sim_make(struct store *store, const char *iccid, const char *imsi,
			  int64_t *sim_id_out)
{
	struct store_sim_row row;
	int error = store_sim_find(store, iccid, imsi, &row);

	if (error)
		return error;
	if (!row.id)
		return store_sim_add(store, iccid, imsi, sim_id_out);
	*sim_id_out = row.id;
	error = store_sim_complete(store, row.id, iccid, imsi);
	if (error || row.has_imsi || !*imsi)
		return error;
	return store_sim_claim_messages(store, row.id, imsi);
}

int store_sim_identify(struct store *store, const char *iccid, const char *imsi,
		       int64_t *sim_id_out)
{
	struct store_sim_row row;
	int64_t sim_id = 0;
	int error;

	if (!*iccid && !*imsi)
		return -EINVAL;
	error = store_sim_find(store, iccid, imsi, &row);
	if (error)
		return error;
	if (!store_sim_is_complete(&row, iccid, imsi)) {
		error = store_begin(store);
		if (!error)
			error = store_end(store,
					  store_sim_make(store, iccid, imsi, &sim_id));
		if (error && !row.id)
			return error;
		/*
		 * A known card is found even when the disk is full; its row stays
		 * incomplete.
		 */
		if (!error)
			row.id = sim_id;
		store->countries.known = false;
	}
	*sim_id_out = row.id;
	return 0;
}

bool store_sim_is_new(struct store *store, const char *iccid, const char *imsi)
{
	struct store_sim_row row;

	return !store_sim_find(store, iccid, imsi, &row) && !row.id;
}

int store_sim_imsi(struct store *store, int64_t sim_id, char imsi_out[STORE_IMSI_BYTES])
{
	sqlite3_stmt *statement = store_use(store, SIM_IMSI);
	int result;

	sqlite3_bind_int64(statement, 1, sim_id);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		snprintf(imsi_out, STORE_IMSI_BYTES, "%s",
			 store_column_text(statement, 0));
	return store_finish_row(store, statement, result);
}

int store_sim_known(struct store *store, int64_t sim_id)
{
	sqlite3_stmt *statement = store_use(store, SIM_KNOWN);

	sqlite3_bind_int64(statement, 1, sim_id);
	return store_find_row(store, statement);
}

int store_sim_list(struct store *store, void (*visit)(void *data, int64_t sim_id),
		   void *data)
{
	sqlite3_stmt *statement = store_use(store, SIMS_KNOWN);
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW)
		visit(data, sqlite3_column_int64(statement, 0));
	return store_finish(store, statement, result);
}

static int store_sim_audit_balance(struct store *store, int64_t sim_id, const char *code,
				   const struct balance *balance)
{
	char amount[AMOUNT_BYTES];

	amount_write(&balance->amount, amount);
	return store_audit_record(store, AUDIT_BALANCE_READ,
				  (struct audit_event_fact[]){
					  { "subscription_id", NULL, sim_id },
					  { "ussd_code", code },
					  { "amount", amount },
					  { "currency", balance->currency },
					  { NULL },
				  });
}

static int store_sim_write_balance(struct store *store, int64_t sim_id, const char *code,
				   const struct balance *balance)
{
	sqlite3_stmt *statement;
	int64_t now_ms, ahead_ms;
	int error = store_usage_now(store, &now_ms, &ahead_ms);

	if (error)
		return error;
	statement = store_use(store, BALANCE_PUT);
	store_bind_integers(statement, 1, sim_id, balance->amount.thousandths,
			    balance->amount.decimals);
	store_bind_text(statement, 4, balance->currency);
	store_bind_text(statement, 5, code);
	sqlite3_bind_int64(statement, 6, now_ms);
	error = store_run(store, statement);
	return error ? error : store_sim_audit_balance(store, sim_id, code, balance);
}

int store_sim_balance_put(struct store *store, int64_t sim_id, const char *code,
			  const struct balance *balance)
{
	int error = store_begin(store);

	return error ? error
		     : store_end(store,
				 store_sim_write_balance(store, sim_id, code, balance));
}

static void store_sim_read_text(sqlite3_stmt *statement, int column, char *text_out,
				size_t size)
{
	const char *text = store_column_text(statement, column);
	size_t length = strlen(text);

	*text_out = '\0'; /* a longer or invalid text is not ours */
	if (length < size && utf8_valid(text, length))
		memcpy(text_out, text, length + 1);
}

/* `read_ms` is in usage time. */
static void store_sim_read_balance(sqlite3_stmt *statement,
				   struct store_sim_balance *balance)
{
	balance->balance.amount.thousandths = sqlite3_column_int64(statement, 0);
	balance->balance.amount.decimals = (unsigned)sqlite3_column_int(statement, 1);
	store_sim_read_text(statement, 2, balance->balance.currency,
			    sizeof(balance->balance.currency));
	store_sim_read_text(statement, 3, balance->code, sizeof(balance->code));
	balance->read_ms = sqlite3_column_int64(statement, 4);
}

int store_sim_balance_get(struct store *store, int64_t sim_id,
			  struct store_sim_balance *balance_out)
{
	sqlite3_stmt *statement = store_use(store, BALANCE_GET);
	struct store_sim_balance balance = { 0 };
	int64_t now_ms, ahead_ms;
	int result, error;

	sqlite3_bind_int64(statement, 1, sim_id);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		store_sim_read_balance(statement, &balance);
	error = store_finish_row(store, statement, result);
	if (!error)
		error = store_usage_now(store, &now_ms, &ahead_ms);
	if (error)
		return error;
	balance.age_ms = now_ms > balance.read_ms ? now_ms - balance.read_ms : 0;
	balance.read_ms += ahead_ms;
	*balance_out = balance;
	return 0;
}

static int store_sim_delete_balance(struct store *store, int64_t sim_id)
{
	int error = store_execute(store, BALANCE_REMOVE, sim_id);

	if (error)
		return error;
	if (!sqlite3_changes(store->database))
		return STORE_E_NOT_FOUND;
	return store_audit_record(store, AUDIT_BALANCE_FORGOTTEN,
				  (struct audit_event_fact[]){
					  { "subscription_id", NULL, sim_id },
					  { "by", "owner" },
					  { NULL },
				  });
}

int store_sim_balance_forget(struct store *store, int64_t sim_id)
{
	int error = store_begin(store);

	return error ? error : store_end(store, store_sim_delete_balance(store, sim_id));
}
