/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Message counters: how many messages of each SIM were accepted, were received and reached
 * each state since the process started. They are kept in memory only.
 */
#pragma once

#include <stdint.h>

#include "store/store_message.h"

enum { MESSAGE_COUNTERS_SIMS_MAX = 16 };

struct message_counters_row {
	/* 0 for unknown SIM cards, and those that have no row of their own */
	int64_t sim_id;
	uint64_t accepted;
	uint64_t received;
	uint64_t became[STATE_LAST + 1]; /* by enum message_state */
};

/* Initialise it with zeroes. */
struct message_counters {
	struct message_counters_row rows[1 + MESSAGE_COUNTERS_SIMS_MAX]; /* [0]: SIM 0 */
	unsigned count; /* rows in use after the first */
};

/* Returns the row of this SIM, created when it is missing. */
static inline struct message_counters_row *message_counters_row(
	struct message_counters *counters, int64_t sim_id)
{
	for (unsigned at = 0; at <= counters->count; at++) {
		if (counters->rows[at].sim_id == sim_id)
			return &counters->rows[at];
	}
	if (counters->count == MESSAGE_COUNTERS_SIMS_MAX)
		return &counters->rows[0];
	counters->rows[++counters->count].sim_id = sim_id;
	return &counters->rows[counters->count];
}
