/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_edit.h"

#include <string.h>

#include "base/clock.h"
#include "store/store_audit.h"
#include "store/store_client.h"
#include "store/store_internal.h"
#include "store/store_usage.h"

const char store_edit_reason[] = "edited";

/*
 * Returns STORE_E_ILLEGAL if the row does not wait. The validity of a scheduled one begins later.
 */
static int store_edit_row(struct store *store, int64_t message_id,
			  const struct store_message_draft *draft)
{
	int64_t now_ms = clock_wall_ms(), boot_ms = clock_boot_ms();
	bool has_begun = draft->expires_at_ms && !draft->send_at_ms;
	sqlite3_stmt *statement = store_use(store, MESSAGE_EDIT);
	int error;

	store_bind_text(statement, 2, draft->number);
	store_bind_text(statement, 3, draft->text);
	store_bind_text(statement, 6, draft->reason);
	store_bind_integers(statement, 1, message_id);
	store_bind_integers(statement, 4, draft->segments, draft->state);
	store_bind_integers(statement, 7, draft->created_ms, draft->send_at_ms,
			    draft->expires_at_ms, draft->valid_ms, clock_boot_number(),
			    has_begun ? boot_ms + draft->expires_at_ms - now_ms : 0,
			    store_message_draft_flags(draft));
	error = store_run(store, statement);
	if (error)
		return error;
	return sqlite3_changes(store->database) == 1 ? 0 : STORE_E_ILLEGAL;
}

/* That it was edited, so that no earlier approval counts, and then why it has its state. */
static int store_edit_history(struct store *store, int64_t message_id,
			      const struct store_message_draft *draft)
{
	struct message_change change = { draft->state, store_edit_reason,
					 draft->created_ms };
	int error = store_message_add_change(store, message_id, &change);

	if (error || strcmp(draft->reason, store_edit_reason) == 0)
		return error;
	change.reason = draft->reason;
	return store_message_add_change(store, message_id, &change);
}

/* Call it inside the transaction. */
static int store_edit_apply(struct store *store, int64_t message_id,
			    const struct store_message_draft *draft, bool keeps_time)
{
	char client[CLIENT_NAME_BYTES];
	int error = store_client_name(store, draft->client_id, client);

	if (!error)
		error = store_index_forget(store, message_id);
	if (!error)
		error = store_edit_row(store, message_id, draft);
	if (!error)
		error = store_index_put(store, message_id);
	if (!error)
		error = store_edit_history(store, message_id, draft);
	if (!error)
		error = store_usage_change(store, draft, message_id, keeps_time);
	return error ? error
		     : store_audit_message_edited(store, message_id, draft, client);
}

int store_edit_message(struct store *store, int64_t message_id,
		       const struct store_message_draft *draft, bool keeps_time)
{
	struct store_message_draft edited = *draft;
	int error = store_begin(store);

	if (error)
		return error;
	if (!edited.reason)
		edited.reason = store_edit_reason;
	error = store_end(store,
			  store_edit_apply(store, message_id, &edited, keeps_time));
	if (error)
		store_usage_forget_clock(store);
	return error;
}

int store_edit_first(struct store *store, int64_t message_id, struct arena *arena,
		     struct message *message_out)
{
	sqlite3_stmt *statement = store_use(store, MESSAGE_FIRST);
	const char *number = NULL, *text = NULL;
	int result, error;

	store_bind_integers(statement, 1, message_id);
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW) {
		number = store_column_text(statement, 0);
		text = store_column_text(statement, 1);
		number = arena_copy(arena, number, strlen(number));
		text = arena_copy(arena, text, strlen(text));
	}
	error = store_finish_row(store, statement, result);
	if (!error)
		error = arena_error(arena);
	if (error)
		return error;
	message_out->number = number;
	message_out->text = text;
	return 0;
}
