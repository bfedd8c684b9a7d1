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

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "store/store_attempt.h"
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

int store_message_add_change(struct store *store, int64_t message_id,
			     const struct message_change *change)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_CHANGE_ADD);

	store_bind_integers(statement, 1, message_id, change->state);
	store_bind_text(statement, 3, change->reason);
	sqlite3_bind_int64(statement, 4, change->at_ms);
	store_bind_text(statement, 5, change->note);
	return store_run(store, statement);
}

unsigned store_message_draft_flags(const struct store_message_draft *draft)
{
	return (draft->ends_approval ? MESSAGE_ENDS_APPROVAL : 0) |
	       (draft->is_spread ? MESSAGE_SPREAD : 0);
}

/* The validity of a scheduled message begins at send_at. */
static void store_message_bind_clock(sqlite3_stmt *statement,
				     const struct store_message_draft *draft,
				     int64_t created_ms)
{
	int64_t now_ms = clock_wall_ms(), boot_ms = clock_boot_ms();
	bool has_begun = draft->expires_at_ms && !draft->send_at_ms;

	store_bind_integers(statement, 12, clock_boot_number(),
			    boot_ms + created_ms - now_ms,
			    has_begun ? boot_ms + draft->expires_at_ms - now_ms : 0,
			    store_message_draft_flags(draft), draft->valid_ms);
}

static int store_message_add_row(struct store *store,
				 const struct store_message_draft *draft,
				 const struct message_change *change,
				 int64_t *message_id_out)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_ADD);
	int error;

	store_bind_integers(statement, 1, draft->sim_id, draft->client_id);
	store_bind_text(statement, 3, draft->number);
	store_bind_text(statement, 4, draft->text);
	store_bind_integers(statement, 5, draft->segments,
			    draft->is_submitting ? STATE_SUBMITTING : change->state,
			    change->at_ms);
	store_bind_text(statement, 8, draft->idempotency_key);
	store_bind_integers(statement, 9, draft->send_at_ms, draft->expires_at_ms);
	store_bind_text(statement, 11, change->reason);
	store_bind_text(statement, 17, draft->uuid);
	store_message_bind_clock(statement, draft, change->at_ms);
	error = store_run(store, statement);
	if (!error)
		*message_id_out = sqlite3_last_insert_rowid(store->database);
	return error;
}

/* Call it inside a transaction. */
static int store_message_insert(struct store *store,
				const struct store_message_draft *draft,
				int64_t *message_id_out)
{
	struct message_change change = {
		.state = draft->state ? draft->state : STATE_QUEUED,
		.reason = draft->reason ? draft->reason : "",
		.at_ms = draft->created_ms ? draft->created_ms : clock_wall_ms(),
	};
	char note[sizeof("on behalf of ") + STORE_AUDIT_ACTING_FOR_BYTES];
	const struct message_change submitting = { STATE_SUBMITTING, "", change.at_ms };
	char client[CLIENT_NAME_BYTES];
	int64_t message_id = 0;
	int error = store_client_name(store, draft->client_id, client);

	snprintf(note, sizeof(note), "on behalf of %s", store->acting_for);
	if (*store->acting_for)
		change.note = note;
	if (!error)
		error = store_message_add_row(store, draft, &change, &message_id);
	if (!error)
		error = store_index_put(store, message_id);
	if (!error)
		error = store_message_add_change(store, message_id, &change);
	if (!error && draft->is_submitting)
		error = store_message_add_change(store, message_id, &submitting);
	if (!error && draft->routed)
		error = store_attempt_set_routed(store, message_id, draft->routed);
	if (!error && draft->client_id != CLIENT_PHONE) /* no limit is about it */
		error = store_usage_add(store, draft, message_id);
	if (!error)
		error = store_audit_message_added(store, message_id, draft, client);
	*message_id_out = message_id;
	return error;
}

int store_message_add_all(struct store *store, const struct store_message_draft *drafts,
			  size_t count, int64_t *message_ids_out)
{
	int error = drafts->is_awaited ? store_begin_lazily(store) : store_begin(store);

	clock_history_update(&store->clock); /* see store_message_find_same() */

	if (error)
		return error;
	for (size_t i = 0; !error && i < count; i++)
		error = store_message_insert(store, &drafts[i], &message_ids_out[i]);
	error = store_end(store, error);
	if (error) {
		store_usage_forget_clock(store);
		return error;
	}
	store->added += count;
	return 0;
}

int store_message_add(struct store *store, const struct store_message_draft *draft,
		      int64_t *message_id_out)
{
	int64_t message_id;
	int error = store_message_add_all(store, draft, 1, &message_id);

	if (!error)
		*message_id_out = message_id;
	return error;
}

/* What a change of state begins with. */
struct store_message_origin {
	enum message_state state;
	unsigned segments;
};

