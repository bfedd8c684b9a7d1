/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/received.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "sms/opt_word.h"
#include "sms/mended_text.h"

/* Without memory the draft keeps the text that it has, damaged or not. */
static void mend(struct received *received)
{
	struct incoming_draft *draft = &received->draft;
	bool mended = false;

	received->text = mended_text(draft->text, &mended);
	if (mended)
		draft->flags |= MESSAGE_REPAIRED;
	if (received->text)
		draft->text = received->text;
}

static void complete(struct received *received)
{
	struct incoming_draft *draft = &received->draft;

	if (!*draft->text)
		draft->flags |= MESSAGE_UNREADABLE;
	if (draft->told_ms < CLOCK_SANE_MS)
		draft->flags |= MESSAGE_CLOCK_WRONG;
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
	received->text = NULL;
	if (ofono_line(event->modem->ofono) == OFONO_LINE_UPSTREAM)
		mend(received);
	complete(received);
}

/*
 * ofonod loads a plugin of its own version alone. Upstream damages emoji since 1.28, and
 * 1.29 is what forks call themselves; no system ships upstream's. A file without a version
 * was written by an older plugin, whose only home was upstream.
 */
static bool is_damaged(const struct inbox_spooled *spooled, enum ofono_line line)
{
	unsigned major, minor;

	if (sscanf(spooled->ofono, "%u.%u", &major, &minor) != 2)
		return line != OFONO_LINE_FORK;
	return major > 1 || (major == 1 && minor >= 28 && minor != 29);
}

int received_from_spool(struct received *received, const struct inbox_spooled *spooled,
			enum ofono_line line, int64_t sim_id)
{
	bool mends = is_damaged(spooled, line);

	received->draft = (struct incoming_draft){
		.sim_id = sim_id,
		.told_ms = spooled->received_ms,
		.number = spooled->sender,
		.text = spooled->text,
		.sent_time = spooled->sent_time,
		.spool_file = spooled->file,
	};
	received->text = NULL;
	if (mends)
		mend(received);
	if (mends && !received->text)
		return -ENOMEM;
	complete(received);
	return 0;
}

void received_deinit(struct received *received)
{
	free(received->text);
}
