/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_pool.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "store/store_audit.h"
#include "store/store_internal.h"

enum { STORE_POOL_LIST_BYTES = 4096, STORE_POOL_ID_BYTES = 24 };

const char *store_pool_rule_name(enum store_pool_rule rule)
{
	static const char *const names[POOL_RULES] = {
		[POOL_RULE_PREFER] = "prefer",
		[POOL_RULE_REQUIRE] = "require",
		[POOL_RULE_OFF] = "off",
	};

	return names[rule];
}

bool store_pool_name_is_valid(const char *name)
{
	size_t length = strlen(name);

	if (!isalpha((unsigned char)*name) || length >= STORE_POOL_NAME_BYTES)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (!isalnum((unsigned char)name[i]) && !strchr("-_", name[i]))
			return false;
	}
	return true;
}

static int store_pool_write(struct store *store, const struct store_pool *pool)
{
	sqlite3_stmt *statement = store_use(store, pool->id ? POOL_CHANGE : POOL_ADD);
	int result;

	store_bind_text(statement, 1, pool->name);
	store_bind_integers(statement, 2, pool->sticky, pool->country,
			    pool->recipients_per_month, pool->fails_over);
	if (pool->id)
		store_bind_integers(statement, 6, pool->id);
	result = sqlite3_step(statement);
	if (result == SQLITE_CONSTRAINT) {
		sqlite3_reset(statement);
		return STORE_E_EXISTS;
	}
	return store_finish(store, statement, result);
}

static int store_pool_write_sims(struct store *store, int64_t pool_id,
				 const int64_t *sims, size_t count)
{
	int error = store_execute(store, POOL_SIMS_REMOVE, pool_id);

	for (size_t i = 0; i < count && !error; i++)
		error = store_execute(store, POOL_SIM_ADD, pool_id, sims[i]);
	return error;
}

/* Of very many SIMs the line has the first; `count` tells. */
static int store_pool_record(struct store *store, const struct store_pool *pool,
			     const int64_t *sims, size_t count, const char *by)
{
	char list[STORE_POOL_LIST_BYTES] = "";
	size_t length = 0;

	for (size_t i = 0;
	     sims && i < count && length + STORE_POOL_ID_BYTES < sizeof(list); i++)
		length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%lld",
					   i ? "," : "", (long long)sims[i]);
	return store_audit_record(
		store, AUDIT_POOL_CHANGED,
		(struct audit_event_fact[]){
			{ "pool", pool->name },
			{ "sticky", store_pool_rule_name(pool->sticky) },
			{ "country", store_pool_rule_name(pool->country) },
			{ "recipients_per_month", NULL, pool->recipients_per_month },
			{ "failover", NULL, pool->fails_over },
			{ "by", by },
			{ sims ? "sims" : NULL, list },
			{ "count", NULL, (int64_t)count },
			{ NULL },
		});
}

int store_pool_put(struct store *store, struct store_pool *pool, const int64_t *sims,
		   size_t count, const char *by)
{
	int64_t id = pool->id;
	int error = store_begin(store);

	if (error)
		return error;
	error = store_pool_write(store, pool);
	if (!error && !id)
		id = sqlite3_last_insert_rowid(store->database);
	if (!error && sims)
		error = store_pool_write_sims(store, id, sims, count);
	if (!error)
		error = store_pool_record(store, pool, sims, count, by);
	error = store_end(store, error);
	if (!error)
		pool->id = id;
	return error;
}

int store_pool_remove(struct store *store, const struct store_pool *pool, const char *by)
{
	int error = store_begin(store);

	if (error)
		return error;
	error = store_execute(store, POOL_SIMS_REMOVE, pool->id);
	if (!error)
		error = store_execute(store, POOL_REMOVE, pool->id);
	if (!error && !sqlite3_changes(store->database))
		error = STORE_E_NOT_FOUND;
	if (!error)
		error = store_audit_record(
			store, AUDIT_POOL_REMOVED,
			(struct audit_event_fact[]){
				{ "pool", pool->name }, { "by", by }, { NULL } });
	return store_end(store, error);
}

static enum store_pool_rule store_pool_read_rule(sqlite3_stmt *statement, int column)
{
	int rule = sqlite3_column_int(statement, column);

	return rule >= 0 && rule < POOL_RULES ? (enum store_pool_rule)rule
					      : POOL_RULE_PREFER;
}

