/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A delivery moves so, with one lazy commit for each arrow:
 *
 *   feed --> webhook_delivery (ID, body, attempts) --> delivered: the next one replaces it
 *
 * The row of the subscription says in the same commit how far the feed was read, so an entry
 * is in the feed after `scanned`, or in the delivery, or done.
 */
#include "store/store_webhook.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "store/store_audit.h"
#include "store/store_client.h"
#include "store/store_feed.h"
#include "store/store_internal.h"

/* Binds from the parameter `first` on. */
static void store_webhook_bind_progress(sqlite3_stmt *statement, int first,
					const struct store_webhook_row *row)
{
	store_bind_integers(statement, first, row->scanned, row->epoch, row->suspended_ms,
			    row->failed_since_ms, row->delivered_ms);
	store_bind_text(statement, first + 5, row->error ? row->error : "");
}

static int store_webhook_write_row(struct store *store,
				   const struct store_webhook_row *row)
{
	sqlite3_stmt *statement = store_use(store, WEBHOOK_PUT);

	store_bind_text(statement, 1, row->name_id);
	store_bind_integers(statement, 2, row->client_id, row->created_ms,
			    row->refreshed_ms, row->expires_ms, row->old_until_ms);
	store_bind_text(statement, 7, row->url);
	store_bind_text(statement, 8, row->origin);
	store_bind_text(statement, 9, row->event);
	store_bind_text(statement, 10, row->arguments);
	sqlite3_bind_blob(statement, 11, row->secret, (int)row->secret_length,
			  SQLITE_STATIC);
	sqlite3_bind_blob(statement, 12, row->old_secret, (int)row->old_secret_length,
			  SQLITE_STATIC);
	store_webhook_bind_progress(statement, 13, row);
	return store_run(store, statement);
}

static int store_webhook_find(struct store *store, const char *name_id, int64_t *id_out)
{
	sqlite3_stmt *statement = store_use(store, WEBHOOK_FIND);

	store_bind_text(statement, 1, name_id);
	return store_read_integer(store, statement, id_out);
}

static int store_webhook_record(struct store *store, enum audit_event event,
				const struct store_webhook_row *row, const char *client,
				const char *reason)
{
	return store_audit_record(store, event,
				  (struct audit_event_fact[]){
					  { "client_id", NULL, row->client_id },
					  { "client", client },
					  { "subscription", row->name_id },
					  { "receiver", row->origin },
					  { "type", row->event },
					  { reason ? "reason" : NULL, reason },
					  { NULL },
				  });
}

int store_webhook_put(struct store *store, struct store_webhook_row *row,
		      const char *client)
{
	int64_t id = 0, before = 0;
	int error = store_begin(store);

	if (error)
		return error;
	error = store_webhook_find(store, row->name_id, &before);
	if (!error)
		error = store_webhook_write_row(store, row);
	if (!error)
		error = store_webhook_find(store, row->name_id, &id);
	if (!error && !before) /* a refresh is no event: there is one every few minutes */
		error = store_webhook_record(store, AUDIT_WEBHOOK_SUBSCRIBED, row, client,
					     NULL);
	error = store_end(store, error);
	if (!error)
		row->id = id;
	return error;
}

static int store_webhook_write_delivery(struct store *store, int64_t id,
					const struct store_webhook_delivery *delivery)
{
	sqlite3_stmt *statement;

	if (!delivery || !delivery->body)
		return store_execute(store, WEBHOOK_DELIVERY_REMOVE, id);
	statement = store_use(store, WEBHOOK_DELIVERY_PUT);
	store_bind_integers(statement, 1, id, delivery->feed_id, delivery->attempts);
	store_bind_text(statement, 4, delivery->message_id);
	sqlite3_bind_text(statement, 5, delivery->body, (int)delivery->length,
			  SQLITE_STATIC);
	return store_run(store, statement);
}

int store_webhook_advance(struct store *store, const struct store_webhook_row *row,
			  const struct store_webhook_delivery *delivery)
{
	sqlite3_stmt *statement;
	int error = store_begin_lazily(store);

	if (error)
		return error;
	statement = store_use(store, WEBHOOK_ADVANCE);
	sqlite3_bind_int64(statement, 1, row->id);
	store_webhook_bind_progress(statement, 2, row);
	error = store_run(store, statement);
	if (!error)
		error = store_webhook_write_delivery(store, row->id, delivery);
	return store_end(store, error);
}

int store_webhook_remove(struct store *store, const struct store_webhook_row *row,
			 const char *client, const char *reason)
{
	int error = store_begin(store);

	if (error)
		return error;
	error = store_execute(store, WEBHOOK_DELIVERY_REMOVE, row->id);
	if (!error)
		error = store_execute(store, WEBHOOK_REMOVE, row->id);
	if (!error && !sqlite3_changes(store->database))
		error = STORE_E_NOT_FOUND;
	if (!error)
		error = store_webhook_record(store, AUDIT_WEBHOOK_ENDED, row, client,
					     reason);
	return store_end(store, error);
}

