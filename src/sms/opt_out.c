/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/opt_out.h"

#include <string.h>

#include "base/buffer.h"
#include "base/log.h"
#include "config/config.h"
#include "numbers/number.h"
#include "numbers/phone_number.h"
#include "text/segments.h"
#include "sms/opt_word.h"
#include "sms/sender.h"
#include "store/store_party.h"

bool opt_out_is_word(const char *text)
{
	const char *word;

	return opt_word_find(text, &word) != OPT_NONE;
}

/* ---- cancelling ---------------------------------------------------------------------- */

struct opt_out_search {
	struct store *store;
	struct buffer ids; /* int64_t each */
};

static void opt_out_find(void *data, const struct message *message)
{
	struct opt_out_search *search = data;

	if (message_state_is_waiting(message->state) &&
	    store_party_opted_out_since(search->store, message))
		buffer_append(&search->ids, (const char *)&message->id,
			      sizeof(message->id));
}

void opt_out_cancel_waiting(struct opt_out *opt_out)
{
	struct opt_out_search search = { opt_out->store, BUFFER_INIT };
	int error = store_message_list_unfinished(opt_out->store, opt_out_find, &search);
	int64_t message_id;

	if (error || search.ids.failed)
		log_error("stop: not all waiting messages could be checked");
	for (size_t at = 0; at < search.ids.length; at += sizeof(message_id)) {
		memcpy(&message_id, search.ids.data + at, sizeof(message_id));
		if (outbox_cancel_waiting(opt_out->outbox, message_id,
					  "recipient_opted_out"))
			log_warning("stop: message %lld could not be cancelled",
				    (long long)message_id);
	}
	buffer_deinit(&search.ids);
}

/* ---- the confirmation ---------------------------------------------------------------- */

/* Does this sender get a confirmation? Writes its number, and records it as confirmed. */
static bool opt_out_may_confirm(const struct opt_out *opt_out,
				const struct inbox_event *event,
				char number[PHONE_NUMBER_BYTES])
{
	const struct store_party_address end = { event->sim_id, event->number };

	if (!*opt_out->config->stop_confirmation || !event->sim_id)
		return false;
	if (phone_number_parse(event->number, number) != PHONE_NUMBER_OK ||
	    number_is_short(number))
		return false;
	return !sender_is_blocked(opt_out->config, opt_out->store, &end) &&
	       store_party_confirm_opt_out(opt_out->store, event->sim_id, event->number);
}

static void opt_out_confirm(struct opt_out *opt_out, const struct inbox_event *event)
{
	char number[PHONE_NUMBER_BYTES];
	struct store_message_draft draft = {
		.sim_id = event->sim_id,
		.number = number,
		.text = opt_out->config->stop_confirmation,
	};
	struct segments segments;
	int64_t message_id;

	if (!opt_out_may_confirm(opt_out, event, number))
		return;
	segments_measure(draft.text, &segments);
	draft.segments = segments.count;
	if (outbox_accept(opt_out->outbox, &draft, &message_id))
		log_warning(
			"stop: %s gets no confirmation: the outbox does not accept it",
			log_number(number));
	else
		log_info("stop: %s gets a confirmation, message %lld", log_number(number),
			 (long long)message_id);
}

static void opt_out_on_message(void *data, const void *event_data)
{
	const struct inbox_event *event = event_data;

	if (event->opt != OPT_OUT)
		return;
	opt_out_cancel_waiting(data);
	opt_out_confirm(data, event);
}

void opt_out_init(struct opt_out *opt_out, struct inbox *inbox)
{
	opt_out_cancel_waiting(opt_out);
	observer_add(inbox_observers(inbox), &opt_out->inbox, opt_out_on_message,
		     opt_out);
}

void opt_out_deinit(struct opt_out *opt_out)
{
	observer_remove(&opt_out->inbox);
}
