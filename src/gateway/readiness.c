/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/readiness.h"

#include "base/log.h"

static void be_ready(struct readiness *readiness)
{
	readiness_deinit(readiness);
	readiness->ready(readiness->data);
}

static void on_ofono(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;

	if (event->type == OFONO_BUS_KNOWN)
		be_ready(data);
}

static int on_timer(sd_event_source *source, uint64_t due_us, void *data)
{
	(void)source;
	(void)due_us;
	log_warning("the bus does not answer; ready without it");
	be_ready(data);
	return 0;
}

int readiness_init(struct readiness *readiness, const struct services *services,
		   void (*ready)(void *data), void *data)
{
	int error = sd_event_add_time_relative(
		services->loop, &readiness->timer, CLOCK_MONOTONIC,
		READINESS_TIMEOUT_MS * UINT64_C(1000), 0, on_timer, readiness);

	if (error < 0)
		return error;
	readiness->ready = ready;
	readiness->data = data;
	observer_add(ofono_observers(services->ofono), &readiness->ofono_observer,
		     on_ofono, readiness);
	return 0;
}

void readiness_deinit(struct readiness *readiness)
{
	observer_remove(&readiness->ofono_observer);
	readiness->timer = sd_event_source_disable_unref(readiness->timer);
}
