/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call log: calls that come in, and what becomes of them. Nothing is answered.
 *
 * A call is on disk when it rings (tests/integration/test_calls.py). What the disk refuses
 * is missing, and so is what rang while nobody could have told us: the gaps of sms/receive_gaps.h
 * are of calls, too.
 */
#ifndef PHONE_CALL_LOG_H
#define PHONE_CALL_LOG_H

#include "base/observer.h"
#include "phone/sim.h"
#include "store/store_event.h"

struct call_log;

/* 0 or -errno. */
int call_log_new(struct store *store, struct sims *sims, struct ofono *ofono,
		 struct call_log **log_out);
void call_log_free(struct call_log *log); /* NULL is fine */

/* Told, with the id as int64_t, when a call came in or something of it changed. */
struct observers *call_log_observers(struct call_log *log);

#endif