int store_webhook_list(struct store *store,
		       void (*visit)(void *data, const struct store_webhook_row *row,
				     const struct store_webhook_delivery *delivery),
		       void *data)
{
	sqlite3_stmt *statement = store_use(store, WEBHOOKS);
	int result;

	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		const struct store_webhook_row row = {
			.id = sqlite3_column_int64(statement, 0),
			.name_id = store_column_text(statement, 1),
			.client_id = sqlite3_column_int64(statement, 2),
			.created_ms = sqlite3_column_int64(statement, 3),
			.refreshed_ms = sqlite3_column_int64(statement, 4),
			.expires_ms = sqlite3_column_int64(statement, 5),
			.old_until_ms = sqlite3_column_int64(statement, 6),
			.url = store_column_text(statement, 7),
			.origin = store_column_text(statement, 8),
			.event = store_column_text(statement, 9),
			.arguments = store_column_text(statement, 10),
			.secret = sqlite3_column_blob(statement, 11),
			.secret_length = (size_t)sqlite3_column_bytes(statement, 11),
			.old_secret = sqlite3_column_blob(statement, 12),
			.old_secret_length = (size_t)sqlite3_column_bytes(statement, 12),
			.scanned = sqlite3_column_int64(statement, 13),
			.epoch = sqlite3_column_int64(statement, 14),
			.suspended_ms = sqlite3_column_int64(statement, 15),
			.failed_since_ms = sqlite3_column_int64(statement, 16),
			.delivered_ms = sqlite3_column_int64(statement, 17),
			.error = store_column_text(statement, 18),
		};
		const struct store_webhook_delivery delivery = {
			.feed_id = sqlite3_column_int64(statement, 19),
			.attempts = sqlite3_column_int(statement, 20),
			.message_id = store_column_text(statement, 21),
			.body = (const char *)sqlite3_column_text(statement, 22),
			.length = (size_t)sqlite3_column_bytes(statement, 22),
		};

		visit(data, &row, &delivery);
	}
	return store_finish(store, statement, result);
}

/* ---- consents */

/* Its type, so that `approval.requested` and `.decided` know it: src/tools. */
static int store_webhook_add_to_feed(struct store *store, enum feed_type type,
				     const struct store_webhook_consent *consent)
{
	return store_feed_add(store, &(struct feed_entry){
					     .at_ms = clock_wall_ms(),
					     .type = type,
					     .subject_id = consent->id,
					     .client_id = consent->client_id,
					     .state = (int)consent->state,
					     .previous_state = -1,
					     .detail = STORE_WEBHOOK_FEED_DETAIL,
				     });
}

static int store_webhook_record_consent(struct store *store, enum audit_event event,
					const struct store_webhook_consent *consent,
					const char *who)
{
	char name[CLIENT_NAME_BYTES];
	int error = store_client_name(store, consent->client_id, name);

	if (error)
		return error;
	return store_audit_record(store, event,
				  (struct audit_event_fact[]){
					  { "consent", NULL, consent->id },
					  { "client_id", NULL, consent->client_id },
					  { "client", name },
					  { "receiver", consent->origin },
					  { "type", consent->event },
					  { "with_text", NULL, consent->with_text },
					  { who ? "by" : NULL, who },
					  { NULL },
				  });
}

/* Call it in a transaction. */
static int store_webhook_insert_consent(struct store *store,
					struct store_webhook_consent *consent)
{
	int64_t waiting = 0;
	sqlite3_stmt *statement;
	int error = store_execute(store, WEBHOOK_CONSENTS_PRUNE, clock_wall_ms());

	if (error)
		return error;
	statement = store_use(store, WEBHOOK_CONSENTS_WAITING);
	sqlite3_bind_int64(statement, 1, consent->client_id);
	error = store_read_integer(store, statement, &waiting);
	if (!error && waiting >= STORE_WEBHOOK_ASKED_MAX)
		return STORE_E_EXISTS;
	if (error)
		return error;
	statement = store_use(store, WEBHOOK_CONSENT_ADD);
	store_bind_integers(statement, 1, consent->client_id, consent->with_text,
			    consent->asked_ms, consent->until_ms);
	store_bind_text(statement, 5, consent->origin);
	store_bind_text(statement, 6, consent->event);
	store_bind_text(statement, 7, consent->filter);
	error = store_run(store, statement);
	consent->id = sqlite3_last_insert_rowid(store->database);
	return error;
}

