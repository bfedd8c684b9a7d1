/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A claim is judged in this order: the clock must be set, the number enrolled and not locked,
 * the code right and not used. The code that is right is used up in the same transaction, and
 * a wrong one is counted there. The code of a message is judged by the time at which the
 * message was received, which for a message of the spool is earlier than now; that cannot
 * help an old code, because only a step later than the last one counts.
 *
 * The STORE_COMMAND_WRONG_MAX-th wrong code within an hour locks the number for an hour. While
 * it is locked no code is looked at, so that guessing during that time is useless.
 */
#include "store/store_command.h"

#include <stdio.h>
#include <string.h>

#include "store/store_audit.h"
#include "store/store_feed.h"
#include "store/store_internal.h"
#include "store/store_usage.h"

/* A row, as it is read for judging. */
struct store_command_row {
	uint8_t secret[TOTP_SECRET_BYTES];
	int64_t last_step;
	int64_t locked_until_ms; /* usage time */
};

/* Returns 0, STORE_E_NOT_FOUND or -errno. */
static int store_command_read_row(struct store *store, const char *number,
				  struct store_command_row *row_out)
{
	sqlite3_stmt *statement = store_use(store, COMMAND_SECRET);
	int result;

	store_bind_text(statement, 1, number);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW) { /* the schema checks the length */
		memcpy(row_out->secret, sqlite3_column_blob(statement, 0),
		       TOTP_SECRET_BYTES);
		row_out->last_step = sqlite3_column_int64(statement, 1);
		row_out->locked_until_ms = sqlite3_column_int64(statement, 2);
	}
	return store_finish_row(store, statement, result);
}

static int store_command_record_lock(struct store *store, const char *number)
{
	return store_audit_record(store, AUDIT_COMMAND_LOCKED,
				  (struct audit_event_fact[]){
					  { "number", number },
					  { NULL },
				  });
}

/* Counts a wrong code; the last one that is allowed locks the number. */
static int store_command_count_wrong(struct store *store, const char *number,
				     int64_t now_ms)
{
	sqlite3_stmt *statement = store_use(store, COMMAND_WRONG_ADD);
	int64_t count = 0;
	int error;

	store_bind_text(statement, 1, number);
	sqlite3_bind_int64(statement, 2, now_ms);
	error = store_run(store, statement);
	if (!error)
		error = store_execute(store, COMMAND_WRONG_PRUNE,
				      now_ms - STORE_COMMAND_LOCKED_MS);
	if (error)
		return error;
	statement = store_use(store, COMMAND_WRONG_COUNT);
	store_bind_text(statement, 1, number);
	error = store_read_integer(store, statement, &count);
	if (error || count < STORE_COMMAND_WRONG_MAX)
		return error;
	statement = store_use(store, COMMAND_LOCK);
	store_bind_text(statement, 1, number);
	sqlite3_bind_int64(statement, 2, now_ms + STORE_COMMAND_LOCKED_MS);
	error = store_run(store, statement);
	return error ? error : store_command_record_lock(store, number);
}

static int store_command_use_code(struct store *store, const char *number, int64_t step,
				  int64_t at_ms)
{
	sqlite3_stmt *statement = store_use(store, COMMAND_USE);

	store_bind_text(statement, 1, number);
	store_bind_integers(statement, 2, step, at_ms);
	return store_run(store, statement);
}

static int store_command_note_refusal(struct store *store, const char *number,
				      const char *reason, int64_t at_ms)
{
	sqlite3_stmt *statement = store_use(store, COMMAND_REFUSE);

	store_bind_text(statement, 1, number);
	store_bind_text(statement, 2, reason);
	sqlite3_bind_int64(statement, 3, at_ms);
	return store_run(store, statement);
}

