/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A message changes in one transaction with its history, its usage and its audit line.
 * store_message_apply() is the only place that changes a state, and it asks
 * message_state_may_become() first.
 *
 * Deadlines are stored twice: by the wall clock and by CLOCK_BOOTTIME of the boot that
 * counted them, so that setting the clock moves none of them.
 * store_message_rebase_deadlines() moves those of an earlier boot to this one.
 */
#include "store/store_message.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "store/store_audit.h"
#include "store/store_client.h"
#include "store/store_internal.h"
#include "store/store_party.h"
#include "store/store_usage.h"

static const char *const delivery_names[DELIVERY_LAST + 1] = {
	[DELIVERY_NONE] = "none",
	[DELIVERY_AWAITED] = "awaited",
	[DELIVERY_CONFIRMED] = "delivered",
	[DELIVERY_REFUSED] = "refused",
	[DELIVERY_UNCONFIRMED] = "unconfirmed",
};

const char *store_message_delivery_name(enum delivery delivery)
{
	assert(delivery >= DELIVERY_NONE && delivery <= DELIVERY_LAST);
	return delivery_names[delivery];
}

/* A clock that was set back makes the wait longer, never shorter. */
static enum delivery store_message_delivery_in_time(const struct message *message,
						    int64_t now_ms)
{
	if (message->delivery == DELIVERY_AWAITED &&
	    now_ms - message->changed_ms > DELIVERY_WAIT_MS)
		return DELIVERY_UNCONFIRMED;
	return message->delivery;
}

enum delivery store_message_delivery(const struct message *message, int64_t now_ms)
{
	switch (message->state) {
	case STATE_DELIVERED:
		return DELIVERY_CONFIRMED;
	case STATE_SENT:
	case STATE_UNKNOWN: /* may have been sent */
		return store_message_delivery_in_time(message, now_ms);
	case STATE_SUBMITTED:
	case STATE_HELD:
		return message->delivery;
	case STATE_QUEUED:
	case STATE_SUBMITTING:
	case STATE_FAILED:
	case STATE_CANCELLED:
	case STATE_RECEIVED:
	case STATE_SCHEDULED:
	case STATE_WAITING_APPROVAL:
	case STATE_EXPIRED:
		return DELIVERY_NONE;
	}
	return DELIVERY_NONE;
}

static int store_message_add_change(struct store *store, int64_t message_id,
				    const struct message_change *change)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_CHANGE_ADD);

	sqlite3_bind_int64(statement, 1, message_id);
	sqlite3_bind_int(statement, 2, change->state);
	store_bind_text(statement, 3, change->reason);
	sqlite3_bind_int64(statement, 4, change->at_ms);
	store_bind_text(statement, 5, change->note);
	return store_run(store, statement);
}

/* The validity of a scheduled message begins at send_at. */
static void store_message_bind_clock(sqlite3_stmt *statement,
				     const struct store_message_draft *draft,
				     int64_t created_ms)
{
	int64_t now_ms = clock_wall_ms(), boot_ms = clock_boot_ms();
	bool has_begun = draft->expires_at_ms && !draft->send_at_ms;

	sqlite3_bind_int64(statement, 12, clock_boot_number());
	sqlite3_bind_int64(statement, 13, boot_ms + created_ms - now_ms);
	sqlite3_bind_int64(statement, 14,
			   has_begun ? boot_ms + draft->expires_at_ms - now_ms : 0);
	sqlite3_bind_int(statement, 15, draft->ends_approval ? MESSAGE_ENDS_APPROVAL : 0);
}

static int store_message_add_row(struct store *store,
				 const struct store_message_draft *draft,
				 const struct message_change *change,
				 int64_t *message_id_out)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_ADD);
	int error;

	sqlite3_bind_int64(statement, 1, draft->sim_id);
	sqlite3_bind_int64(statement, 2, draft->client_id);
	store_bind_text(statement, 3, draft->number);
	store_bind_text(statement, 4, draft->text);
	sqlite3_bind_int64(statement, 5, draft->segments);
	sqlite3_bind_int(statement, 6,
			 draft->is_submitting ? STATE_SUBMITTING : change->state);
	sqlite3_bind_int64(statement, 7, change->at_ms);
	store_bind_text(statement, 8, draft->idempotency_key);
	sqlite3_bind_int64(statement, 9, draft->send_at_ms);
	sqlite3_bind_int64(statement, 10, draft->expires_at_ms);
	store_bind_text(statement, 11, change->reason);
	store_message_bind_clock(statement, draft, change->at_ms);
	error = store_run(store, statement);
	if (!error)
		*message_id_out = sqlite3_last_insert_rowid(store->database);
	return error;
}

