/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/inbox_draft.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sms/indexer.h"
#include "sms/mended_text.h"
#include "sms/opt_word.h"
#include "text/agent_address.h"
#include "text/service_text.h"

/* Without memory the row keeps the text as it is, damaged or not. */
static void inbox_draft_repair(struct inbox_draft *draft)
{
	unsigned flags = 0;

	draft->text = mended_text(draft->row.text, &flags);
	draft->row.flags |= flags;
	if (draft->text)
		draft->row.text = draft->text;
}

static void inbox_draft_complete(struct inbox_draft *draft)
{
	struct store_incoming_draft *row = &draft->row;

	if (!*row->text)
		row->flags |= MESSAGE_UNREADABLE;
	if (row->reported_ms < CLOCK_SANE_MS)
		row->flags |= MESSAGE_CLOCK_WRONG;
	if (agent_address_is_in(row->text))
		row->flags |= MESSAGE_ADDRESSES_AGENTS;
	if (service_text_kind(row->text))
		row->flags |= MESSAGE_SERVICE;
	row->flags |= indexer_judge(row->text);
	row->opt = opt_word_find(row->text, &row->opt_word);
}

void inbox_draft_from_signal(struct inbox_draft *draft, const struct ofono_event *event,
			     int64_t sim_id)
{
	draft->row = (struct store_incoming_draft){
		.sim_id = sim_id,
		.reported_ms = clock_wall_ms(),
		.number = event->sender,
		.text = event->text,
		.sent_time = event->sent_time,
		.flags = event->immediate ? MESSAGE_IMMEDIATE : 0,
	};
	draft->text = NULL;
	if (ofono_line(event->modem->ofono) == OFONO_LINE_UPSTREAM)
		inbox_draft_repair(draft);
	inbox_draft_complete(draft);
}

/*
 * Did an ofonod write the file that damages emoji? ofonod only loads a plugin of its own
 * version, so the version in the file is that of ofonod. Upstream has damaged emoji since
 * 1.28. The forks call themselves 1.29, and no system ships upstream's 1.29. Files of older
 * plugins have no version; those plugins were built for upstream only.
 */
static bool inbox_draft_is_damaged(const struct inbox_spooled *spooled,
				   enum ofono_line line)
{
	unsigned major, minor;

	if (sscanf(spooled->ofono, "%u.%u", &major, &minor) != 2)
		return line != OFONO_LINE_FORK;
	return major > 1 || (major == 1 && minor >= 28 && minor != 29);
}

int inbox_draft_from_spool(struct inbox_draft *draft, const struct inbox_spooled *spooled,
			   enum ofono_line line, int64_t sim_id)
{
	bool is_damaged = inbox_draft_is_damaged(spooled, line);

	draft->row = (struct store_incoming_draft){
		.sim_id = sim_id,
		.reported_ms = spooled->received_ms,
		.number = spooled->sender,
		.text = spooled->text,
		.sent_time = spooled->sent_time,
		.spool_file = spooled->file,
	};
	draft->text = NULL;
	if (is_damaged)
		inbox_draft_repair(draft);
	if (is_damaged && !draft->text)
		return -ENOMEM;
	inbox_draft_complete(draft);
	return 0;
}

void inbox_draft_deinit(struct inbox_draft *draft)
{
	free(draft->text);
}
