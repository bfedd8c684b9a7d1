/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Change source: turns events of messages, calls, alerts, SIMs, oFono and the policy into
 * changed resources for those who listen. With no listeners it only counts.
 */
#pragma once

#include "base/observer.h"
#include "tools/services.h"

struct change_source {
	const struct services *services; /* NULL if not initialised */
	int64_t count;			 /* of changes; see change_source_count() */
	uint64_t modems;  /* sim_view_modem_checksum() when the status changed last */
	int64_t after_id; /* the last entry of the feed that was looked at */
	unsigned waiting; /* outbox_waiting() when the status changed last */
	struct observers observers; /* of struct resource_change */
	struct observer feed, outbox, sims, ofono, policy;
};

/* `services` are complete and outlive the source. */
void change_source_init(struct change_source *source, const struct services *services);
void change_source_deinit(struct change_source *source); /* also if never initialised */

/*
 * Notifies of sms://status, for what no observer tells: a computer asks to be paired, or does so no
 * longer. Pages that list approvals then read them again. Does nothing for NULL.
 */
void change_source_report_status(struct change_source *source);

/*
 * Grows with each change, and continues over a restart because it starts with the clock. Returns 0
 * for NULL.
 */
int64_t change_source_count(const struct change_source *source);
