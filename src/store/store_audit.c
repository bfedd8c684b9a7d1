/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the audit log. A line is appended in the open transaction if there is one, so
 * that it is committed with the change that it describes; otherwise in a transaction of
 * its own.
 *
 * Details are JSON objects built from facts that the table in audit.c allows.
 * Pruning moves the anchor to the last line that goes and deletes every line up to it;
 * triggers of the schema refuse any other change.
 */
#include "store/store_audit.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "base/utf8.h"
#include "store/store_internal.h"

int store_audit_head(struct store *store, struct audit_chain_head *head_out)
{
	sqlite3_stmt *statement = store_use(store, AUDIT_HEAD);
	struct audit_chain_head head = { .line = 0 };
	int result = sqlite3_step(statement);
	int error;

	if (result == SQLITE_ROW)
		audit_chain_read_head(statement, &head);
	error = store_finish(store, statement, result);
	if (!error)
		*head_out = head;
	return error;
}

/* Call it inside a transaction, so that nobody else adds a line after the same head. */
static int store_audit_append(struct store *store, enum audit_event event,
			      const char *detail_json)
{
	struct audit_chain_line line = { .event = audit_events[event].name,
					 .detail = detail_json };
	struct audit_chain_head head;
	sqlite3_stmt *statement;
	int error = store_audit_head(store, &head);

	if (error)
		return error;
	statement = store_use(store, AUDIT_ADD);
	if (!audit_chain_bind(statement, &head, &line))
		return store_finish(store, statement, SQLITE_NOMEM);
	error = store_run(store, statement);
	store->audit_added += !error;
	return error;
}

int64_t store_audit_added(const struct store *store)
{
	return store->audit_added;
}

int store_audit_transaction(struct store *store,
			    int (*write)(void *data, struct store *store), void *data)
{
	int error = store_begin(store);

	return error ? error : store_end(store, write(data, store));
}

int store_audit_add(struct store *store, enum audit_event event, const char *detail_json)
{
	int error;

	if (strlen(detail_json) > AUDIT_DETAIL_BYTES)
		return -E2BIG;
	if (store_is_writing(store))
		return store_audit_append(store, event, detail_json);
	error = store_begin(store);
	if (error)
		return error;
	return store_end(store, store_audit_append(store, event, detail_json));
}

void store_audit_act_for(struct store *store, const char *name)
{
	snprintf(store->acting_for, sizeof(store->acting_for), "%.*s",
		 name ? (int)utf8_cut(name, sizeof(store->acting_for) - 1) : 0,
		 name ? name : "");
}

/* Returns NULL if memory runs out. The caller frees it. */
static char *store_audit_write_detail(const struct store *store, enum audit_event event,
				      const struct audit_event_fact *facts)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);

	if (!writer)
		return NULL;
	json_open_object(writer);
	for (; facts->field; facts++) {
		assert(audit_event_has(event, facts->field));
		if (!facts->text)
			json_put_integer(writer, facts->field, facts->number);
		else if (utf8_valid(facts->text, strlen(facts->text)))
			json_put_string(writer, facts->field, facts->text);
	}
	if (*store->acting_for)
		json_put_string(writer, "on_behalf_of", store->acting_for);
	json_close_object(writer);
	json_writer_free(writer);
	buffer_append(&text, "", 1);
	return buffer_take(&text, &(size_t){ 0 });
}

int store_audit_record(struct store *store, enum audit_event event,
		       const struct audit_event_fact *facts)
{
	char *detail = store_audit_write_detail(store, event, facts);
	int error = detail ? store_audit_add(store, event, detail) : -ENOMEM;

	free(detail);
	return error;
}

/*
 * Permissions that the owner did not restrict are left out. The list ends with { NULL };
 * `facts` has room for all.
 */
static void store_audit_list_permissions(const struct client *client,
					 struct audit_event_fact *facts)
{
	const struct audit_event_fact texts[] = {
		{ "sims", client->sims },
		{ "allow", client->allow },
	};
	const struct audit_event_fact limits[] = {
		{ "per_minute", NULL, client->limits.per_minute },
		{ "per_hour", NULL, client->limits.per_hour },
		{ "per_day", NULL, client->limits.per_day },
		{ "segments_per_month", NULL, client->limits.segments_per_month },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (*texts[i].text)
			*facts++ = texts[i];
	}
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (limits[i].number >= 0)
			*facts++ = limits[i];
	}
	*facts = (struct audit_event_fact){ NULL };
}

int store_audit_record_client(struct store *store, enum audit_event event,
			      const struct client *client)
{
	static const char *const asks[] = {
		[CLIENT_ASK_NEVER] = "never",
		[CLIENT_ASK_NEW_RECIPIENTS] = "new-recipients",
		[CLIENT_ASK_ALWAYS] = "always",
	};
	char scopes[CLIENT_SCOPES_BYTES];
	struct audit_event_fact facts[AUDIT_FIELDS_MAX + 1] = {
		{ "client_id", NULL, client->id },
		{ "client", client->name },
		{ "scopes", scopes },
		{ "ask", asks[client->ask] },
	};

	client_write_scopes(client->scopes, ' ', scopes);
	store_audit_list_permissions(client, facts + 4);
	return store_audit_record(store, event, facts);
}

