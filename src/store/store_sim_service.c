/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_pool.h"

#include "store/store_internal.h"

int store_sim_service_put(struct store *store, const struct store_sim_service *service)
{
	return store_execute(store, SIM_SERVICE_PUT, service->sim_id, service->is_drained,
			     service->failures, service->rests_until_ms);
}

int store_sim_service_list(struct store *store,
			   void (*visit)(void *data,
					 const struct store_sim_service *service),
			   void *data)
{
	sqlite3_stmt *statement = store_use(store, SIM_SERVICES);
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		const struct store_sim_service service = {
			.sim_id = sqlite3_column_int64(statement, 0),
			.is_drained = sqlite3_column_int(statement, 1),
			.failures = (unsigned)sqlite3_column_int(statement, 2),
			.rests_until_ms = sqlite3_column_int64(statement, 3),
		};

		visit(data, &service);
	}
	return store_finish(store, statement, result);
}

int store_sim_service_count_recipients(struct store *store, int64_t sim_id, int64_t month,
				       int64_t *count_out)
{
	sqlite3_stmt *statement = store_use(store, SIM_RECIPIENT_COUNT);

	store_bind_integers(statement, 1, sim_id, month);
	return store_read_integer(store, statement, count_out);
}

int store_sim_service_has_recipient(struct store *store, int64_t sim_id, int64_t month,
				    const char *number)
{
	sqlite3_stmt *statement = store_use(store, SIM_RECIPIENT_FIND);

	store_bind_integers(statement, 1, sim_id, month);
	store_bind_text(statement, 3, number);
	return store_find_row(store, statement);
}

static int store_sim_service_write_recipient(struct store *store, int64_t sim_id,
					     int64_t month, const char *number)
{
	sqlite3_stmt *statement = store_use(store, SIM_RECIPIENT_ADD);
	int error;

	store_bind_integers(statement, 1, sim_id, month);
	store_bind_text(statement, 3, number);
	error = store_run(store, statement);
	return error ? error
		     : store_execute(store, SIM_RECIPIENT_PRUNE, sim_id, month - 1);
}

int store_sim_service_add_recipient(struct store *store, int64_t sim_id, int64_t month,
				    const char *number)
{
	int error = store_begin_lazily(store);

	return error ? error
		     : store_end(store, store_sim_service_write_recipient(store, sim_id,
									  month, number));
}