/* Call it with a row. *reason_out is NULL if the code is right. */
static int store_command_check_code(struct store *store,
				    const struct store_incoming_entry *entry,
				    const struct store_command_row *row,
				    const char **reason_out)
{
	const struct store_incoming_draft *draft = entry->draft;
	const struct store_command_claim *claim = entry->claim;
	int64_t now_ms = 0, ahead_ms = 0, step = 0;
	int error = store_usage_now(store, &now_ms, &ahead_ms);

	if (error)
		return error;
	if (now_ms < row->locked_until_ms) {
		*reason_out = "locked";
		return 0;
	}
	if (!*claim->code) {
		*reason_out = "no_code";
		return 0;
	}
	switch (totp_check(row->secret, draft->reported_ms, row->last_step, claim->code,
			   &step)) {
	case TOTP_RIGHT:
		return store_command_use_code(store, claim->number, step,
					      draft->reported_ms);
	case TOTP_USED:
		*reason_out = "code_used";
		return 0;
	case TOTP_WRONG:
		break;
	}
	*reason_out = "wrong_code";
	return store_command_count_wrong(store, claim->number, now_ms);
}

/* *reason_out is NULL if it counts. */
static int store_command_find_flaw(struct store *store,
				   const struct store_incoming_entry *entry,
				   const char **reason_out)
{
	const struct store_incoming_draft *draft = entry->draft;
	const struct store_command_claim *claim = entry->claim;
	struct store_command_row row = { .last_step = 0 };
	int error;

	*reason_out = NULL;
	if (!claim->needs_code)
		return 0;
	if (draft->reported_ms < CLOCK_SANE_MS) {
		*reason_out = "clock_wrong";
		return store_command_note_refusal(store, claim->number, *reason_out,
						  draft->reported_ms);
	}
	error = store_command_read_row(store, claim->number, &row);
	if (error == STORE_E_NOT_FOUND) {
		*reason_out = "not_enrolled";
		return 0;
	}
	if (!error)
		error = store_command_check_code(store, entry, &row, reason_out);
	explicit_bzero(&row, sizeof(row));
	if (!error && *reason_out)
		error = store_command_note_refusal(store, claim->number, *reason_out,
						   draft->reported_ms);
	return error;
}

int store_command_judge(struct store *store, struct store_incoming_entry *entry)
{
	const struct store_command_claim *claim = entry->claim;
	int error;

	entry->flags = entry->draft->flags;
	entry->refusal = NULL;
	if (!claim || !*claim->number)
		return 0;
	error = store_command_find_flaw(store, entry, &entry->refusal);
	if (error)
		return error;
	entry->flags |= claim->is_answer ? MESSAGE_ANSWER : MESSAGE_COMMAND;
	if (entry->refusal)
		entry->flags |= MESSAGE_COMMAND_REFUSED;
	else /* it is meant for an agent */
		entry->flags &= ~(unsigned)MESSAGE_ADDRESSES_AGENTS;
	if (claim->needs_code && !entry->refusal)
		entry->flags |= MESSAGE_CODE_PROVED;
	return 0;
}

static int store_command_add_answer(struct store *store,
				    const struct store_command_claim *claim,
				    int64_t sim_id, int64_t message_id)
{
	sqlite3_stmt *statement = store_use(store, ANSWER_ADD);

	store_bind_integers(statement, 1, message_id, sim_id);
	store_bind_text(statement, 3, claim->number);
	store_bind_integers(statement, 4, claim->approves, claim->approval_number);
	return store_run(store, statement);
}

int store_command_record(struct store *store, const struct store_incoming_entry *entry)
{
	const struct store_command_claim *claim = entry->claim;
	const struct audit_event_fact facts[] = {
		{ "message_id", NULL, entry->message_id },
		{ "number", entry->draft->number },
		{ "subscription_id", NULL, entry->draft->sim_id },
		{ "kind", claim && claim->is_answer ? "answer" : "command" },
		{ entry->refusal ? "reason" : NULL, entry->refusal },
		{ NULL },
	};
	const struct feed_entry happened = {
		.at_ms = entry->draft->reported_ms,
		.type = FEED_SMS_COMMAND,
		.subject_id = entry->message_id,
		.sim_id = entry->draft->sim_id,
		.state = STATE_RECEIVED,
		.detail = "",
	};
	int error;

	if (!(entry->flags & (MESSAGE_COMMAND | MESSAGE_ANSWER)))
		return 0;
	error = store_audit_record(
		store, entry->refusal ? AUDIT_COMMAND_REFUSED : AUDIT_COMMAND_ACCEPTED,
		facts);
	if (error || entry->refusal)
		return error;
	return claim && claim->is_answer
		       ? store_command_add_answer(store, claim, entry->draft->sim_id,
						  entry->message_id)
		       : store_feed_add(store, &happened);
}

