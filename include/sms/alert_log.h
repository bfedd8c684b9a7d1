/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alert log: incoming cell broadcasts. Each is on disk before anybody is notified
 * (tests/integration/test_alerts.py). An alert that the disk refuses is lost, and so is one
 * that comes during an offline gap (sms/receive_gaps.h).
 *
 * Networks repeat a broadcast, and every SIM of a phone receives it: repeats within
 * ALERT_REPEAT_MS are ignored.
 */
#pragma once

#include "base/observer.h"
#include "phone/sim.h"
#include "store/store_event.h"

#define ALERT_REPEAT_MS INT64_C(3600000)

struct alert_log;

/* Returns 0 or -errno. */
int alert_log_new(struct store *store, struct sims *sims, struct ofono *ofono,
		  struct alert_log **log_out);
void alert_log_free(struct alert_log *log); /* NULL is fine */
