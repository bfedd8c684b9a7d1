/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/audit_message.h"

#include "store/store_audit.h"
#include "store/store_client.h"
#include "store/store_statement.h"

int audit_message_added(struct store *store, int64_t message_id,
			const struct message_draft *draft)
{
	enum message_state state = draft->state ? draft->state : STATE_QUEUED;
	char client[CLIENT_NAME_BYTES];
	int error = store_client_name(store, draft->client_id, client);

	if (error)
		return error;
	return store_audit_note(
		store,
		state == STATE_WAITING_APPROVAL ? AUDIT_APPROVAL_ASKED
						: AUDIT_SEND_ACCEPTED,
		(struct audit_fact[]){
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

/* AUDIT_EVENT_COUNT: none */
static enum audit_event event_of(enum message_state from, enum message_state to)
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
	case STATE_DELIVERED: /* was it known that it was sent? */
		return from == STATE_SENT ? AUDIT_EVENT_COUNT : AUDIT_SEND_OUTCOME;
	case STATE_HANDING:
	case STATE_HANDED:
	case STATE_HELD:
	case STATE_RECEIVED:
	case STATE_WAITING_APPROVAL:
		break;
	}
	return AUDIT_EVENT_COUNT;
}

int audit_message_moved(struct store *store, int64_t message_id, enum message_state from,
			const struct message_change *change)
{
	enum audit_event event = event_of(from, change->state);
	struct audit_fact facts[] = {
		{ "message_id", NULL, message_id },
		{ "state", message_state_name(change->state) },
		{ "reason", change->reason },
		{ change->by ? "by" : NULL, change->by },
		{ NULL },
	};

	if (event == AUDIT_EVENT_COUNT)
		return 0;
	return store_audit_note(store, event, facts);
}
