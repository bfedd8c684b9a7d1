/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A timer that never expires: sd-event calls the "prepare" callback of every enabled source
 * before it sleeps, whatever the source is.
 */
#include "base/before_sleep.h"

#include <stdint.h>
#include <time.h>

static int before_sleep_on_timer(sd_event_source *source, uint64_t due_us, void *data)
{
	return 0;
}

int before_sleep_add(sd_event *loop, sd_event_source **source_out,
		     int (*run)(sd_event_source *source, void *data), void *data)
{
	sd_event_source *source = NULL;
	int error = sd_event_add_time(loop, &source, CLOCK_MONOTONIC, UINT64_MAX, 0,
				      before_sleep_on_timer, data);

	if (error >= 0)
		error = sd_event_source_set_enabled(source, SD_EVENT_ON);
	if (error >= 0)
		error = sd_event_source_set_prepare(source, run);
	if (error < 0) {
		sd_event_source_unref(source);
		return error;
	}
	*source_out = source;
	return 0;
}