int store_pool_list(struct store *store,
		    void (*visit)(void *data, const struct store_pool *pool), void *data)
{
	sqlite3_stmt *statement = store_use(store, POOLS);
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		struct store_pool pool = {
			.id = sqlite3_column_int64(statement, 0),
			.sticky = store_pool_read_rule(statement, 2),
			.country = store_pool_read_rule(statement, 3),
			.recipients_per_month = sqlite3_column_int64(statement, 4),
			.fails_over = sqlite3_column_int(statement, 5),
		};

		snprintf(pool.name, sizeof(pool.name), "%s",
			 store_column_text(statement, 1));
		visit(data, &pool);
	}
	return store_finish(store, statement, result);
}

int store_pool_list_sims(struct store *store,
			 void (*visit)(void *data, int64_t pool_id, int64_t sim_id),
			 void *data)
{
	sqlite3_stmt *statement = store_use(store, POOL_SIMS);
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW)
		visit(data, sqlite3_column_int64(statement, 0),
		      sqlite3_column_int64(statement, 1));
	return store_finish(store, statement, result);
}

int store_pool_put_service(struct store *store, const struct store_pool_service *service)
{
	return store_execute(store, SIM_SERVICE_PUT, service->sim_id, service->is_drained,
			     service->failures, service->rests_until_ms);
}

int store_pool_drain(struct store *store, const struct store_pool_service *service,
		     const char *phone, const char *by)
{
	int error = store_begin(store);

	if (error)
		return error;
	error = store_pool_put_service(store, service);
	if (!error)
		error = store_audit_record(
			store,
			service->is_drained ? AUDIT_SIM_DRAINED : AUDIT_SIM_UNDRAINED,
			(struct audit_event_fact[]){
				{ "subscription_id", NULL, service->sim_id },
				{ "by", by },
				{ phone ? "phone" : NULL, phone },
				{ NULL } });
	return store_end(store, error);
}

int store_pool_list_services(struct store *store,
			     void (*visit)(void *data,
					   const struct store_pool_service *service),
			     void *data)
{
	sqlite3_stmt *statement = store_use(store, SIM_SERVICES);
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		const struct store_pool_service service = {
			.sim_id = sqlite3_column_int64(statement, 0),
			.is_drained = sqlite3_column_int(statement, 1),
			.failures = (unsigned)sqlite3_column_int(statement, 2),
			.rests_until_ms = sqlite3_column_int64(statement, 3),
		};

		visit(data, &service);
	}
	return store_finish(store, statement, result);
}

int store_pool_count_recipients(struct store *store, int64_t sim_id, int64_t month,
				int64_t *count_out)
{
	sqlite3_stmt *statement = store_use(store, SIM_RECIPIENT_COUNT);

	store_bind_integers(statement, 1, sim_id, month);
	return store_read_integer(store, statement, count_out);
}

int store_pool_has_recipient(struct store *store, int64_t sim_id, int64_t month,
			     const char *number)
{
	sqlite3_stmt *statement = store_use(store, SIM_RECIPIENT_FIND);

	store_bind_integers(statement, 1, sim_id, month);
	store_bind_text(statement, 3, number);
	return store_find_row(store, statement);
}

static int store_pool_write_recipient(struct store *store, int64_t sim_id, int64_t month,
				      const char *number)
{
	sqlite3_stmt *statement = store_use(store, SIM_RECIPIENT_ADD);
	int error;

	store_bind_integers(statement, 1, sim_id, month);
	store_bind_text(statement, 3, number);
	error = store_run(store, statement);
	return error ? error
		     : store_execute(store, SIM_RECIPIENT_PRUNE, sim_id, month - 1);
}

int store_pool_add_recipient(struct store *store, int64_t sim_id, int64_t month,
			     const char *number)
{
	int error = store_begin_lazily(store);

	return error ? error
		     : store_end(store, store_pool_write_recipient(store, sim_id, month,
								   number));
}

int store_pool_last_sim(struct store *store, const char *number, bool is_incoming,
			int64_t *sim_id_out)
{
	sqlite3_stmt *statement = store_use(store, POOL_LAST_SIM);
	int64_t sim_id = 0;
	int error;

	store_bind_text(statement, 1, number);
	store_bind_integers(statement, 2,
			    is_incoming ? MESSAGE_INCOMING : MESSAGE_OUTGOING);
	error = store_read_integer(store, statement, &sim_id);
	if (!error)
		*sim_id_out = sim_id;
	return error;
}
