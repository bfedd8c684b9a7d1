/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Submit check: judges a queued message once more before it is submitted.
 *
 * Private to src/sms.
 */
#pragma once

#include "sms/sim_queue.h"

enum { SUBMIT_CHECK_E_STOPPED = 100 }; /* besides the outcomes of the store */

/*
 * 0: it may be submitted. SUBMIT_CHECK_E_STOPPED: it waits for approval, or for a later time,
 * on disk. -errno, STORE_E_FULL: it may not be submitted, and nothing has changed.
 */
int submit_check(const struct sim_queues *queues, struct outbox_message *message,
		 const char *text);
