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
	char *text;			 /* repaired; NULL: the original text is used */
};

/* From a MESSAGE_RECEIVED event of now. Ended by inbox_draft_deinit(). */
void inbox_draft_from_signal(struct inbox_draft *draft, const struct ofono_event *event,
			     int64_t sim_id);
/* `line`: of the oFono that runs now. 0, or -ENOMEM with nothing to end. */
int inbox_draft_from_spool(struct inbox_draft *draft, const struct inbox_spooled *spooled,
			   enum ofono_line line, int64_t sim_id);
void inbox_draft_deinit(struct inbox_draft *draft);

/*
 * Upstream oFono (1.28 and later) cuts a character above U+FFFF to 16 bits, so
 * most emoji arrive as U+F000 to U+F8FF. Adding 0x10000 restores them; nobody uses that
 * private area in an SMS. Forks do not damage texts, so only texts from upstream oFono are
 * repaired (ofono_line()), and none that contains a character above U+FFFF.
 * Source: oFono since commit 9c7a8767; measured on 1.31 and 2.16.
 *
 * Returns a copy of `text` (valid UTF-8) with U+F000..U+F8FF restored to U+1F000..U+1F8FF; the
 * caller frees it. *mended_out: whether anything changed. NULL: no memory.
 */
char *inbox_draft_mend(const char *text, bool *mended_out);
