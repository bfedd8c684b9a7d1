/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Received: a message as it goes to the disk, out of what oFono signalled or what the spool
 * holds: its text mended, what follows from it, and what is odd about it.
 *
 * Private to src/sms/inbox.c.
 */
#ifndef SMS_RECEIVED_H
#define SMS_RECEIVED_H

#include "ofono/ofono.h"
#include "sms/inbox.h"
#include "store/store.h"

struct received {
	struct incoming_draft draft; /* borrows from what it came of, and `text` */
	char *text;		     /* mended; NULL: the text is as it came */
};

/* MESSAGE_RECEIVED, now. To be ended with received_deinit(). */
void received_from_signal(struct received *received, const struct ofono_event *event,
			  int64_t sim_id);
/* `line`: of the oFono that runs now. 0, as above; or -ENOMEM, and nothing is to be ended. */
int received_from_spool(struct received *received, const struct inbox_spooled *spooled,
			enum ofono_line line, int64_t sim_id);
void received_deinit(struct received *received);

#endif
