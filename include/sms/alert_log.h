/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alert log: cell broadcasts that come in, on disk before anything else happens
 * (tests/integration/test_alerts.py). What the disk refuses is missing, and so is what came
 * while nobody could have told us: the gaps of sms/receive_gaps.h are of alerts, too.
 *
 * Networks send a broadcast again and again, and each card of a phone hears it: what was told
 * already in the last ALERT_REPEAT_MS is not told again.
 */
#ifndef SMS_ALERT_LOG_H
#define SMS_ALERT_LOG_H

#include "base/observer.h"
#include "phone/sim.h"
#include "store/store_event.h"

#define ALERT_REPEAT_MS INT64_C(3600000) /* an hour */

struct alert_log;

/* 0 or -errno. */
int alert_log_new(struct store *store, struct sims *sims, struct ofono *ofono,
		  struct alert_log **log_out);
void alert_log_free(struct alert_log *log); /* NULL is fine */

/* Told, with the id as int64_t, when one came in. */
struct observers *alert_log_observers(struct alert_log *log);

#endif