/* ---- senders */

static int store_command_audit_number(struct store *store, enum audit_event event,
				      const char *number)
{
	return store_audit_record(store, event,
				  (struct audit_event_fact[]){
					  { "number", number },
					  { "by", "owner" },
					  { NULL },
				  });
}

static int store_command_forget(struct store *store, const char *number)
{
	sqlite3_stmt *statement = store_use(store, COMMAND_WRONG_FORGET);
	int error;

	store_bind_text(statement, 1, number);
	error = store_run(store, statement);
	if (error)
		return error;
	statement = store_use(store, COMMAND_REMOVE);
	store_bind_text(statement, 1, number);
	return store_run(store, statement);
}

static int store_command_add(struct store *store, const char *number,
			     const uint8_t *secret)
{
	sqlite3_stmt *statement = store_use(store, COMMAND_ENROL);

	store_bind_text(statement, 1, number);
	sqlite3_bind_blob(statement, 2, secret, TOTP_SECRET_BYTES, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 3, clock_wall_ms());
	return store_run(store, statement);
}

int store_command_enrol(struct store *store, const char *number,
			const uint8_t secret[TOTP_SECRET_BYTES])
{
	int error = store_begin(store);

	if (error)
		return error;
	error = store_command_forget(store, number);
	if (!error)
		error = store_command_add(store, number, secret);
	if (!error)
		error = store_command_audit_number(store, AUDIT_AGENT_ENROLLED, number);
	return store_end(store, error);
}

int store_command_remove(struct store *store, const char *number)
{
	int error = store_begin(store);

	if (error)
		return error;
	error = store_command_forget(store, number);
	if (!error && !sqlite3_changes(store->database))
		error = STORE_E_NOT_FOUND;
	if (!error)
		error = store_command_audit_number(store, AUDIT_AGENT_REMOVED, number);
	return store_end(store, error);
}

struct store_command_times {
	int64_t now_ms;
	int64_t ahead_ms; /* of the wall clock before usage time */
};

/* Reads a row of COMMAND_SENDER. */
static void store_command_read_sender(sqlite3_stmt *statement,
				      const struct store_command_times *times,
				      struct store_command_sender *sender)
{
	int64_t locked_ms = sqlite3_column_int64(statement, 5);

	snprintf(sender->number, sizeof(sender->number), "%s",
		 store_column_text(statement, 0));
	sender->enrolled_ms = sqlite3_column_int64(statement, 1);
	sender->used_ms = sqlite3_column_int64(statement, 2);
	sender->refused_ms = sqlite3_column_int64(statement, 3);
	snprintf(sender->refusal, sizeof(sender->refusal), "%s",
		 store_column_text(statement, 4));
	sender->locked_until_ms =
		locked_ms > times->now_ms ? locked_ms + times->ahead_ms : 0;
}

int store_command_find(struct store *store, const char *number,
		       struct store_command_sender *sender_out)
{
	struct store_command_times times = { 0 };
	int error = store_usage_now(store, &times.now_ms, &times.ahead_ms);
	sqlite3_stmt *statement;
	int result;

	if (error)
		return error;
	statement = store_use(store, COMMAND_SENDER);
	store_bind_text(statement, 1, number);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		store_command_read_sender(statement, &times, sender_out);
	return store_finish_row(store, statement, result);
}

/* ---- answers */

int store_command_next_answer(struct store *store,
			      struct store_command_answer *answer_out)
{
	sqlite3_stmt *statement = store_use(store, ANSWER_NEXT);
	int result = sqlite3_step(statement);

	if (result == SQLITE_ROW) {
		answer_out->message_id = sqlite3_column_int64(statement, 0);
		answer_out->sim_id = sqlite3_column_int64(statement, 1);
		snprintf(answer_out->number, sizeof(answer_out->number), "%s",
			 store_column_text(statement, 2));
		answer_out->approves = sqlite3_column_int(statement, 3);
		answer_out->approval_number = sqlite3_column_int64(statement, 4);
	}
	return store_finish_row(store, statement, result);
}

int store_command_end_answer(struct store *store, int64_t message_id)
{
	return store_execute(store, ANSWER_END, message_id);
}
