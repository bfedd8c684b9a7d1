/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox patience: how long a registered modem may have a message of ours before it counts as
 * stuck, which its SIM shows until the message has an outcome or the modem is gone.
 *
 * Private to src/sms/outbox*.c. A wedged modem keeps a message pending for ever, and neither
 * oFono nor its Cancel ends that.
 */
#ifndef SMS_OUTBOX_PATIENCE_H
#define SMS_OUTBOX_PATIENCE_H

#include <stdint.h>
#include <systemd/sd-event.h>

#include "phone/sim.h"

struct outbox_patience {
	struct sims *sims;
	int64_t sim_id;
	sd_event_source *timer; /* enabled: it runs */
	bool is_over;
};

/* 0 or -errno; outbox_patience_deinit() is due in either case. */
int outbox_patience_init(struct outbox_patience *patience, sd_event *loop,
			 struct sims *sims, int64_t sim_id);
void outbox_patience_deinit(
	struct outbox_patience *patience); /* the SIM stays as it is */

/* From now on, unless it runs or is over. `limit_ms` 0: without end. */
void outbox_patience_begin(struct outbox_patience *patience, uint64_t limit_ms);
void outbox_patience_end(struct outbox_patience *patience);

#endif
