/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/outbox_sync.h"

#include <string.h>
#include <time.h>

#include "base/log.h"
#include "store/store_sync.h"

enum {
	USEC_PER_MS = 1000,
	ACCURACY_USEC = 10 * 1000,
	RETRY_MS = 5 * 1000,
};

static void wait_ms(struct outbox_sync *sync, uint64_t pause_ms)
{
	sd_event_source_set_time_relative(sync->timer, pause_ms * USEC_PER_MS);
	sd_event_source_set_enabled(sync->timer, SD_EVENT_ONESHOT);
}

static int on_due(sd_event_source *source, uint64_t due_us, void *data)
{
	struct outbox_sync *sync = data;
	int error = store_sync(sync->store);

	(void)source;
	(void)due_us;
	if (!error)
		return 0;
	log_error("outbox: the disk does not confirm states (%s); trying again",
		  strerror(-error));
	wait_ms(sync, RETRY_MS);
	return 0;
}

int outbox_sync_init(struct outbox_sync *sync, sd_event *loop, struct store *store)
{
	int error;

	*sync = (struct outbox_sync){ .store = store };
	error = sd_event_add_time_relative(loop, &sync->timer, CLOCK_MONOTONIC, 0,
					   ACCURACY_USEC, on_due, sync);
	if (error < 0)
		return error;
	return sd_event_source_set_enabled(sync->timer, SD_EVENT_OFF);
}

void outbox_sync_deinit(struct outbox_sync *sync)
{
	sync->timer = sd_event_source_disable_unref(sync->timer);
}

void outbox_sync_later(struct outbox_sync *sync)
{
	if (!store_is_synced(sync->store) &&
	    sd_event_source_get_enabled(sync->timer, NULL) == SD_EVENT_OFF)
		wait_ms(sync, OUTBOX_SYNC_MS);
}
