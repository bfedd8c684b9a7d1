/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/outbox_patience.h"

#include "base/log.h"

enum {
	USEC_PER_MS = 1000,
	ACCURACY_USEC = 100 * 1000,
};

static int on_over(sd_event_source *source, uint64_t usec, void *data)
{
	struct outbox_patience *patience = data;

	(void)source;
	(void)usec;
	patience->is_over = true;
	log_warning("sim %lld: its modem is stuck: registered, and it does not finish a "
		    "message",
		    (long long)patience->sim_id);
	sims_set_stuck(patience->sims, patience->sim_id, true);
	return 0;
}

int outbox_patience_init(struct outbox_patience *patience, sd_event *loop,
			 struct sims *sims, int64_t sim_id)
{
	int error;

	*patience = (struct outbox_patience){ .sims = sims, .sim_id = sim_id };
	error = sd_event_add_time_relative(loop, &patience->timer, CLOCK_MONOTONIC, 0,
					   ACCURACY_USEC, on_over, patience);
	if (error < 0)
		return error;
	return sd_event_source_set_enabled(patience->timer, SD_EVENT_OFF);
}

void outbox_patience_deinit(struct outbox_patience *patience)
{
	sd_event_source_disable_unref(patience->timer);
}

void outbox_patience_begin(struct outbox_patience *patience, uint64_t limit_ms)
{
	if (!limit_ms || patience->is_over ||
	    sd_event_source_get_enabled(patience->timer, NULL) > 0)
		return;
	sd_event_source_set_time_relative(patience->timer, limit_ms * USEC_PER_MS);
	sd_event_source_set_enabled(patience->timer, SD_EVENT_ONESHOT);
}

void outbox_patience_end(struct outbox_patience *patience)
{
	sd_event_source_set_enabled(patience->timer, SD_EVENT_OFF);
	if (!patience->is_over)
		return;
	patience->is_over = false;
	log_info("sim %lld: its modem is not stuck any more",
		 (long long)patience->sim_id);
	sims_set_stuck(patience->sims, patience->sim_id, false);
}
