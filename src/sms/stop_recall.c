/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/stop_recall.h"

#include <string.h>

#include "base/buffer.h"
#include "base/log.h"
#include "store/store_party.h"

struct finding {
	struct store *store;
	struct buffer ids; /* int64_t each */
};

static void find(void *data, const struct message *message)
{
	struct finding *finding = data;

	if (message_state_is_waiting(message->state) &&
	    store_party_opted_out_since(finding->store, message))
		buffer_append(&finding->ids, (const char *)&message->id,
			      sizeof(message->id));
}

static void drop(struct stop_recall *recall, int64_t message_id)
{
	if (outbox_cancel_waiting(recall->outbox, message_id, "recipient_opted_out"))
		log_warning("stop: message %lld could not be taken back",
			    (long long)message_id);
}

static void drop_all(struct stop_recall *recall)
{
	struct finding finding = { recall->store, BUFFER_INIT };
	int error = store_message_list_unfinished(recall->store, find, &finding);
	int64_t message_id;

	if (error || finding.ids.failed)
		log_error("stop: not all that waits to be sent could be looked through");
	for (size_t at = 0; at < finding.ids.length; at += sizeof(message_id)) {
		memcpy(&message_id, finding.ids.data + at, sizeof(message_id));
		drop(recall, message_id);
	}
	buffer_deinit(&finding.ids);
}

static void on_inbox(void *data, const void *event_data)
{
	const struct inbox_event *event = event_data;

	if (event->opt == OPT_OUT)
		drop_all(data);
}

void stop_recall_init(struct stop_recall *recall, struct inbox *inbox)
{
	drop_all(recall);
	observer_add(inbox_observers(inbox), &recall->inbox, on_inbox, recall);
}

void stop_recall_deinit(struct stop_recall *recall)
{
	observer_remove(&recall->inbox);
}
