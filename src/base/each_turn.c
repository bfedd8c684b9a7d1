/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/each_turn.h"

#include <stdint.h>
#include <time.h>

static int on_never(sd_event_source *source, uint64_t due_us, void *data)
{
	(void)source;
	(void)due_us;
	(void)data;
	return 0;
}

/* A timer that is never due: sd-event prepares what is switched on. */
int before_sleep_add(sd_event *loop, sd_event_source **source_out,
		     int (*look)(sd_event_source *source, void *data), void *data)
{
	sd_event_source *source = NULL;
	int error = sd_event_add_time(loop, &source, CLOCK_MONOTONIC, UINT64_MAX, 0,
				      on_never, data);

	if (error >= 0)
		error = sd_event_source_set_enabled(source, SD_EVENT_ON);
	if (error >= 0)
		error = sd_event_source_set_prepare(source, look);
	if (error < 0) {
		sd_event_source_unref(source);
		return error;
	}
	*source_out = source;
	return 0;
}
