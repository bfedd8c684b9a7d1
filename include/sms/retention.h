/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Retention: deletes old messages, by age and by count, and returns their space to the file
 * system.
 *
 * A pass goes through the message store in steps of at most 100 messages, one commit each,
 * with the loop free in between (tests/integration/test_keeping.py). The first pass comes soon
 * after the start. Another one follows when messages exceed the limit by 1 %, and one when the
 * oldest message reaches its age, at most once an hour and at least once a day. Without a
 * limit by age nothing wakes the process for this.
 */
#pragma once

#include <systemd/sd-event.h>

#include "store/store.h"

struct config;
struct retention;

/* all in milliseconds */
struct retention_timing {
	uint64_t start_ms; /* before the first pass; 5 s */
	uint64_t pause_ms; /* between steps; 20 ms */
	uint64_t least_ms; /* minimum between passes by age, and after a failure; 1 h */
	uint64_t most_ms;  /* maximum between passes by age; 1 d */
};

/* `config` and `store` outlive it. Returns 0 or -errno. */
int retention_new(sd_event *loop, const struct config *config, struct store *store,
		  struct retention **retention_out);
void retention_free(struct retention *retention); /* NULL is fine */

/* The limits in `config` have changed. */
void retention_review(struct retention *retention);

/* Call it right after retention_new(). */
void retention_set_timing(struct retention *retention,
			  const struct retention_timing *timing); /* tests */

bool retention_is_at_work(const struct retention *retention);