static int store_message_read_origin(struct store *store, int64_t message_id,
				     struct store_message_origin *origin_out)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_STATE_GET);
	int result;

	sqlite3_bind_int64(statement, 1, message_id);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		*origin_out = (struct store_message_origin){
			message_state_of(sqlite3_column_int64(statement, 0)),
			(unsigned)sqlite3_column_int(statement, 1),
		};
	return store_finish_row(store, statement, result);
}

static int store_message_set_state(struct store *store, int64_t message_id,
				   const struct message_change *change, const char *uuid,
				   enum delivery delivery)
{
	sqlite3_stmt *statement =
		store_use(store, uuid ? MESSAGE_STATE_SET_UUID : MESSAGE_STATE_SET);

	store_bind_integers(statement, 1, message_id, change->state);
	store_bind_text(statement, 3, change->reason);
	sqlite3_bind_int64(statement, 4, change->at_ms);
	if (delivery != DELIVERY_NONE) /* otherwise SQL's NULL */
		sqlite3_bind_int(statement, 5, delivery);
	if (uuid)
		store_bind_text(statement, 6, uuid);
	return store_run(store, statement);
}

/* The network refused one of several segments: those before it may have been sent. */
static bool store_message_may_be_sent_in_part(const struct store_message_origin *origin,
					      const char *reason)
{
	return origin->segments > 1 && strcmp(reason, "network_refused") == 0;
}

static enum store_usage_return store_message_returns(
	const struct store_message_origin *origin, const struct message_change *change)
{
	switch (change->state) {
	case STATE_CANCELLED:
		return message_state_is_waiting(origin->state) ? USAGE_RETURN_TO_SIM
							       : USAGE_RETURN_NONE;
	case STATE_EXPIRED:
	case STATE_FAILED:
		if (origin->state == STATE_WAITING_APPROVAL) /* it is not approved */
			return USAGE_RETURN_TO_SIM;
		return store_message_may_be_sent_in_part(origin, change->reason)
			       ? USAGE_RETURN_NONE
			       : USAGE_RETURN_ALL;
	default:
		return USAGE_RETURN_NONE;
	}
}

static int store_message_apply(struct store *store, int64_t message_id,
			       const struct message_change *change, const char *uuid,
			       enum delivery delivery)
{
	struct store_message_origin from = { 0 };
	int error = store_message_read_origin(store, message_id, &from);

	if (error)
		return error;
	if (!message_state_may_become(from.state, change->state))
		return STORE_E_ILLEGAL;
	error = store_message_set_state(store, message_id, change, uuid, delivery);
	if (!error)
		error = store_message_add_change(store, message_id, change);
	if (!error)
		error = store_usage_give_back(store, message_id,
					      store_message_returns(&from, change));
	if (!error && change->state == STATE_SUBMITTING)
		error = store_usage_submit(store, message_id);
	return error ? error
		     : store_audit_message_changed(store, message_id, from.state, change);
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
			.state = message_state_of(sqlite3_column_int64(statement, 0)),
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

int store_message_all_by_list_key(struct store *store,
				  const struct store_message_list_key *list,
				  struct arena *arena, struct message *messages_out,
				  size_t *count)
{
	sqlite3_stmt *statement = store_use(store, OUTGOING_BY_LIST_KEY);
	int result = SQLITE_ROW, error, kept = 0;
	size_t found = 0;

	sqlite3_bind_int64(statement, 1, list->client_id);
	store_bind_text(statement, 2, list->key);
	store_bind_text(statement, 3, list->prefix ? list->prefix : "");
	if (list->text) /* otherwise SQL's NULL */
		store_bind_text(statement, 4, list->text);
	while (found < *count && !kept &&
	       (result = sqlite3_step(statement)) == SQLITE_ROW) {
		store_read_message(statement, &messages_out[found]);
		kept = store_message_copy_texts(&messages_out[found++], arena);
	}
	error = store_finish(store, statement, result);
	if (error || kept)
		return error ? error : kept;
	*count = found;
	return found ? 0 : STORE_E_NOT_FOUND;
}

int store_message_by_list_key(struct store *store,
			      const struct store_message_list_key *list,
			      struct arena *arena, struct message *message_out)
{
	struct message message;
	size_t count = 1;
	int error = store_message_all_by_list_key(store, list, arena, &message, &count);

	if (!error)
		*message_out = message;
	return error;
}

/* Its call ended, without an answer, at most this long before oFono accepted it. */
enum { LOST_MS = 10 * 60 * 1000 };

int store_message_find_lost(struct store *store, const struct store_message_lost *lost,
			    struct arena *arena, struct message *message_out)
{
	sqlite3_stmt *statement = store_use(store, OUTGOING_LOST);

	store_bind_text(statement, 1, lost->number);
	store_bind_text(statement, 2, lost->text);
	store_bind_integers(statement, 3, lost->sim_id, lost->at_ms - LOST_MS,
			    lost->at_ms);
	return store_message_fetch(store, statement, arena, message_out);
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
		sqlite3_stmt *statement = store_use(store, OUTGOING_SAME);

