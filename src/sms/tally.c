/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/tally.h"

struct tally_row *tally_row(struct tally *tally, int64_t sim_id)
{
	for (unsigned at = 0; at <= tally->count; at++) {
		if (tally->rows[at].sim_id == sim_id)
			return &tally->rows[at];
	}
	if (tally->count == TALLY_SIMS_MAX)
		return &tally->rows[0];
	tally->rows[++tally->count].sim_id = sim_id;
	return &tally->rows[tally->count];
}
