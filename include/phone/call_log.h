/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call log: incoming calls and how they end. The gateway never answers one.
 *
 * A call is on disk as soon as it rings (tests/integration/test_calls.py). A call that the disk
 * refuses is missing from the log, and so is one that rang in an offline gap.
 */
#pragma once

#include "base/observer.h"
#include "phone/sim.h"
#include "store/store_event.h"

struct call_log;

/* Returns 0 or -errno. */
int call_log_new(struct store *store, struct sims *sims, struct ofono *ofono,
		 struct call_log **log_out);
void call_log_free(struct call_log *log); /* NULL is fine */
