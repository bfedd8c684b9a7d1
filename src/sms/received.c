/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/received.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "sms/opt_word.h"
#include "text/mended_text.h"

/* Without memory the draft keeps the text that it has. */
static void mend(struct received *received)
{
	struct incoming_draft *draft = &received->draft;
	bool mended = false;

	received->text = mended_text(draft->text, &mended);
	if (mended)
		draft->flags |= MESSAGE_REPAIRED;
	if (!*draft->text)
		draft->flags |= MESSAGE_UNREADABLE;
	if (draft->told_ms < CLOCK_SANE_MS)
		draft->flags |= MESSAGE_CLOCK_WRONG;
	if (received->text) /* damaged is better than none */
		draft->text = received->text;
	draft->opt = opt_word_find(draft->text, &draft->opt_word);
}

void received_from_signal(struct received *received, const struct ofono_event *event,
			  int64_t sim_id)
{
	received->draft = (struct incoming_draft){
		.sim_id = sim_id,
		.told_ms = clock_wall_ms(),
		.number = event->sender,
		.text = event->text,
		.sent_time = event->sent_time,
		.flags = event->immediate ? MESSAGE_IMMEDIATE : 0,
	};
	mend(received);
}

int received_from_spool(struct received *received, const struct inbox_spooled *spooled,
			int64_t sim_id)
{
	received->draft = (struct incoming_draft){
		.sim_id = sim_id,
		.told_ms = spooled->received_ms,
		.number = spooled->sender,
		.text = spooled->text,
		.sent_time = spooled->sent_time,
		.spool_file = spooled->file,
	};
	mend(received);
	return received->text ? 0 : -ENOMEM;
}

void received_deinit(struct received *received)
{
	free(received->text);
}
