/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tally: how many messages of each SIM were accepted, came in and became what, since the
 * process started. Nothing of it is on disk.
 */
#ifndef SMS_TALLY_H
#define SMS_TALLY_H

#include <stdint.h>

#include "store/message_state.h"

enum { TALLY_SIMS_MAX = 16 };

struct tally_row {
	int64_t sim_id; /* 0: of cards that are not known, and of more than fit in */
	uint64_t accepted;
	uint64_t received;
	uint64_t became[STATE_LAST + 1]; /* by enum message_state */
};

/* Of zeroes it is empty. */
struct tally {
	struct tally_row rows[1 + TALLY_SIMS_MAX]; /* the first is that of SIM 0 */
	unsigned count;				   /* of rows behind the first */
};

/* The row of this SIM, made when there is none. */
struct tally_row *tally_row(struct tally *tally, int64_t sim_id);

#endif
