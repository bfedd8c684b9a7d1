/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log_pace.h"

#include <stdio.h>

#include "base/clock.h"

bool log_pace_passes(struct log_pace *pace, char more_out[LOG_PACE_TEXT_BYTES])
{
	int64_t now_ms = clock_monotonic_ms();

	if (now_ms < pace->next_ms) {
		pace->left_out++;
		return false;
	}
	*more_out = '\0';
	if (pace->left_out)
		snprintf(more_out, LOG_PACE_TEXT_BYTES,
			 " (%u more since the last such line)", pace->left_out);
	pace->left_out = 0;
	pace->next_ms = now_ms + LOG_PACE_MS;
	return true;
}
