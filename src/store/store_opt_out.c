/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_opt_out.h"

#include "store/store_audit.h"
#include "store/store_party.h"
#include "store/store_statement.h"

struct opt_out {
	int64_t at_ms;	    /* when it was first said, wall clock */
	int64_t message_id; /* ... and with which message; 0: not known */
};

/* 1: there is one; 0; -errno. */
static int read_kept(struct store *store, const char *form, struct opt_out *found)
{
	sqlite3_stmt *statement = store_use(store, OPT_OUT_KNOWN);
	int result, error;

	statement_bind_text(statement, 1, form);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW) {
		found->at_ms = sqlite3_column_int64(statement, 0);
		found->message_id = sqlite3_column_int64(statement, 1);
	}
	error = store_done(store, statement, result);
	return error ? error : result == SQLITE_ROW;
}

/* 1: in one of its spellings; 0; -errno. */
static int find_kept(struct store *store, int64_t sim_id, const char *number,
		     struct opt_out *found)
{
	struct store_party party;
	int kept = 0;

	store_party_spell(store, sim_id, number, &party);
	for (size_t i = 0; !kept && i < party.count; i++)
		kept = read_kept(store, party.spellings[i], found);
	return kept;
}

int store_opt_out_known(struct store *store, int64_t sim_id, const char *number)
{
	struct opt_out found;
	int kept = find_kept(store, sim_id, number, &found);

	if (kept < 0)
		return kept;
	return kept ? 0 : STORE_E_NOT_FOUND;
}

bool store_opt_out_follows(struct store *store, const struct message *message)
{
	struct opt_out found = { 0 };

	if (find_kept(store, message->sim_id, message->number, &found) != 1)
		return false;
	return found.message_id ? message->id < found.message_id
				: message->created_ms < found.at_ms;
}

bool store_opt_out_confirm(struct store *store, int64_t sim_id, const char *number)
{
	char form[NUMBER_FORM_BYTES];
	sqlite3_stmt *statement;

	if (!store_party_form(store, sim_id, number, form))
		return false;
	statement = store_use(store, OPT_OUT_CONFIRM);
	statement_bind_text(statement, 1, form);
	return !store_run(store, statement) && sqlite3_changes(store->database);
}

static int set(struct store *store, const struct incoming_draft *draft, const char *form,
	       int64_t message_id)
{
	sqlite3_stmt *statement = store_use(store, OPT_OUT_SET);

	statement_bind_text(statement, 1, form);
	sqlite3_bind_int64(statement, 2, draft->told_ms);
	statement_bind_text(statement, 3, draft->opt_word);
	sqlite3_bind_int64(statement, 4, message_id);
	return store_run(store, statement);
}

/* However it was spelt when it was stopped, by whichever SIM. */
static int clear(struct store *store, int64_t sim_id, const char *number,
		 int *changes_out)
{
	struct store_party party;
	int error = 0, changes = 0;

	store_party_spell(store, sim_id, number, &party);
	for (size_t i = 0; !error && i < party.count; i++) {
		sqlite3_stmt *statement = store_use(store, OPT_OUT_CLEAR);

		statement_bind_text(statement, 1, party.spellings[i]);
		error = store_run(store, statement);
		changes += error ? 0 : sqlite3_changes(store->database);
	}
	*changes_out = changes;
	return error;
}

int store_opt_out_note(struct store *store, const struct incoming_draft *draft,
		       int64_t message_id)
{
	char form[NUMBER_FORM_BYTES];
	bool out = draft->opt == OPT_OUT;
	int error, changes = 0;

	if (draft->opt == OPT_NONE ||
	    !store_party_form(store, draft->sim_id, draft->number, form))
		return 0;
	if (out) {
		error = set(store, draft, form, message_id);
		changes = error ? 0 : sqlite3_changes(store->database);
	} else {
		error = clear(store, draft->sim_id, draft->number, &changes);
	}
	if (error || !changes) /* who repeats it adds no lines */
		return error;
	return store_audit_note(store, out ? AUDIT_OPTED_OUT : AUDIT_OPTED_IN,
				(struct audit_fact[]){ { "number", form }, { NULL } });
}
