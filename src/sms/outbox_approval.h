/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox approval: until when a message may wait, for a yes too.
 *
 * Private to src/sms/outbox*.c.
 */
#ifndef SMS_OUTBOX_APPROVAL_H
#define SMS_OUTBOX_APPROVAL_H

#include "sms/outbox_message.h"

/* When one that waits is over; INT64_MAX: never. */
int64_t outbox_approval_end(const struct outbox_message *message);
/* ... and why it is, then. */
const char *outbox_approval_end_reason(const struct outbox_message *message);

#endif