static int store_message_begin_history(struct store *store, int64_t message_id,
				       const struct store_message_draft *draft,
				       const struct message_change *change)
{
	const struct message_change submitting = { STATE_SUBMITTING, "", change->at_ms };
	int error = store_message_add_change(store, message_id, change);

	if (!error && draft->is_submitting)
		error = store_message_add_change(store, message_id, &submitting);
	return error;
}

int store_message_add(struct store *store, const struct store_message_draft *draft,
		      int64_t *message_id_out)
{
	struct message_change change = {
		.state = draft->state ? draft->state : STATE_QUEUED,
		.reason = draft->reason ? draft->reason : "",
		.at_ms = draft->created_ms ? draft->created_ms : clock_wall_ms(),
	};
	char client[CLIENT_NAME_BYTES];
	int64_t message_id = 0;
	int error = draft->is_awaited ? store_begin_lazily(store) : store_begin(store);

	clock_history_update(&store->clock); /* see store_message_find_same() */

	if (error)
		return error;
	error = store_client_name(store, draft->client_id, client);
	if (!error)
		error = store_message_add_row(store, draft, &change, &message_id);
	if (!error)
		error = store_message_begin_history(store, message_id, draft, &change);
	if (!error)
		error = store_usage_add(store, draft, message_id);
	if (!error)
		error = store_audit_message_added(store, message_id, draft, client);
	error = store_end(store, error);
	if (error) {
		store_usage_forget_clock(store);
		return error;
	}
	store->added++;
	*message_id_out = message_id;
	return 0;
}

static int store_message_read_state(struct store *store, int64_t message_id,
				    enum message_state *state_out)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_STATE_GET);
	int result, error;

	sqlite3_bind_int64(statement, 1, message_id);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		*state_out = (enum message_state)sqlite3_column_int(statement, 0);
	error = store_finish(store, statement, result);
	if (error)
		return error;
	return result == SQLITE_ROW ? 0 : STORE_E_NOT_FOUND;
}

static int store_message_set_state(struct store *store, int64_t message_id,
				   const struct message_change *change, const char *uuid,
				   enum delivery delivery)
{
	sqlite3_stmt *statement =
		store_use(store, uuid ? MESSAGE_STATE_SET_UUID : MESSAGE_STATE_SET);

	sqlite3_bind_int64(statement, 1, message_id);
	sqlite3_bind_int(statement, 2, change->state);
	store_bind_text(statement, 3, change->reason);
	sqlite3_bind_int64(statement, 4, change->at_ms);
	if (delivery != DELIVERY_NONE) /* otherwise SQL's NULL */
		sqlite3_bind_int(statement, 5, delivery);
	if (uuid)
		store_bind_text(statement, 6, uuid);
	return store_run(store, statement);
}

/* It ended in the gateway. */
static bool store_message_never_reached_ofono(enum message_state from,
					      enum message_state to)
{
	return message_state_is_waiting(from) && message_state_is_final(to) &&
	       to != STATE_UNKNOWN;
}

static int store_message_apply(struct store *store, int64_t message_id,
			       const struct message_change *change, const char *uuid,
			       enum delivery delivery)
{
	enum message_state from;
	int error = store_message_read_state(store, message_id, &from);

	if (error)
		return error;
	if (!message_state_may_become(from, change->state))
		return STORE_E_ILLEGAL;
	error = store_message_set_state(store, message_id, change, uuid, delivery);
	if (!error)
		error = store_message_add_change(store, message_id, change);
	if (!error && store_message_never_reached_ofono(from, change->state))
		error = store_usage_return(store, message_id);
	return error ? error
		     : store_audit_message_changed(store, message_id, from, change);
}

