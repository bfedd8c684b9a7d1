/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/stop_confirmation.h"

#include "base/log.h"
#include "config/config.h"
#include "numbers/number.h"
#include "numbers/phone_number.h"
#include "sms/segments.h"
#include "sms/sender.h"
#include "store/store_party.h"

/* May it be written to, now that STOP came from there? */
static bool is_to_confirm(const struct stop_confirmation *confirmation,
			  const struct inbox_event *event,
			  char number[PHONE_NUMBER_BYTES])
{
	const struct store_party_address end = { event->sim_id, event->number };

	if (event->opt != OPT_OUT || !*confirmation->config->stop_confirmation ||
	    !event->sim_id)
		return false;
	if (phone_number_parse(event->number, number) != PHONE_NUMBER_OK ||
	    number_is_short(number))
		return false;
	return !sender_is_blocked(confirmation->config, confirmation->store, &end) &&
	       store_party_confirm_opt_out(confirmation->store, event->sim_id,
					   event->number);
}

static void on_inbox(void *data, const void *event_data)
{
	struct stop_confirmation *confirmation = data;
	const struct inbox_event *event = event_data;
	char number[PHONE_NUMBER_BYTES];
	struct store_message_draft draft = {
		.sim_id = event->sim_id,
		.number = number,
		.text = confirmation->config->stop_confirmation,
	};
	struct segments segments;
	int64_t message_id;

	if (!is_to_confirm(confirmation, event, number))
		return;
	segments_measure(draft.text, &segments);
	draft.segments = segments.count;
	if (outbox_accept(confirmation->outbox, &draft, &message_id))
		log_warning("stop: %s gets no confirmation, the outbox does not take it",
			    log_number(number));
	else
		log_info("stop: %s gets a confirmation, message %lld", log_number(number),
			 (long long)message_id);
}

void stop_confirmation_init(struct stop_confirmation *confirmation, struct inbox *inbox)
{
	observer_add(inbox_observers(inbox), &confirmation->inbox, on_inbox,
		     confirmation);
}

void stop_confirmation_deinit(struct stop_confirmation *confirmation)
{
	observer_remove(&confirmation->inbox);
}
