/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock is wrong for certain while it is before the time at which this program was built
 * (OFONO_MCP_BUILT, from the Makefile). It
 * may be wrong while a time service runs that has not synchronised it since the phone
 * started. That counts for WEBHOOK_CLOCK_WAIT_MS only: many phones get the time from the
 * mobile network or keep it in a clock chip, where no time service ever says so.
 */

#include "webhook/webhook.h"

#include <stdbool.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/clock.h"

#define TIMESYNC_FOLDER	 "/run/systemd/timesync"
#define TIMESYNC_WITNESS TIMESYNC_FOLDER "/synchronized"

enum { WEBHOOK_CLOCK_WAIT_MS = 10 * 60 * 1000, WEBHOOK_CLOCK_MS_PER_SECOND = 1000 };

static bool webhook_clock_is_unsynchronised(void)
{
	struct timex state = { .modes = 0 };

	return access(TIMESYNC_FOLDER, F_OK) == 0 && access(TIMESYNC_WITNESS, F_OK) < 0 &&
	       adjtimex(&state) == TIME_ERROR;
}

static bool webhook_clock_is_before_build(void)
{
	return clock_wall_ms() / WEBHOOK_CLOCK_MS_PER_SECOND < OFONO_MCP_BUILT;
}

const char *webhook_clock_flaw(void)
{
	if (webhook_clock_is_before_build())
		return "the phone's clock is wrong: it is set to a time before this program was built";
	if (clock_boot_ms() < WEBHOOK_CLOCK_WAIT_MS && webhook_clock_is_unsynchronised())
		return "the phone's clock is not synchronised yet";
	return NULL;
}
