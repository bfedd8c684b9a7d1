/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_outgoing.h"

#include "base/clock.h"
#include "store/store_message.h"
#include "store/store_party.h"
#include "store/store_statement.h"

int store_outgoing_by_key(struct store *store, int64_t client_id, const char *key,
			  struct arena *arena, struct message *message_out)
{
	sqlite3_stmt *statement = store_use(store, OUTGOING_BY_KEY);

	sqlite3_bind_int64(statement, 1, client_id);
	statement_bind_text(statement, 2, key);
	return store_message_fetch(store, statement, arena, message_out);
}

static sqlite3_stmt *same_use(struct store *store, const struct message_draft *draft,
			      const char *numbers)
{
	sqlite3_stmt *statement = store_use(store, OUTGOING_SAME);

	statement_bind_text(statement, 1, numbers);
	sqlite3_bind_int64(statement, 2, draft->client_id);
	statement_bind_text(statement, 3, draft->text);
	sqlite3_bind_int64(statement, 6, draft->send_at_ms);
	return statement;
}

/*
 * Asked for each clock that messages of this boot were noted by. It may also have been set
 * back before the last start, hence both sides of now.
 */
int store_outgoing_same(struct store *store, const struct message_draft *draft,
			int64_t window_ms, struct arena *arena,
			struct message *message_out)
{
	char numbers[STORE_PARTY_LIST_BYTES];
	struct store_party party;
	int error = STORE_E_NOT_FOUND;
	unsigned place;

	store_party_spell(store, draft->sim_id, draft->number, &party);
	store_party_list(&party, numbers);
	clock_history_look(&store->clock);
	for (place = 0; place < store->clock.count && error == STORE_E_NOT_FOUND;
	     place++) {
		int64_t now_ms = clock_history_now_ms(&store->clock, place);
		sqlite3_stmt *statement = same_use(store, draft, numbers);

		sqlite3_bind_int64(statement, 4, now_ms - window_ms);
		sqlite3_bind_int64(statement, 5, now_ms + window_ms);
		error = store_message_fetch(store, statement, arena, message_out);
	}
	return error;
}

int store_outgoing_by_uuid(struct store *store, const char *uuid, struct arena *arena,
			   struct message *message_out)
{
	sqlite3_stmt *statement = store_use(store, OUTGOING_BY_UUID);

	statement_bind_text(statement, 1, uuid);
	return store_message_fetch(store, statement, arena, message_out);
}

static int key_free(struct store *store, int64_t message_id)
{
	sqlite3_stmt *statement = store_use(store, OUTGOING_KEY_FREE);

	sqlite3_bind_int64(statement, 1, message_id);
	return store_run(store, statement);
}

int store_outgoing_set_deadline(struct store *store, int64_t message_id,
				const struct outgoing_deadline *deadline)
{
	sqlite3_stmt *statement = store_use(store, OUTGOING_DEADLINE_SET);

	sqlite3_bind_int64(statement, 1, message_id);
	sqlite3_bind_int64(statement, 2, deadline->expires_at_ms);
	sqlite3_bind_int64(statement, 3, deadline->expires_boot_ms);
	sqlite3_bind_int64(statement, 4, deadline->seen_ms);
	sqlite3_bind_int(statement, 5, deadline->yes_ends ? MESSAGE_YES_ENDS : 0);
	return store_run(store, statement);
}

static sqlite3_stmt *carry_use(struct store *store, enum store_statement which)
{
	sqlite3_stmt *statement = store_use(store, which);

	sqlite3_bind_int64(statement, 1, clock_boot_number());
	sqlite3_bind_int64(statement, 2, store->before.at_ms);
	return statement;
}

/* Inside a transaction. */
static int carry_deadlines(struct store *store)
{
	const struct store_moment *before = &store->before;
	int64_t boot_ms = clock_boot_ms();
	bool is_ahead = before->boot == clock_boot_number() && before->boot_ms > boot_ms;
	sqlite3_stmt *statement = carry_use(store, DEADLINES_CARRY);
	int error;

	sqlite3_bind_int64(statement, 3, before->boot);
	sqlite3_bind_int64(statement, 4, before->boot_ms);
	sqlite3_bind_int(statement, 5, is_ahead);
	error = store_run(store, statement);
	if (error)
		return error;
	statement = carry_use(store, DEADLINES_GUESS);
	sqlite3_bind_int64(statement, 3, boot_ms);
	error = store_run(store, statement);
	if (error || clock_wall_ms() >= before->at_ms - CLOCK_SLEW_MS)
		return error;
	statement = store_use(store, DEADLINES_SEEN);
	sqlite3_bind_int64(statement, 1, before->at_ms);
	return store_run(store, statement);
}

int store_deadlines_carry(struct store *store)
{
	int error = store_begin(store);

	return error ? error : store_end(store, carry_deadlines(store));
}

static int spelling_exchanged(struct store *store, const char *spelling)
{
	sqlite3_stmt *statement = store_use(store, NUMBER_EXCHANGED);
	int result, error;

	statement_bind_text(statement, 1, spelling);
	result = sqlite3_step(statement);
	error = store_done(store, statement, result);
	if (error)
		return error;
	return result == SQLITE_ROW ? 0 : STORE_E_NOT_FOUND;
}

int store_outgoing_exchanged(struct store *store, int64_t sim_id, const char *number)
{
	int result = STORE_E_NOT_FOUND;
	struct store_party party;

	store_party_spell_at(store, sim_id, number, &party);
	for (size_t i = 0; i < party.count && result == STORE_E_NOT_FOUND; i++)
		result = spelling_exchanged(store, party.spellings[i]);
	return result;
}

int store_outgoing_move(struct store *store, int64_t message_id,
			const struct outgoing_move *move)
{
	struct message_change change = {
		.state = move->to,
		.reason = move->reason ? move->reason : "",
		.at_ms = move->at_ms ? move->at_ms : clock_wall_ms(),
		.by = move->by,
		.note = move->note,
	};
	int error = store_begin(store);

	if (error)
		return error;
	error = store_message_apply(store, message_id, &change, move->uuid,
				    move->delivery);
	if (!error && move->frees_key)
		error = key_free(store, message_id);
	if (!error && move->deadline)
		error = store_outgoing_set_deadline(store, message_id, move->deadline);
	return store_end(store, error);
}

/* Inside a transaction. */
static int report_apply(struct store *store, int64_t message_id, enum delivery delivery)
{
	struct message_change change = { .reason = "not_delivered",
					 .at_ms = clock_wall_ms() };
	sqlite3_stmt *statement;
	int error = store_message_state(store, message_id, &change.state);

	if (error)
		return error;
	statement = store_use(store, MESSAGE_DELIVERY_SET);
	sqlite3_bind_int64(statement, 1, message_id);
	sqlite3_bind_int(statement, 2, delivery);
	error = store_run(store, statement);
	if (error || delivery != DELIVERY_REFUSED)
		return error;
	return store_message_note(store, message_id, &change);
}

int store_outgoing_report(struct store *store, int64_t message_id, enum delivery delivery)
{
	int error = store_begin(store);

	if (error)
		return error;
	return store_end(store, report_apply(store, message_id, delivery));
}