static int store_message_copy_texts(struct message *message, struct arena *arena)
{
	const char **texts[] = { &message->number,    &message->text,
				 &message->reason,    &message->uuid,
				 &message->sent_time, &message->idempotency_key };
	size_t place;

	for (place = 0; place < sizeof(texts) / sizeof(*texts); place++)
		*texts[place] = arena_copy(arena, *texts[place], strlen(*texts[place]));
	return arena_error(arena);
}

static int store_message_fetch(struct store *store, sqlite3_stmt *statement,
			       struct arena *arena, struct message *message_out)
{
	struct message message;
	int result, error, kept = STORE_E_NOT_FOUND;

	result = sqlite3_step(statement);
	if (result == SQLITE_ROW) {
		store_read_message(statement, &message);
		kept = store_message_copy_texts(&message, arena);
	}
	error = store_finish(store, statement, result);
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
			.reason = store_column_text(statement, 1),
			.at_ms = sqlite3_column_int64(statement, 2),
			.note = store_column_text(statement, 3),
		};

		visit(data, &change);
	}
	return store_finish(store, statement, result);
}

int store_message_list_unfinished(struct store *store,
				  void (*visit)(void *data,
						const struct message *message),
				  void *data)
{
	sqlite3_stmt *statement = store_use(store, MESSAGES_UNFINISHED);
	struct message message;
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		store_read_message(statement, &message);
		visit(data, &message);
	}
	return store_finish(store, statement, result);
}

int store_message_by_key(struct store *store, int64_t client_id, const char *key,
			 struct arena *arena, struct message *message_out)
{
	sqlite3_stmt *statement = store_use(store, OUTGOING_BY_KEY);

	sqlite3_bind_int64(statement, 1, client_id);
	store_bind_text(statement, 2, key);
	return store_message_fetch(store, statement, arena, message_out);
}

static sqlite3_stmt *store_message_use_same(struct store *store,
					    const struct store_message_draft *draft,
					    const char *numbers)
{
	sqlite3_stmt *statement = store_use(store, OUTGOING_SAME);

	store_bind_text(statement, 1, numbers);
	sqlite3_bind_int64(statement, 2, draft->client_id);
	store_bind_text(statement, 3, draft->text);
	sqlite3_bind_int64(statement, 6, draft->send_at_ms);
	return statement;
}

/*
 * Searches by every clock that was in use during this boot. The clock may also have been
 * set back before the last start, hence both sides of now.
 */
int store_message_find_same(struct store *store, const struct store_message_draft *draft,
			    int64_t window_ms, struct arena *arena,
			    struct message *message_out)
{
	char numbers[STORE_PARTY_LIST_BYTES];
	struct store_party party;
	int error = STORE_E_NOT_FOUND;
	unsigned place;

	store_party_spell(store, draft->sim_id, draft->number, &party);
	store_party_list(&party, numbers);
	clock_history_update(&store->clock);
	for (place = 0; place < store->clock.count && error == STORE_E_NOT_FOUND;
	     place++) {
		int64_t now_ms = clock_history_now_ms(&store->clock, place);
		sqlite3_stmt *statement = store_message_use_same(store, draft, numbers);

		sqlite3_bind_int64(statement, 4, now_ms - window_ms);
		sqlite3_bind_int64(statement, 5, now_ms + window_ms);
		error = store_message_fetch(store, statement, arena, message_out);
	}
	return error;
}

int store_message_by_uuid(struct store *store, const char *uuid, struct arena *arena,
			  struct message *message_out)
{
	sqlite3_stmt *statement = store_use(store, OUTGOING_BY_UUID);

	store_bind_text(statement, 1, uuid);
	return store_message_fetch(store, statement, arena, message_out);
}

static int store_message_free_key(struct store *store, int64_t message_id)
{
	sqlite3_stmt *statement = store_use(store, OUTGOING_KEY_FREE);

	sqlite3_bind_int64(statement, 1, message_id);
	return store_run(store, statement);
}

