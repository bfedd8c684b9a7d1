/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox sync: when what the outbox changed lazily (store/store_sync.h) is waited for.
 *
 * What oFono told of a message is on the disk soon after it was told on, so that no answer
 * waits for it; what must be there before a message leaves is waited for once for all that
 * leave in the same turn (src/sms/outbox.c).
 *
 * Private to src/sms/outbox*.c.
 */
#ifndef SMS_OUTBOX_SYNC_H
#define SMS_OUTBOX_SYNC_H

#include <stdint.h>
#include <systemd/sd-event.h>

#include "store/store.h"

enum { OUTBOX_SYNC_MS = 50 };

struct outbox_sync {
	struct store *store;
	sd_event_source *timer; /* enabled: something is to be waited for */
};

/* 0 or -errno. */
int outbox_sync_init(struct outbox_sync *sync, sd_event *loop, struct store *store);
void outbox_sync_deinit(struct outbox_sync *sync);

/* Something was changed, perhaps lazily. */
void outbox_sync_later(struct outbox_sync *sync);

#endif