/* Reads the oldest line, and the number of lines up to the newest. */
static int store_audit_read_span(struct store *store, int64_t *first_out,
				 int64_t *count_out)
{
	sqlite3_stmt *statement = store_use(store, AUDIT_SPAN);
	int result = sqlite3_step(statement);

	if (result == SQLITE_ROW) {
		*first_out = sqlite3_column_int64(statement, 0);
		*count_out = sqlite3_column_int64(statement, 1);
	}
	return store_finish(store, statement, result);
}

/*
 * Call it inside a transaction: `last` becomes the anchor, and is deleted with all lines before it.
 */
static int store_audit_drop_until(struct store *store, int64_t last)
{
	int error = store_execute(store, AUDIT_ANCHOR_SET, last);

	return error ? error : store_run(store, store_use(store, AUDIT_FORGET));
}

int store_audit_prune(struct store *store, int64_t keep, bool *done_out)
{
	int64_t first = 0, count = 0, excess;
	int error = store_audit_read_span(store, &first, &count);

	if (error)
		return error;
	excess = count - (keep > 1 ? keep : 1);
	if (excess > 0) {
		int64_t going = excess < AUDIT_STEP_LINES ? excess : AUDIT_STEP_LINES;

		error = store_begin(store);
		if (!error)
			error = store_end(
				store, store_audit_drop_until(store, first + going - 1));
	}
	if (!error)
		*done_out = excess <= AUDIT_STEP_LINES;
	return error;
}

static int store_audit_record_draft(struct store *store, enum audit_event event,
				    int64_t message_id,
				    const struct store_message_draft *draft,
				    const char *client)
{
	enum message_state state = draft->state ? draft->state : STATE_QUEUED;

	return store_audit_record(
		store, event,
		(struct audit_event_fact[]){
			{ "message_id", NULL, message_id },
			{ "client_id", NULL, draft->client_id },
			{ "client", client },
			{ "number", draft->number },
			{ "subscription_id", NULL, draft->sim_id },
			{ "segments", NULL, draft->segments },
			{ "state", message_state_name(state) },
			{ draft->reason ? "reason" : NULL, draft->reason },
			{ NULL },
		});
}

int store_audit_message_added(struct store *store, int64_t message_id,
			      const struct store_message_draft *draft, const char *client)
{
	return store_audit_record_draft(store,
					draft->state == STATE_WAITING_APPROVAL
						? AUDIT_APPROVAL_ASKED
						: AUDIT_SEND_ACCEPTED,
					message_id, draft, client);
}

int store_audit_message_edited(struct store *store, int64_t message_id,
			       const struct store_message_draft *draft,
			       const char *client)
{
	return store_audit_record_draft(store, AUDIT_SEND_EDITED, message_id, draft,
					client);
}

/* Returns AUDIT_EVENT_COUNT if the change is not recorded. */
static enum audit_event store_audit_event_of_change(enum message_state from,
						    enum message_state to)
{
	bool waited = from == STATE_WAITING_APPROVAL;

	switch (to) {
	case STATE_QUEUED:
	case STATE_SCHEDULED:
		return waited ? AUDIT_APPROVAL_GIVEN : AUDIT_EVENT_COUNT;
	case STATE_FAILED:
		return waited ? AUDIT_APPROVAL_REJECTED : AUDIT_SEND_OUTCOME;
	case STATE_EXPIRED:
		return waited ? AUDIT_APPROVAL_EXPIRED : AUDIT_SEND_OUTCOME;
	case STATE_CANCELLED:
		return AUDIT_SEND_CANCELLED;
	case STATE_SENT:
	case STATE_UNKNOWN:
		return AUDIT_SEND_OUTCOME;
	case STATE_DELIVERED: /* known to be sent before? */
		return from == STATE_SENT ? AUDIT_EVENT_COUNT : AUDIT_SEND_OUTCOME;
	case STATE_SUBMITTING:
	case STATE_SUBMITTED:
	case STATE_HELD:
	case STATE_RECEIVED:
		break;
	case STATE_WAITING_APPROVAL: /* a received code was found in it */
		return AUDIT_APPROVAL_ASKED;
	}
	return AUDIT_EVENT_COUNT;
}

int store_audit_message_changed(struct store *store, int64_t message_id,
				enum message_state from,
				const struct message_change *change)
{
	enum audit_event event = store_audit_event_of_change(from, change->state);
	struct audit_event_fact facts[] = {
		{ "message_id", NULL, message_id },
		{ "state", message_state_name(change->state) },
		{ "reason", change->reason },
		{ change->by ? "by" : NULL, change->by },
		{ NULL },
	};

	if (event == AUDIT_EVENT_COUNT)
		return 0;
	return store_audit_record(store, event, facts);
}
