/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Delivery: what delivery reports say of an outgoing message.
 *
 * oFono passes on one bit per message, late or never. A report that says "not delivered"
 * leaves the message sent, for the network did take it. One that does not come is no
 * proof of anything: after the validity of the network (24 h, oFono's fixed TP-VP) and an
 * hour more the delivery is unconfirmed. That is told when it is asked for, and never
 * stored: no timer waits for it.
 */
#ifndef STORE_DELIVERY_H
#define STORE_DELIVERY_H

#include <stdint.h>

#include "store/message_state.h"

/* stored as these numbers: only append */
enum delivery {
	DELIVERY_NONE,	      /* nobody asked for a report, or it never went out */
	DELIVERY_AWAITED,     /* asked for, and not come yet */
	DELIVERY_CONFIRMED,   /* delivered */
	DELIVERY_REFUSED,     /* given up, or the recipient's phone refused it */
	DELIVERY_UNCONFIRMED, /* no report came in time; never stored */
	DELIVERY_LAST = DELIVERY_UNCONFIRMED,
};

enum { DELIVERY_WAIT_MS = 25 * 60 * 60 * 1000 };

struct message;

/* "none", "awaited", "delivered", "refused", "unconfirmed" */
const char *delivery_name(enum delivery delivery);

/* What is true of an outgoing message at this time of the wall clock. */
enum delivery delivery_of(const struct message *message, int64_t now_ms);

#endif
