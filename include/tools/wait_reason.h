/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wait reason: why a message waits while the owner has paused the gateway, or while the phone
 * does not know the time. Nothing is written to disk for that: a pause is one switch, and so
 * is the clock, however many messages wait.
 */
#ifndef TOOLS_WAIT_REASON_H
#define TOOLS_WAIT_REASON_H

#include "tools/services.h"

/* What it waits for is a known time, and the clock was never set (sms/outbox_deadline.h). */
bool wait_is_for_the_clock(const struct message *message);

/* "paused_by_owner", "clock_unknown", or the message's own reason. */
const char *wait_reason(const struct services *services, const struct message *message);

#endif