int store_message_set_deadline(struct store *store, int64_t message_id,
			       const struct store_message_deadline *deadline)
{
	sqlite3_stmt *statement = store_use_lazily(store, OUTGOING_DEADLINE_SET);

	sqlite3_bind_int64(statement, 1, message_id);
	sqlite3_bind_int64(statement, 2, deadline->expires_at_ms);
	sqlite3_bind_int64(statement, 3, deadline->expires_boot_ms);
	sqlite3_bind_int64(statement, 4, deadline->seen_ms);
	sqlite3_bind_int(statement, 5,
			 deadline->ends_approval ? MESSAGE_ENDS_APPROVAL : 0);
	return store_run(store, statement);
}

static sqlite3_stmt *store_message_use_rebase(struct store *store,
					      enum store_sql_id which)
{
	sqlite3_stmt *statement = store_use(store, which);

	sqlite3_bind_int64(statement, 1, clock_boot_number());
	sqlite3_bind_int64(statement, 2, store->before.at_ms);
	return statement;
}

/* Inside a transaction. */
static int store_message_rebase_rows(struct store *store)
{
	const struct store_moment *before = &store->before;
	int64_t boot_ms = clock_boot_ms();
	bool is_ahead = before->boot == clock_boot_number() && before->boot_ms > boot_ms;
	sqlite3_stmt *statement = store_message_use_rebase(store, DEADLINES_CARRY);
	int error;

	sqlite3_bind_int64(statement, 3, before->boot);
	sqlite3_bind_int64(statement, 4, before->boot_ms);
	sqlite3_bind_int(statement, 5, is_ahead);
	error = store_run(store, statement);
	if (error)
		return error;
	statement = store_message_use_rebase(store, DEADLINES_GUESS);
	sqlite3_bind_int64(statement, 3, boot_ms);
	error = store_run(store, statement);
	if (error || clock_wall_ms() >= before->at_ms - CLOCK_SLEW_MS)
		return error;
	statement = store_use(store, DEADLINES_SEEN);
	sqlite3_bind_int64(statement, 1, before->at_ms);
	return store_run(store, statement);
}

int store_message_rebase_deadlines(struct store *store)
{
	int error = store_begin(store);

	return error ? error : store_end(store, store_message_rebase_rows(store));
}

int store_message_change_state(struct store *store, int64_t message_id,
			       const struct store_message_transition *transition)
{
	struct message_change change = {
		.state = transition->to,
		.reason = transition->reason ? transition->reason : "",
		.at_ms = transition->at_ms ? transition->at_ms : clock_wall_ms(),
		.by = transition->by,
		.note = transition->note,
	};
	int error = transition->is_lazy ? store_begin_lazily(store) : store_begin(store);

	if (error)
		return error;
	error = store_message_apply(store, message_id, &change, transition->uuid,
				    transition->delivery);
	if (!error && transition->frees_key)
		error = store_message_free_key(store, message_id);
	if (!error && transition->deadline)
		error = store_message_set_deadline(store, message_id,
						   transition->deadline);
	return store_end(store, error);
}

/* Inside a transaction. */
static int store_message_apply_delivery(struct store *store, int64_t message_id,
					enum delivery delivery)
{
	struct message_change change = { .reason = "not_delivered",
					 .at_ms = clock_wall_ms() };
	sqlite3_stmt *statement;
	int error = store_message_read_state(store, message_id, &change.state);

	if (error)
		return error;
	statement = store_use(store, MESSAGE_DELIVERY_SET);
	sqlite3_bind_int64(statement, 1, message_id);
	sqlite3_bind_int(statement, 2, delivery);
	error = store_run(store, statement);
	if (error || delivery != DELIVERY_REFUSED)
		return error;
	return store_message_add_change(store, message_id, &change);
}

int store_message_set_delivery(struct store *store, int64_t message_id,
			       enum delivery delivery)
{
	int error = store_begin(store);

	if (error)
		return error;
	return store_end(store,
			 store_message_apply_delivery(store, message_id, delivery));
}

int store_message_newest(struct store *store, int64_t *message_id_out)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_NEWEST);
	int result = sqlite3_step(statement);
	int64_t message_id = sqlite3_column_int64(statement, 0); /* 0 for SQL's NULL */
	int error = store_finish(store, statement, result);

	if (!error)
		*message_id_out = message_id;
	return error;
}
