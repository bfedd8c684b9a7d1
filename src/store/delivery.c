/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/delivery.h"

#include <assert.h>

#include "store/store.h"

static const char *const names[DELIVERY_LAST + 1] = {
	[DELIVERY_NONE] = "none",
	[DELIVERY_AWAITED] = "awaited",
	[DELIVERY_CONFIRMED] = "delivered",
	[DELIVERY_REFUSED] = "refused",
	[DELIVERY_UNCONFIRMED] = "unconfirmed",
};

const char *delivery_name(enum delivery delivery)
{
	assert(delivery >= DELIVERY_NONE && delivery <= DELIVERY_LAST);
	return names[delivery];
}

/* A clock that was set back makes the wait longer, never shorter. */
static enum delivery delivery_in_time(const struct message *message, int64_t now_ms)
{
	if (message->delivery == DELIVERY_AWAITED &&
	    now_ms - message->changed_ms > DELIVERY_WAIT_MS)
		return DELIVERY_UNCONFIRMED;
	return message->delivery;
}

enum delivery delivery_of(const struct message *message, int64_t now_ms)
{
	switch (message->state) {
	case STATE_DELIVERED:
		return DELIVERY_CONFIRMED;
	case STATE_SENT:
	case STATE_UNKNOWN: /* may be on the air */
		return delivery_in_time(message, now_ms);
	case STATE_HANDED:
	case STATE_HELD:
		return message->delivery;
	case STATE_QUEUED:
	case STATE_HANDING:
	case STATE_FAILED:
	case STATE_CANCELLED:
	case STATE_RECEIVED:
	case STATE_SCHEDULED:
	case STATE_WAITING_APPROVAL:
	case STATE_EXPIRED:
		return DELIVERY_NONE;
	}
	return DELIVERY_NONE;
}