int store_webhook_consent_ask(struct store *store, struct store_webhook_consent *consent)
{
	struct store_webhook_consent asked = *consent;
	int error = store_begin(store);

	if (error)
		return error;
	asked.state = WEBHOOK_CONSENT_WAITING;
	error = store_webhook_insert_consent(store, &asked);
	if (!error)
		error = store_webhook_add_to_feed(store, FEED_APPROVAL_REQUESTED, &asked);
	if (!error)
		error = store_webhook_record_consent(store, AUDIT_WEBHOOK_ASKED, &asked,
						     NULL);
	error = store_end(store, error);
	if (!error)
		*consent = asked;
	return error;
}

/* Reads a row of WEBHOOK_CONSENTS or WEBHOOK_CONSENT_GET. */
static void store_webhook_read_consent(sqlite3_stmt *statement,
				       struct store_webhook_consent *consent_out)
{
	*consent_out = (struct store_webhook_consent){
		.id = sqlite3_column_int64(statement, 0),
		.client_id = sqlite3_column_int64(statement, 1),
		.origin = store_column_text(statement, 2),
		.event = store_column_text(statement, 3),
		.filter = store_column_text(statement, 4),
		.with_text = sqlite3_column_int(statement, 5),
		.state = (enum store_webhook_consent_state)sqlite3_column_int(statement,
									      6),
		.asked_ms = sqlite3_column_int64(statement, 7),
		.until_ms = sqlite3_column_int64(statement, 8),
	};
}

/* Records what happens to the consent of this ID, then runs `change`. */
static int store_webhook_change_consent(
	struct store *store, int64_t id, enum store_webhook_consent_state from,
	int (*change)(struct store *store, struct store_webhook_consent *consent,
		      const void *data),
	const void *data)
{
	struct store_webhook_consent consent;
	sqlite3_stmt *statement = store_use(store, WEBHOOK_CONSENT_GET);
	int result, error = STORE_E_NOT_FOUND;

	store_bind_integers(statement, 1, id, from, clock_wall_ms());
	result = sqlite3_step(statement);
	if (result == SQLITE_ROW) { /* its texts live until the statement is reset */
		store_webhook_read_consent(statement, &consent);
		error = change(store, &consent, data);
		result = SQLITE_DONE;
	}
	result = store_finish(store, statement, result);
	return result ? result : error;
}

struct store_webhook_decision {
	bool approved;
	const char *who;
	int64_t until_ms;
};

static int store_webhook_decide(struct store *store,
				struct store_webhook_consent *consent, const void *data)
{
	const struct store_webhook_decision *decision = data;
	int error;

	consent->state =
		decision->approved ? WEBHOOK_CONSENT_APPROVED : WEBHOOK_CONSENT_REJECTED;
	error = store_execute(store, WEBHOOK_CONSENT_DECIDE, consent->id, consent->state,
			      decision->until_ms);
	if (!error)
		error = store_webhook_add_to_feed(store, FEED_APPROVAL_DECIDED, consent);
	if (!error)
		error = store_webhook_record_consent(store,
						     decision->approved
							     ? AUDIT_WEBHOOK_APPROVED
							     : AUDIT_WEBHOOK_REJECTED,
						     consent, decision->who);
	return error;
}

int store_webhook_consent_decide(struct store *store, int64_t id, bool approved,
				 const char *who, int64_t until_ms)
{
	const struct store_webhook_decision decision = { approved, who,
							 approved ? 0 : until_ms };
	int error = store_begin(store);

	if (error)
		return error;
	return store_end(store,
			 store_webhook_change_consent(store, id, WEBHOOK_CONSENT_WAITING,
						      store_webhook_decide, &decision));
}

static int store_webhook_withdraw(struct store *store,
				  struct store_webhook_consent *consent, const void *data)
{
	int error = store_execute(store, WEBHOOK_CONSENT_REMOVE, consent->id);

	return error ? error
		     : store_webhook_record_consent(store, AUDIT_WEBHOOK_WITHDRAWN,
						    consent, data);
}

int store_webhook_consent_remove(struct store *store, int64_t id, const char *who)
{
	int error = store_begin(store);

	if (error)
		return error;
	return store_end(store,
			 store_webhook_change_consent(store, id, WEBHOOK_CONSENT_APPROVED,
						      store_webhook_withdraw, who));
}

int store_webhook_consent_list(struct store *store, int64_t client_id,
			       void (*visit)(void *data,
					     const struct store_webhook_consent *consent),
			       void *data)
{
	sqlite3_stmt *statement = store_use(store, WEBHOOK_CONSENTS);
	struct store_webhook_consent consent;
	int result;

	store_bind_integers(statement, 1, client_id, clock_wall_ms());
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		store_webhook_read_consent(statement, &consent);
		visit(data, &consent);
	}
	return store_finish(store, statement, result);
}
