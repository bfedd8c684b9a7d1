/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store's messages. A message, its history and what the audit says of it change together
 * or not at all (tests/unit/test_store_damage.c, tests/unit/test_store_audit.c).
 */
#include <string.h>

#include "base/clock.h"
#include "store/audit_message.h"
#include "store/store.h"
#include "store/store_message.h"
#include "store/store_statement.h"
#include "store/store_usage.h"

int store_message_note(struct store *store, int64_t message_id,
		       const struct message_change *change)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_CHANGE_ADD);

	sqlite3_bind_int64(statement, 1, message_id);
	sqlite3_bind_int(statement, 2, change->state);
	statement_bind_text(statement, 3, change->reason);
	sqlite3_bind_int64(statement, 4, change->at_ms);
	statement_bind_text(statement, 5, change->note);
	return store_run(store, statement);
}

/* A validity that counts from send_at has not begun. */
static void bind_clock(sqlite3_stmt *statement, const struct message_draft *draft,
		       int64_t created_ms)
{
	int64_t now_ms = clock_wall_ms(), boot_ms = clock_boot_ms();
	bool has_begun = draft->expires_at_ms && !draft->send_at_ms;

	sqlite3_bind_int64(statement, 12, clock_boot_number());
	sqlite3_bind_int64(statement, 13, boot_ms + created_ms - now_ms);
	sqlite3_bind_int64(statement, 14,
			   has_begun ? boot_ms + draft->expires_at_ms - now_ms : 0);
	sqlite3_bind_int(statement, 15, draft->yes_ends ? MESSAGE_YES_ENDS : 0);
}

static int message_row_add(struct store *store, const struct message_draft *draft,
			   const struct message_change *change, int64_t *message_id_out)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_ADD);
	int error;

	sqlite3_bind_int64(statement, 1, draft->sim_id);
	sqlite3_bind_int64(statement, 2, draft->client_id);
	statement_bind_text(statement, 3, draft->number);
	statement_bind_text(statement, 4, draft->text);
	sqlite3_bind_int64(statement, 5, draft->segments);
	sqlite3_bind_int(statement, 6, draft->is_handing ? STATE_HANDING : change->state);
	sqlite3_bind_int64(statement, 7, change->at_ms);
	statement_bind_text(statement, 8, draft->idempotency_key);
	sqlite3_bind_int64(statement, 9, draft->send_at_ms);
	sqlite3_bind_int64(statement, 10, draft->expires_at_ms);
	statement_bind_text(statement, 11, change->reason);
	bind_clock(statement, draft, change->at_ms);
	error = store_run(store, statement);
	if (!error)
		*message_id_out = sqlite3_last_insert_rowid(store->database);
	return error;
}

static int history_begin(struct store *store, int64_t message_id,
			 const struct message_draft *draft,
			 const struct message_change *change)
{
	const struct message_change handing = { STATE_HANDING, "", change->at_ms };
	int error = store_message_note(store, message_id, change);

	if (!error && draft->is_handing)
		error = store_message_note(store, message_id, &handing);
	return error;
}

int store_message_add(struct store *store, const struct message_draft *draft,
		      int64_t *message_id_out)
{
	struct message_change change = {
		.state = draft->state ? draft->state : STATE_QUEUED,
		.reason = draft->reason ? draft->reason : "",
		.at_ms = draft->created_ms ? draft->created_ms : clock_wall_ms(),
	};
	int64_t message_id = 0;
	int error = store_begin(store);

	clock_history_look(&store->clock); /* see store_outgoing_same() */

	if (error)
		return error;
	error = message_row_add(store, draft, &change, &message_id);
	if (!error)
		error = history_begin(store, message_id, draft, &change);
	if (!error)
		error = store_usage_add(store, draft, message_id);
	if (!error)
		error = audit_message_added(store, message_id, draft);
	error = store_end(store, error);
	if (error) {
		store_usage_forget_clock(store);
		return error;
	}
	store->added++;
	*message_id_out = message_id;
	return 0;
}

int store_message_state(struct store *store, int64_t message_id,
			enum message_state *state_out)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_STATE_GET);
	int result, error;

	sqlite3_bind_int64(statement, 1, message_id);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		*state_out = (enum message_state)sqlite3_column_int(statement, 0);
	error = store_done(store, statement, result);
	if (error)
		return error;
	return result == SQLITE_ROW ? 0 : STORE_E_NOT_FOUND;
}

