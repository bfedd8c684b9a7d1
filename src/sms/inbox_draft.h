/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inbox draft: an incoming message as the store takes it, made from a signal of oFono or from
 * a file of the spool. Repairs damaged emoji and sets the flags.
 *
 * Private to src/sms/inbox.c.
 */
#pragma once

#include <stdbool.h>

#include "ofono/ofono.h"
#include "sms/inbox.h"
#include "store/store.h"

struct inbox_draft {
	struct store_incoming_draft row; /* borrows from its source, and from `text` */
	char *text;			 /* repaired; NULL if the original text is used */
};

/* Makes a draft from a MESSAGE_RECEIVED event of now; inbox_draft_deinit() ends it. */
void inbox_draft_from_signal(struct inbox_draft *draft, const struct ofono_event *event,
			     int64_t sim_id);
/* `line` is that of the oFono that runs now. Returns 0, or -ENOMEM with nothing to end. */
int inbox_draft_from_spool(struct inbox_draft *draft, const struct inbox_spooled *spooled,
			   enum ofono_line line, int64_t sim_id);
void inbox_draft_deinit(struct inbox_draft *draft);