		store_bind_text(statement, 1, numbers);
		sqlite3_bind_int64(statement, 2, draft->client_id);
		store_bind_text(statement, 3, draft->text);
		store_bind_integers(statement, 4, now_ms - window_ms, now_ms + window_ms,
				    draft->send_at_ms,
				    draft->may_be_later ? INT64_MAX : draft->send_at_ms);
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

int store_message_set_deadline(struct store *store, int64_t message_id,
			       const struct store_message_deadline *deadline)
{
	sqlite3_stmt *statement = store_use_lazily(store, OUTGOING_DEADLINE_SET);

	store_bind_integers(statement, 1, message_id, deadline->expires_at_ms,
			    deadline->expires_boot_ms, deadline->seen_ms,
			    deadline->ends_approval ? MESSAGE_ENDS_APPROVAL : 0);
	return store_run(store, statement);
}

/* Call it inside a transaction. */
static int store_message_rebase_rows(struct store *store)
{
	const struct store_moment *before = &store->before;
	int64_t boot = clock_boot_number(), boot_ms = clock_boot_ms();
	bool is_ahead =
		before->boot == boot && before->boot_ms - STORE_LIVED_MS > boot_ms;
	int error = store_execute(store, DEADLINES_CARRY, boot, before->at_ms,
				  before->boot, before->boot_ms, is_ahead);

	if (!error)
		error = store_execute(store, DEADLINES_GUESS, boot, before->at_ms,
				      boot_ms);
	if (!error && before->boot != boot) /* or the next boot could not carry them on */
		error = store_execute(store, ALIVE_BOOT_SET, boot, boot_ms);
	if (error || clock_wall_ms() >= before->at_ms - CLOCK_SLEW_MS)
		return error;
	return store_execute(store, DEADLINES_SEEN, before->at_ms);
}

int store_message_rebase_deadlines(struct store *store)
{
	int error = store_begin(store);

	return error ? error : store_end(store, store_message_rebase_rows(store));
}

int64_t store_message_lived_until(const struct store *store)
{
	return store->lived_until_ms;
}

int store_message_set_lived(struct store *store, int64_t until_boot_ms)
{
	int64_t now_ms = clock_wall_ms();
	bool is_time_known = store->alive_ms && now_ms >= CLOCK_SANE_MS;
	sqlite3_stmt *statement =
		store_use(store, is_time_known ? ALIVE_SET : ALIVE_BOOT_SET);
	int error;

	if (is_time_known)
		store_bind_integers(statement, 1, now_ms, clock_boot_number(),
				    until_boot_ms);
	else
		store_bind_integers(statement, 1, clock_boot_number(), until_boot_ms);
	error = store_run(store, statement);
	if (error)
		return error;
	store->lived_until_ms = until_boot_ms;
	if (is_time_known)
		store->alive_ms = now_ms;
	return 0;
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
	if (!error && transition->attempt)
		error = store_attempt_begin(store, message_id, transition->attempt,
					    transition->attempt_sim_id,
					    transition->attempt_epoch);
	if (!error && transition->frees_key)
		error = store_execute(store, OUTGOING_KEY_FREE, message_id);
	if (!error && transition->deadline)
		error = store_message_set_deadline(store, message_id,
						   transition->deadline);
	if (!error && transition->send_at_ms)
		error = store_execute(store, OUTGOING_SEND_AT_SET, message_id,
				      transition->send_at_ms);
	if (!error && transition->send_at_ms)
		error = store_usage_move(store, message_id, transition->send_at_ms);
	error = store_end(store, error);
	if (error && (transition->send_at_ms || transition->to == STATE_SUBMITTING))
		store_usage_forget_clock(store);
	return error;
}

/* Call it inside a transaction. */
static int store_message_apply_delivery(struct store *store, int64_t message_id,
					enum delivery delivery)
{
	struct message_change change = { .reason = "not_delivered",
					 .at_ms = clock_wall_ms() };
	struct store_message_origin now = { 0 };
	int error = store_message_read_origin(store, message_id, &now);

	if (error)
		return error;
	change.state = now.state;
	error = store_execute(store, MESSAGE_DELIVERY_SET, message_id, delivery);
	if (error || delivery != DELIVERY_REFUSED)
		return error;
	return store_message_add_change(store, message_id, &change);
}

int store_message_set_delivery(struct store *store, int64_t message_id,
			       enum delivery delivery)
{
	int error = store_begin(store);

	return error ? error
		     : store_end(store, store_message_apply_delivery(store, message_id,
								     delivery));
}

int store_message_newest(struct store *store, int64_t *message_id_out)
{
	int64_t message_id = 0;
	int error =
		store_read_integer(store, store_use(store, MESSAGE_NEWEST), &message_id);

	if (!error)
		*message_id_out = message_id;
	return error;
}