static int message_state_set(struct store *store, int64_t message_id,
			     const struct message_change *change, const char *uuid,
			     enum delivery delivery)
{
	sqlite3_stmt *statement =
		store_use(store, uuid ? MESSAGE_STATE_SET_UUID : MESSAGE_STATE_SET);

	sqlite3_bind_int64(statement, 1, message_id);
	sqlite3_bind_int(statement, 2, change->state);
	statement_bind_text(statement, 3, change->reason);
	sqlite3_bind_int64(statement, 4, change->at_ms);
	if (delivery != DELIVERY_NONE) /* else SQL's NULL */
		sqlite3_bind_int(statement, 5, delivery);
	if (uuid)
		statement_bind_text(statement, 6, uuid);
	return store_run(store, statement);
}

/* oFono never had it. */
static bool ended_here(enum message_state from, enum message_state to)
{
	return message_state_is_waiting(from) && message_state_is_final(to) &&
	       to != STATE_UNKNOWN;
}

int store_message_apply(struct store *store, int64_t message_id,
			const struct message_change *change, const char *uuid,
			enum delivery delivery)
{
	enum message_state from;
	int error = store_message_state(store, message_id, &from);

	if (error)
		return error;
	if (!message_state_may_become(from, change->state))
		return STORE_E_ILLEGAL;
	error = message_state_set(store, message_id, change, uuid, delivery);
	if (!error)
		error = store_message_note(store, message_id, change);
	if (!error && ended_here(from, change->state))
		error = store_usage_return(store, message_id);
	return error ? error : audit_message_moved(store, message_id, from, change);
}

int store_message_move(struct store *store, int64_t message_id, enum message_state to,
		       const char *reason, const char *uuid)
{
	struct message_change change = { .state = to,
					 .reason = reason ? reason : "",
					 .at_ms = clock_wall_ms() };
	int error = store_begin(store);

	if (error)
		return error;
	return store_end(store, store_message_apply(store, message_id, &change, uuid,
						    DELIVERY_NONE));
}

static int message_keep(struct message *message, struct arena *arena)
{
	const char **texts[] = { &message->number,    &message->text,
				 &message->reason,    &message->uuid,
				 &message->sent_time, &message->idempotency_key };
	size_t place;

	for (place = 0; place < sizeof(texts) / sizeof(*texts); place++)
		*texts[place] = arena_copy(arena, *texts[place], strlen(*texts[place]));
	return arena_error(arena);
}

int store_message_fetch(struct store *store, sqlite3_stmt *statement, struct arena *arena,
			struct message *message_out)
{
	struct message message;
	int result, error, kept = STORE_E_NOT_FOUND;

	result = sqlite3_step(statement);
	if (result == SQLITE_ROW) {
		statement_read_message(statement, &message);
		kept = message_keep(&message, arena);
	}
	error = store_done(store, statement, result);
	if (error || kept)
		return error ? error : kept;
	*message_out = message;
	return 0;
}

int store_message_get(struct store *store, int64_t message_id, struct arena *arena,
		      struct message *message_out)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_GET);

	sqlite3_bind_int64(statement, 1, message_id);
	return store_message_fetch(store, statement, arena, message_out);
}

int store_message_changes(struct store *store, int64_t message_id,
			  void (*visit)(void *data, const struct message_change *change),
			  void *data)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_CHANGES);
	int result;

	sqlite3_bind_int64(statement, 1, message_id);
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		struct message_change change = {
			.state = (enum message_state)sqlite3_column_int(statement, 0),
			.reason = statement_column_text(statement, 1),
			.at_ms = sqlite3_column_int64(statement, 2),
			.note = statement_column_text(statement, 3),
		};

		visit(data, &change);
	}
	return store_done(store, statement, result);
}

int store_messages_unfinished(struct store *store,
			      void (*visit)(void *data, const struct message *message),
			      void *data)
{
	sqlite3_stmt *statement = store_use(store, MESSAGES_UNFINISHED);
	struct message message;
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		statement_read_message(statement, &message);
		visit(data, &message);
	}
	return store_done(store, statement, result);
}
